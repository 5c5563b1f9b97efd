"""Outlines of the boxes that questions name, in the pictures of a video while the questions stand beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor

from probe4d.benchmarks.facts import measured_objects, target_of, witness_of
from probe4d.benchmarks.question import Question
from probe4d.evidence.outlines import RED, Colour, Outline, draw_outlines
from probe4d.report.pointed_out import DECIDES, Kind, pointed_out
from probe4d.report.theme import DARK
from probe4d.report.video.drawn_scene import DrawnScene
from probe4d.report.video.exchanges import Exchange, is_numbered
from probe4d.report.video.lines import Bounds, bounds_in_picture
from probe4d.report.video.viewpoints import Viewpoint
from probe4d.report.video.words import plain

__all__ = ["Marking"]

_MEASURED = "(measured)"
"""Behind the class of a box that the answer of a model was held against."""


class _Named(NamedTuple):
    """A track that a question names, what its tag says, and its colour."""

    track: str
    text: str
    colour: Colour


class _Wanted(NamedTuple):
    """A box that facts name, by its token or else by its track.

    Attributes:
        box: Token of the box.
        track: Its track.
        colour: Of its outline.
        words: What its tag says.
        follows_kind: Whether they follow the box's class.
    """

    box: str | None
    track: str | None
    colour: Colour
    words: str = ""
    follows_kind: bool = False


class Marking:
    """Outlines boxes along their tracks.

    A box has the colour that it has in the report's pictures, by what it is to the question; the target that a question
    shows in a red box is red. Boxes are those of the facts: of what a question names by its class alone none is
    guessed.

    Args:
        recorded: The scene.
        exchanges: The questions beside the video.
    """

    def __init__(self, recorded: DrawnScene, exchanges: Sequence[Exchange]) -> None:
        self._recorded = recorded
        self._exchanges = exchanges
        self._is_numbered = is_numbered(exchanges)
        self._named = [tuple(_named(exchange.asks, recorded)) for exchange in exchanges]

    def draw(
        self,
        image: Image.Image,
        viewpoint: Viewpoint | None,
        corners_m: NDArray[np.float64],
        frame: int,
        channel: str | None = None,
    ) -> list[Bounds]:
        """Outline the named boxes that a picture of a key frame shows, and their tags beside them.

        Args:
            image: RGB; changed.
            viewpoint: From where boxes are seen; null where that is not known.
            corners_m: Corners of all boxes of the key frame, in the frame that the viewpoint sees, shape (n, 8, 3).
            frame: The key frame.
            channel: The camera whose image it is; null for a picture of the LiDAR's points.

        Returns:
            Where tags stand, for which other labels leave room.
        """
        rows = {track: row for row, track in enumerate(self._recorded.tracks(frame))}
        outlines: list[Outline] = []
        of_row: dict[int, int] = {}
        for exchange, named in zip(self._exchanges, self._named, strict=True):
            if not exchange.shown[0] <= frame <= exchange.shown[1]:
                continue
            number = str(exchange.slot + 1) if self._is_numbered else ""
            in_red = _red_box(exchange.asks, frame, channel, image.size)
            if in_red is not None:
                outlines.append(Outline(*in_red, number, RED))
            for one in named:
                row = rows.get(one.track)
                if row is None or viewpoint is None or (one.colour == RED and in_red is not None):
                    continue
                text = f"{number} {one.text}".strip()
                if row in of_row:
                    outlines[of_row[row]] = _with(outlines[of_row[row]], text)
                elif (bounds := bounds_in_picture(viewpoint, corners_m[row])) is not None:
                    of_row[row] = len(outlines)
                    outlines.append(Outline(*bounds, text, one.colour))
        return draw_outlines(image, outlines)


def _red_box(question: Question, frame: int, channel: str | None, size_px: tuple[int, int]) -> Bounds | None:
    """Where in this image the question's facts have its red box, pixels; null where they have none here."""
    target = target_of(question)
    if target is None or (target.frame, target.channel) != (frame, channel):
        return None
    (width, height), (left, top, right, bottom) = size_px, target.bounds
    return left * width, top * height, right * width, bottom * height


def _with(outline: Outline, text: str) -> Outline:
    """An outline of a box that is named once more: its tag says both."""
    texts = [part for part in (outline.text, text) if part]
    return outline._replace(text=", ".join(dict.fromkeys(texts)))


def _named(question: Question, recorded: DrawnScene) -> Iterator[_Named]:
    """The tracks that a question names, each once in each colour."""
    wanted = list(_wanted(question))
    known = recorded.named([one.box for one in wanted if one.box is not None])
    texts: dict[tuple[str, Colour], list[str]] = {}
    for one in wanted:
        track, kind = (one.track, "") if one.box is None else known.get(one.box, (None, ""))
        if track is not None:
            words = f"{kind} {one.words}" if one.follows_kind else one.words
            texts.setdefault((track, one.colour), []).append(plain(words).strip())
    for (track, colour), several in texts.items():
        yield _Named(track, ", ".join(filter(None, dict.fromkeys(several))), colour)


def _wanted(question: Question) -> Iterator[_Wanted]:
    """What facts name: objects that a rule measured, the witness, or else what an answer was held against."""
    has_target = target_of(question) is not None
    objects = pointed_out(question)
    for place, (kind, _, label, one) in enumerate(objects):
        if has_target and not place:
            yield _Wanted(one.box, one.track, RED)
        else:
            yield _Wanted(one.box, one.track, _colour_of(kind), label)
    witness = witness_of(question)
    if witness is not None:
        yield _Wanted(witness, None, _colour_of("witness"), DECIDES, follows_kind=True)
    for one in () if objects else measured_objects(question):
        yield _Wanted(one.box, one.track, _colour_of("witness"), _MEASURED, follows_kind=True)


def _colour_of(kind: Kind) -> Colour:
    return cast("Colour", ImageColor.getrgb(DARK[f"lit-{kind}"]))
