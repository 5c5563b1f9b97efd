"""Outlined, lettered boxes on a photograph, legible whatever lies under them.

Everything is drawn bright with a dark rim, and words stand on a filled tag, so that neither snow nor night hides them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from PIL import Image, ImageDraw

from probe4d.evidence.lettering import letter, line_px, text_px, width_px

__all__ = ["COLOURS", "RED", "Box", "Colour", "Outline", "draw_outlines"]

Colour = tuple[int, int, int]
"""Red, green and blue, 0 to 255."""

COLOURS: tuple[Colour, ...] = (
    (255, 212, 0),
    (0, 209, 255),
    (255, 122, 214),
    (124, 255, 80),
    (255, 150, 60),
    (190, 160, 255),
)
"""Bright colours that tell objects of one picture apart."""

RED: Colour = (255, 40, 40)
"""Of the box around the target of a question that calls it the one in the red box (STRIDE, App. A.3)."""

_RIM: Colour = (0, 0, 0)
_DARK, _LIGHT = (0, 0, 0), (255, 255, 255)
_TYPE_TO_FRAME_NUMBERS = 1.35
"""Letters stand in the midst of a photograph, and are larger than the type in the margins of other pictures."""
_SIDE_PER_STROKE = 450

Box = tuple[float, float, float, float]
"""Left, top, right and bottom, pixels."""


class Outline(NamedTuple):
    """A box to be outlined.

    Attributes:
        left_px: Left border in the image that is drawn on; what lies outside the image is cut off.
        top_px: Upper border.
        right_px: Right border.
        bottom_px: Lower border.
        text: What its tag says, such as a letter; without it there is no tag.
        colour: Of outline and tag.
    """

    left_px: float
    top_px: float
    right_px: float
    bottom_px: float
    text: str = ""
    colour: Colour = COLOURS[0]


def draw_outlines(image: Image.Image, outlines: Sequence[Outline]) -> list[Box]:
    """Draw boxes, and their tags above all of them.

    A tag lies inside the image and touches what it names. Of its possible places it takes the one that hides least:
    other tags above all, then other boxes, then its own; the first of those that are alike.

    Args:
        image: An RGB image, which is changed; strokes and type go by its longest side.
        outlines: Boxes in the order in which their tags choose their places.

    Returns:
        Where the tags stand, pixels.
    """
    stroke_px = max(2, round(max(image.size) / _SIDE_PER_STROKE))
    size_px = round(text_px(max(image.size)) * _TYPE_TO_FRAME_NUMBERS)
    draw = ImageDraw.Draw(image)
    frames = [_framed(outline[:4], image.size, stroke_px) for outline in outlines]
    for outline, frame in zip(outlines, frames, strict=True):
        draw.rectangle(_within(frame), outline=_RIM, width=stroke_px + 2)
        draw.rectangle(_within(frame, 1), outline=outline.colour, width=stroke_px)
    tags: list[Box] = []
    for number, outline in enumerate(outlines):
        if outline.text:
            places = _beside(frames[number], _tag_size(outline.text, size_px))
            others = [frame for other, frame in enumerate(frames) if other != number]
            tags.append(_best(places, image.size, tags, others, frames[number]))
            _draw_tag(image, tags[-1], outline.text, outline.colour, size_px)
    return tags


def _framed(box: Box, size_px: tuple[int, int], stroke_px: int) -> Box:
    """What of a box lies in the image, grown by a stroke with a rim of one pixel on each side of it.

    So the stroke runs around what is in the box and not over it, but at the image's own borders.
    """
    grown = stroke_px + 1

    def within(place: float, side_px: int) -> int:
        return max(grown, min(round(place), side_px - 1 - grown))

    left, top, right, bottom = box
    width, height = size_px
    return (
        within(left, width) - grown,
        within(top, height) - grown,
        within(right, width) + grown + 1,
        within(bottom, height) + grown + 1,
    )


def _within(box: Box, by_px: int = 0) -> Box:
    """First and last pixels, as Pillow has them, of a box that is smaller on each side."""
    left, top, right, bottom = box
    return left + by_px, top + by_px, right - 1 - by_px, bottom - 1 - by_px


def _tag_size(text: str, size_px: int) -> tuple[int, int]:
    """Width and height of a tag, which is never higher than wide."""
    height = line_px(size_px)
    return max(height, width_px(text, size_px) + size_px // 2), height


def _beside(frame: Box, size: tuple[int, int]) -> Iterator[Box]:
    """Places of a tag outside a box, above, below and at both sides, then inside its corners."""
    left, top, right, bottom = frame
    width, height = size
    middle, upper = (left + right - width) / 2, (top + bottom - height) / 2
    for y in (top - height, bottom):
        yield from (_at(x, y, size) for x in (left, right - width, middle))
    for x in (left - width, right):
        yield from (_at(x, y, size) for y in (top, bottom - height, upper))
    for y in (top, bottom - height):
        yield from (_at(x, y, size) for x in (left, right - width))


def _at(left: float, top: float, size: tuple[int, int]) -> Box:
    return left, top, left + size[0], top + size[1]


def _best(places: Iterable[Box], size_px: tuple[int, int], tags: Sequence[Box], others: Sequence[Box], own: Box) -> Box:
    """The place, moved into the image, that hides least."""

    def hidden_px(place: Box) -> float:
        of_tags, of_others = (sum(_shared_px(place, one) for one in several) for several in (tags, others))
        return 100 * of_tags + 2 * of_others + _shared_px(place, own)

    return min((_moved_into(place, size_px) for place in places), key=hidden_px)


def _moved_into(box: Box, size_px: tuple[int, int]) -> Box:
    left, top, right, bottom = box
    across = max(0, min(0, size_px[0] - right) + left) - left
    down = max(0, min(0, size_px[1] - bottom) + top) - top
    return left + across, top + down, right + across, bottom + down


def _shared_px(one: Box, other: Box) -> float:
    """Area that two boxes have in common."""
    across = min(one[2], other[2]) - max(one[0], other[0])
    down = min(one[3], other[3]) - max(one[1], other[1])
    return max(0, across) * max(0, down)


def _draw_tag(image: Image.Image, box: Box, text: str, colour: Colour, size_px: int) -> None:
    left, top, right, bottom = (round(side) for side in box)
    ImageDraw.Draw(image).rectangle(_within((left, top, right, bottom)), fill=colour, outline=_RIM)
    ink = _DARK if sum(colour) > 3 * 128 else _LIGHT
    letter(image, text, (left, top, right, bottom), fill=ink, size_px=size_px, anchor="m")
