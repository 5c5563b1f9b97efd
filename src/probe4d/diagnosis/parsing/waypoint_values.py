"""Reads what stands between one pair of brackets, or in one line, as a point of the ground plane, or says why not.

A comma may part values, decimals or thousands. Which of them it does is told by the commas of the same bracket; where
that leaves two readings there is none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from probe4d.diagnosis.parsing.quantities import number_value
from probe4d.diagnosis.parsing.units import unit_after

__all__ = ["Coordinates", "Value", "axis_named", "coordinates", "read_value"]

_AXES = {
    "x": frozenset({"x", "x_m", "xm", "x_coord", "x_coordinate", "forward", "forward_m", "ahead", "longitudinal"}),
    "y": frozenset({"y", "y_m", "ym", "y_coord", "y_coordinate", "left", "left_m", "lateral"}),
}
"""What each axis may be called, in small letters with `_` for blanks."""

_NO_NUMBER = "holds a value that is no number"
_MALFORMED = "holds a number that reads in two ways, or a calculation"
_OTHER_UNIT = "gives a unit of another kind"
_DIRECTED = "gives a value with a direction in words"
_ONE_AXIS = "names one axis of a point and not the other"
_TOO_FAR = "gives a place more than 100 km away"

_FARTHEST_M = 100_000.0

_MINUS = str.maketrans("\u2212\u2010\u2011\u2012\u2013", "-----")
_LABEL = re.compile(
    r"[\"'\u201c\u201d]?([A-Za-z\u0394][A-Za-z_ ]{0,20}?[0-9]{0,3})[\"'\u201c\u201d]?\s*(?:[:=\u2248]|\bis\b)\s*"
)
_NUMBERED = re.compile(r"([xy])_?[0-9]{1,2}")
_UNIT_OF_LABEL = re.compile(r"(?P<name>.*?)[ _]*[(\[]?(?:in )?(?:m|met(?:er|re)s?)[)\]]?", re.IGNORECASE)
_NUMBER = re.compile(
    r"([-+]?) ?((?:[0-9][0-9.,'\u2019_]*|\.[0-9]+)(?:[eE][+-]?[0-9]{1,2})?)(?![0-9A-Za-z_]*[0-9_])", re.ASCII
)
_NOT_FINITE = re.compile(r"[-+]?(?:nan|inf(?:inity)?|null|none|n/?a|undefined|\?+|-+|\u221e)", re.IGNORECASE)
_DIRECTION = re.compile(r"\b(?:left|right|ahead|forward|behind|back\w*|rear)\b", re.IGNORECASE)

_SPACED_COMMA = re.compile(r"\s*,\s+|\s+,\s*")
_COMMA_BEFORE_OTHERS = re.compile(r",(?![0-9])")
_BLANK_BETWEEN = re.compile(r"\s+(?=[-+.]?[0-9]|[\"']?[A-Za-z_]{1,20}[\"']?\s*[:=]|[-+]?(?:nan|inf)\b)", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{3,}")
_AND = re.compile(r"\s+and\s+", re.IGNORECASE)


class Value(NamedTuple):
    """One value.

    Attributes:
        axis: `x` or `y`, `other` for what has another name, null without a name.
        metres: The value; null where there is a fault.
        measured: Whether a unit stands behind it.
        converted: Whether that unit is another one than metres.
        decimal: The sign that parts decimals, `.` or `,`; null without.
        fault: Why it is none, in words.
    """

    axis: str | None
    metres: float | None = None
    measured: bool = False
    converted: bool = False
    decimal: str | None = None
    fault: str | None = None


class Coordinates(NamedTuple):
    """What stands between two brackets.

    Attributes:
        values: Its values, those with another name left out, x before y where they are named.
        named: Whether they are named.
        fault: Why it is no point, in words; null where it is one, or holds another number of values.
    """

    values: tuple[Value, ...]
    named: bool = False
    fault: str | None = None


def axis_named(name: str) -> str | None:
    """The axis that a name stands for, `x` or `y`; null for any other."""
    plain = name.strip(" \"'*_`").lower().replace(" ", "_")
    unit = _UNIT_OF_LABEL.fullmatch(plain)
    names = {plain, unit["name"].strip("_") if unit else plain, _NUMBERED.sub(r"\1", plain)}
    return next((axis for axis, known in _AXES.items() if names & known), None)


def coordinates(text: str) -> Coordinates | None:
    """Read values with commas, semicolons or blanks between them; null for a text that holds other things.

    Args:
        text: What stands between two brackets that hold no others.
    """
    parts = _split_values(text)
    if not parts:
        return None
    values = [read_value(part) for part in parts]
    if any(value is None for value in values):
        # A text in brackets is no point, but two parts with digits and without words are meant as one.
        two = len(parts) == 2 and all(any(map(str.isdigit, part)) and not _WORD.search(part) for part in parts)
        return Coordinates((), fault=_MALFORMED) if two else None
    return _pointed([value for value in values if value is not None and value.axis != "other"])


def _pointed(values: Sequence[Value]) -> Coordinates:
    axes = [value.axis for value in values]
    fault = next((value.fault for value in values if value.fault is not None), None)
    if not any(axes):
        return Coordinates(tuple(values), fault=fault)
    if sorted(map(str, axes)) != ["x", "y"]:
        return Coordinates(tuple(values), named=True, fault=fault or _ONE_AXIS)
    return Coordinates(tuple(sorted(values, key=lambda value: str(value.axis))), named=True, fault=fault)


def _split_values(text: str) -> list[str]:
    """Part a text at the signs that part its values; null values keep their place.

    A semicolon parts before any comma does. Commas part if all are written alike; where some are followed by a blank
    and others are not, those with the blank part, and the others belong to numbers.
    """
    text = " ".join(text.translate(_MINUS).split()).strip(",; ")
    if not text:
        return []
    for mark in (";", "|"):
        if mark in text:
            return [part.strip() for part in text.split(mark)]
    if "," not in text:
        return [part.strip() for part in (_AND if _AND.search(text) else _BLANK_BETWEEN).split(text)]
    if _SPACED_COMMA.search(text) and not _unspaced_style(text):
        return [part.strip() for part in _SPACED_COMMA.split(text)]
    return [part.strip() for part in text.split(",")]


def _unspaced_style(text: str) -> bool:
    """Whether some comma without a blank beside it parts values, so that all such commas may."""
    return any(
        not text[hit.end() : hit.end() + 1].isspace() and not text[: hit.start()][-1:].isspace()
        for hit in _COMMA_BEFORE_OTHERS.finditer(text)
    )


def read_value(text: str) -> Value | None:
    """Read one value with its name and unit, if it has these; null for what is none."""
    axis, name = None, ""
    label = _LABEL.match(text)
    if label:
        name = label[1]
        axis = axis_named(name) or "other"
        text = text[label.end() :]
    text = text.strip().strip("\"'\u201c\u201d").strip()
    if label and _DIRECTION.search(name) and axis == "other":
        return Value(None, fault=_DIRECTED)
    if _NOT_FINITE.fullmatch(text):
        return Value(axis, fault=_NO_NUMBER)
    found = _NUMBER.match(text)
    if found is None:
        return Value(axis) if axis == "other" else None
    return _measured(axis, found, text)


def _measured(axis: str | None, found: re.Match[str], text: str) -> Value | None:
    digits = found[2].removesuffix(".")  # `1.` as numpy writes it
    value, rest = number_value(digits), text[found.end() :].strip()
    if value is None:
        return Value(axis, fault=_MALFORMED)
    unit = unit_after(text, found.end(), "metres")
    if rest and unit is None:
        if axis == "other":
            return Value(axis)
        return Value(axis, fault=_OTHER_UNIT) if re.fullmatch(r"[A-Za-z%\u00b0/]{1,12}", rest) else None
    end, factor = unit or (found.end(), 1.0)
    behind = text[end:].strip(" .")
    if behind:
        return Value(axis, fault=_DIRECTED) if _DIRECTION.search(behind) else None
    metres = (-value if found[1] == "-" else value) * factor
    if abs(metres) > _FARTHEST_M:
        return Value(axis, fault=_TOO_FAR)
    return Value(axis, metres + 0.0, unit is not None, factor != 1.0, _decimal_sign(digits))


def _decimal_sign(digits: str) -> str | None:
    signs = [sign for sign in digits if sign in ".,"]
    return signs[-1] if signs else None
