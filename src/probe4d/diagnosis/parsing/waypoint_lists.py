"""Finds the lists of points in a reply: in brackets of any kind, with named axes, in columns, in tables or bare lines.

One pass finds the innermost brackets, so that no reply, however long or deeply nested, is slow to read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from probe4d.diagnosis.parsing.waypoint_values import Coordinates, Value, axis_named, coordinates, read_value
from probe4d.wording import counted

__all__ = ["PointList", "point_lists"]

_GROUP = re.compile(
    r"\[([^\[\](){}\u27e8\u27e9]*)\]|\(([^\[\](){}\u27e8\u27e9]*)\)|\{([^\[\](){}\u27e8\u27e9]*)\}"
    r"|\u27e8([^\[\](){}\u27e8\u27e9]*)\u27e9"
)
_ANGLED = re.compile(r"<([-+0-9.,;\s]{3,80})>")
_LONGEST_GROUP = 2_000
_NUMBER = (
    r"[-+\u2212\u2010-\u2013]?[ ]?(?:\.?[0-9][0-9.,'\u2019_]{0,30}(?:[eE][-+]?[0-9]{1,2})?|nan|inf(?:inity)?)"
    r"(?:[ ]?[A-Za-z]{1,12}(?!\w))?"
)
_AXIS = (
    r"[\"']?(?:[xy]_?[0-9]{0,2}|forward|left|longitudinal|lateral)(?:_m)?(?:[ ]?\(m\))?[\"']?\s{0,3}[:=\u2248]\s{0,3}"
)
_BETWEEN_AXES = r"(?:\s{0,3}[,;/|]\s{0,3}(?:and[ ])?|[ ](?:and[ ])?|\n[ \t-]{0,8})"
_NAMED = re.compile(rf"(?<![\w.]){_AXIS}{_NUMBER}{_BETWEEN_AXES}{_AXIS}{_NUMBER}", re.IGNORECASE)
_COLUMN = re.compile(r"(?:^|[\s{,;(\[*|])[\"']?([A-Za-z_]{1,24}(?:[ ]?\(m\))?)[\"']?\s{0,3}[:=]\s{0,3}[\[({]?$")
_NEAR = 120
_OF_A_LIST = """
m meter meters metre metres s sec secs second seconds ms t dt time at after in by to and then next finally last lastly
first second third fourth fifth sixth seventh eighth ninth tenth st nd rd th of point points waypoint waypoints wp
position positions pos p w step steps frame frames index i id xy xyz coordinate coordinates future past predicted ego
vehicle car it we i ll will would be is was are were the a an our its from now ago later moves moved moving reaches
reached location located place
"""
_WORDS_BETWEEN = frozenset(_OF_A_LIST.split())
"""Words that may stand between two points of one list."""
_WORD = re.compile(r"[^\W\d_]+")
_BREAKS = re.compile(r"[\])}\u27e9][^\[({\u27e8]*[\[(\u27e8]|\.\.\.|\u2026")
_LEFT_OUT = "leaves points out"
_LEAVES_OUT = re.compile(r"\.\.\.|\u2026|\betc\b")
_OPENS, _CLOSES = "[({\u27e8", "])}\u27e9"
_BRACKET = re.compile(r"[\[\](){}\u27e8\u27e9]")
_DIGITS = re.compile(r"[0-9]+(?:[.,][0-9]+)?")
_NUMBERS_BETWEEN = 2
"""Numbers that may stand between two points of one list: that of the waypoint and its time."""
_NAMES_ALONE = re.compile(r"[\[({]\s{0,3}x_?[0-9]{0,2}\s{0,3},\s{0,3}y_?[0-9]{0,2}\s{0,3}[\])}]", re.IGNORECASE)


@dataclass(frozen=True)
class PointList:
    """A list of points as it stands in a reply.

    Attributes:
        start: First character of its first point.
        end: Character after its last point.
        points: Its points, in order.
        closed: Whether a bracket around it is closed after its last point.
        whole: Whether that bracket was opened before its first point, too.
        fault: Why it cannot be read though it is one, in words; null where it can.
    """

    start: int
    end: int
    points: tuple[tuple[float, float], ...]
    closed: bool
    whole: bool = False
    fault: str | None = None


@dataclass
class _Item:
    """Something that may be a point.

    Attributes:
        start: First character.
        end: Character after the last.
        read: What it holds.
        enclosed: Whether it stands in brackets of its own.
        depth: How many brackets are open around it.
    """

    start: int
    end: int
    read: Coordinates
    enclosed: bool = True
    depth: int = 0


@dataclass
class _Open:
    """A list that may go on."""

    items: list[_Item] = field(default_factory=list)
    fault: str | None = None


def point_lists(text: str) -> list[PointList]:
    """Find all lists of points of a text without markup, in order."""
    text = _NAMES_ALONE.sub(lambda names: " " * len(names[0]), text)
    columns, items = _columns(text, _items(text))
    points = [item for item in items if len(item.read.values) > 1 or (item.read.fault and not item.read.values)]
    if not points and not columns:
        points = list(_lines(text))
    _measure_depths(text, points)
    lists = [_closed(text, one) for one in _grouped(text, points)]
    return sorted([*columns, *lists], key=lambda one: one.start)


def _measure_depths(text: str, items: Sequence[_Item]) -> None:
    """Count the brackets that are open around each item."""
    depth, place = 0, 0
    for item in items:
        for bracket in _BRACKET.finditer(text, place, item.start):
            depth = depth + 1 if bracket[0] in _OPENS else max(0, depth - 1)
        item.depth, place = depth, item.end


def _items(text: str) -> list[_Item]:
    """Brackets with values in them, and named pairs outside of any."""
    found = []
    for hit in (*_GROUP.finditer(text), *(_ANGLED.finditer(text) if "<" in text else ())):
        content = next(part for part in hit.groups() if part is not None)
        read = coordinates(content) if len(content) <= _LONGEST_GROUP else None
        if read is not None:
            found.append(_Item(hit.start(), hit.end(), read))
    found.sort(key=lambda item: item.start)
    return sorted([*found, *_named(text, found)], key=lambda item: item.start)


def _named(text: str, enclosed: Sequence[_Item]) -> Iterator[_Item]:
    place = 0
    for hit in _NAMED.finditer(text):
        while place < len(enclosed) and enclosed[place].end <= hit.start():
            place += 1
        if place < len(enclosed) and enclosed[place].start < hit.end():
            continue
        read = coordinates(hit[0].replace("\n", ", ", 1) if "," not in hit[0] else hit[0])
        if read is not None:
            yield _Item(hit.start(), hit.end(), read, enclosed=False)


def _columns(text: str, items: Sequence[_Item]) -> tuple[list[PointList], Sequence[_Item]]:
    """Lists that are given as one list of x and one of y: `"x": [1.2, 2.4], "y": [0.1, 0.2]`.

    Returns:
        The lists, and the items that are part of none.
    """
    named = [(axis, item) for item in items if (axis := _axis_before(text, item)) is not None]
    ones, others = named[::2], named[1::2]
    used = {item.start for _, item in named}
    rest = [item for item in items if item.start not in used]
    axes = [axis for axis, _ in named]
    if len(ones) == len(others) and all({*axes[place : place + 2]} == {"x", "y"} for place in range(0, len(axes), 2)):
        return [_of_columns(*pair) for pair in zip(ones, others, strict=True)], rest
    apart = "gives a list of x or y without one of the other"
    return [PointList(named[0][1].start, named[-1][1].end, (), closed=True, fault=apart)], rest


def _axis_before(text: str, item: _Item) -> str | None:
    """The axis of which an item in brackets is a list, by the name right before it; null without."""
    if not item.enclosed or item.read.named:
        return None
    label = _COLUMN.search(text, max(0, item.start - 40), item.start)
    return None if label is None else axis_named(label[1])


def _of_columns(one: tuple[str, _Item], other: tuple[str, _Item]) -> PointList:
    (_, x), (_, y) = sorted((one, other), key=lambda column: column[0])
    values = [*x.read.values, *y.read.values]
    fault = x.read.fault or y.read.fault or _mixed(values)
    if len(x.read.values) != len(y.read.values):
        fault = "gives another number of x than of y"
    pairs = () if fault else _pairs(list(zip(x.read.values, y.read.values, strict=True)))
    return PointList(one[1].start, other[1].end, pairs, closed=True, whole=True, fault=fault)


def _grouped(text: str, points: Sequence[_Item]) -> list[_Open]:
    """Points with nothing between them but what may stand between points of one list."""
    lists = [_Open([item]) for item in points[:1]]
    for before, item in pairwise(points):
        between = text[before.end : item.start]
        if before.depth == item.depth and _goes_on(between):
            lists[-1].items.append(item)
            continue
        lists.append(_Open([item]))
        if len(between) <= _NEAR and _LEAVES_OUT.search(between):
            lists[-1].fault = lists[-2].fault = _LEFT_OUT
    return lists


def _goes_on(between: str) -> bool:
    if len(between) > _NEAR or _BREAKS.search(between) or len(_DIGITS.findall(between)) > _NUMBERS_BETWEEN:
        return False
    return all(word.lower() in _WORDS_BETWEEN for word in _WORD.findall(between))


def _closed(text: str, one: _Open) -> PointList:
    start, end = one.items[0].start, one.items[-1].end
    after = text[end : end + _NEAR].lstrip(" \t\r\n,;m.\"'")
    fault = one.fault or next((item.read.fault for item in one.items if item.read.fault), None)
    if fault is None and _LEAVES_OUT.match(text[end : end + _NEAR].lstrip(" \t\r\n,;")):
        fault = _LEFT_OUT
    sizes = {len(item.read.values) for item in one.items}
    if fault is None and sizes != {2}:
        fault = f"gives points of {max(sizes)} numbers"
    if fault is None and len({item.read.named for item in one.items}) > 1:
        fault = "names the axes of some points alone"
    fault = fault or _mixed([value for item in one.items for value in item.read.values])
    pairs = () if fault else _pairs([item.read.values for item in one.items])
    closed = bool(after) and after[0] in _CLOSES
    return PointList(start, end, pairs, closed, whole=closed and one.items[0].depth > 0, fault=fault)


def _pairs(points: Sequence[Sequence[Value]]) -> tuple[tuple[float, float], ...]:
    return tuple((x.metres or 0.0, y.metres or 0.0) for x, y in points)


def _mixed(values: Sequence[Value]) -> str | None:
    """Why values that can be read one by one do not fit together; null where they do."""
    if len({value.decimal for value in values} - {None}) > 1:
        return "parts decimals by points here and by commas there"
    if any(value.converted for value in values) and not all(value.measured for value in values):
        return "gives a unit other than metres with some values alone"
    return None


# Tables and bare lines.

_MARKER = re.compile(
    r"[ \t]*(?:(?:[-*+\u2022]|\d{1,2}[.)]"
    r"|(?:t|step|waypoint|wp|point|p)?[ ]?[=#]?[ ]?\+?[0-9.]{1,5}[ ]?s?[ ]?[:\u2192])[ \t]+)?",
    re.IGNORECASE,
)


def _lines(text: str) -> Iterator[_Item]:
    """Points that stand a line each: below a heading that names x and y, or two numbers and nothing else."""
    place = 0
    header: list[str] = []
    for line in text.splitlines(keepends=True):
        start, place = place, place + len(line)
        bare = line.strip().strip("|").strip()
        if not bare or set(bare) <= set("-:|+ "):
            continue
        cells = _cells(bare)
        axes = [axis_named(cell) for cell in cells]
        if "x" in axes and "y" in axes and not any(map(str.isdigit, bare)):
            header = cells
            continue
        read = _row(bare, cells, header)
        if read is None and not any(map(str.isalpha, bare)) and any(map(str.isdigit, bare)):
            read = Coordinates((), fault=f"gives points of {counted(len(cells), 'number')}")
        if read is None:
            header = []
            continue
        yield _Item(start, start + len(line.rstrip()), read, enclosed=False)


def _cells(line: str) -> list[str]:
    if "|" in line or "\t" in line:
        return [cell.strip() for cell in re.split(r"[|\t]", line)]
    return [cell.strip() for cell in line.split(",")] if "," in line else line.split()


def _row(line: str, cells: Sequence[str], header: Sequence[str]) -> Coordinates | None:
    if header:
        if len(cells) != len(header):
            return None
        named = {axis_named(name): read_value(cell) for name, cell in zip(header, cells, strict=True)}
        x, y = named.get("x"), named.get("y")
        return None if x is None or y is None else Coordinates((x, y), fault=x.fault or y.fault)
    marker = _MARKER.match(line)
    read = coordinates(line[marker.end() if marker else 0 :].rstrip("."))
    return read if read is not None and len(read.values) == 2 else None
