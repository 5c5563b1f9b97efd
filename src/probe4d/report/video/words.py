"""Words of datasets and models in pictures: visible characters only, wrapped, and cut where there is no room."""

from __future__ import annotations

from PIL import Image

from probe4d.evidence.lettering import letter, line_px, width_px
from probe4d.report.drawing import printable
from probe4d.report.video.colours import Colour

__all__ = ["cut_to", "fitted", "plain", "wrapped", "write_lines"]

_MOST_CHARACTERS = 4000
"""More than any picture has room for."""


def plain(text: str) -> str:
    """A text as one line of visible characters: white space becomes a space, what steers a display U+FFFD."""
    return printable(" ".join(text[:_MOST_CHARACTERS].split()))


def wrapped(text: str, width: int, size_px: int) -> list[str]:
    """A text in lines that are no wider than some pixels, broken at spaces, and within words that are wider."""
    lines: list[str] = []
    line = ""
    for word in plain(text).split(" "):
        joined = f"{line} {word}" if line else word
        if width_px(joined, size_px) <= width:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while width_px(line, size_px) > width and len(line) > 1:
            fits = _fitting(line, width, size_px)
            lines.append(line[:fits])
            line = line[fits:]
    return [*lines, line] if line else lines


def cut_to(lines: list[str], most: int, width: int, size_px: int) -> list[str]:
    """The first lines of a text, with `…` at the end of the last where there were more."""
    if len(lines) <= most:
        return lines
    if most < 1:
        return []
    last = lines[most - 1]
    while last and width_px(f"{last}…", size_px) > width:
        last = last[:-1]
    return [*lines[: most - 1], f"{last}…"]


def fitted(text: str, width: int, size_px: int) -> str:
    """A line of visible characters, cut where it is wider than some pixels."""
    line = plain(text)
    return line if width_px(line, size_px) <= width else cut_to([line, ""], 1, width, size_px)[0]


def write_lines(image: Image.Image, text: str, box: tuple[int, int, int, int], *, fill: Colour, size_px: int) -> None:
    """Write a text into a box, cut where it has no room: left, top, right and bottom in pixels."""
    left, top, right, bottom = box
    step = line_px(size_px)
    lines = cut_to(wrapped(text, right - left, size_px), (bottom - top) // step, right - left, size_px)
    for number, line in enumerate(lines):
        above = top + number * step
        letter(image, line, (left, above, right, above + step), fill=fill, size_px=size_px)


def _fitting(word: str, width: int, size_px: int) -> int:
    """How many first letters of a word are no wider than some pixels; at least one."""
    low, high = 1, len(word)
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if width_px(word[:middle], size_px) <= width else (low, middle - 1)
    return low
