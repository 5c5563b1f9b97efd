"""Panels of camera images: what questions about one camera's view speak of, outlined where the image shows it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.facts import option_measures, witness_of
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.source import SceneNames
from probe4d.benchmarks.suites import deciding_size
from probe4d.report.measured import asked_for, in_units
from probe4d.report.pointed_out import DECIDES, Kind, pointed_out
from probe4d.report.shapes import Label, Panel, Point, Shape, apart
from probe4d.scenes.image_boxes import image_boxes_in
from probe4d.scenes.tables import Scenes

__all__ = ["WIDTH", "CameraPanels", "CameraView"]

WIDTH = 800.0
"""Width of a camera panel in drawing units."""

LINE_HEIGHT = 19.0
LETTER_WIDTH = 8.8  # of the bold 15-unit labels, on average
WIDEST_LETTER_WIDTH = 11.8  # of the same on a phone, whose labels are larger
EDGE = 4.0

_PLACE = ["scene", "frame", "channel"]


class CameraView(NamedTuple):
    """One image of one camera.

    Attributes:
        file: Of the image, relative to the dataset's folder.
        size_px: Width and height, as the dataset's tables have them.
    """

    file: str
    size_px: tuple[int, int]


class _Object(NamedTuple):
    """A box of the scenes: centre in the ego frame of its key frame, and size, metres."""

    category: str
    label: str | None
    x: float
    y: float
    z: float
    width: float
    height: float

    def away_m(self, other: _Object | None = None) -> float:
        """Distance from another box's centre, or from the ego origin, in space."""
        origin = (0.0, 0.0, 0.0) if other is None else (other.x, other.y, other.z)
        return math.dist((self.x, self.y, self.z), origin)


class _Shown(NamedTuple):
    """An outlined object: corners of its image box in drawing units."""

    kind: Kind
    words: str
    left: float
    top: float
    right: float
    bottom: float
    object: _Object

    @property
    def centre(self) -> Point:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2


class CameraPanels:
    """Draws what questions about one camera's view speak of, over that view.

    Args:
        scenes: The scenes.
        questions: All questions that will be asked for; those without a channel have no camera panel.

    Attributes:
        views: The camera images of these questions, by key.

    Raises:
        InputError: A camera reading asked about has no image size, or no intrinsics of a pinhole camera.
    """

    def __init__(self, scenes: Scenes, questions: Iterable[Question]) -> None:
        self._names = SceneNames(scenes)
        asked = [question for question in questions if question.channel is not None]
        places = pl.DataFrame(
            [place for question in asked if (place := self._place(question)) is not None],
            schema={"scene": pl.String, "frame": pl.Int32, "channel": pl.String},
            orient="row",
        ).unique()
        tokens = pl.Series(sorted({token for question in asked for token in _tokens(question)}), dtype=pl.String)
        shown = image_boxes_in(scenes, places, tokens)
        cameras = scenes.sensors.filter(pl.col("modality") == "camera").join(places, on=_PLACE, how="semi")
        self.views = {
            _key(*place): CameraView(file, (width, height))
            for *place, file, width, height in cameras.select(*_PLACE, "file", "width", "height").iter_rows()
        }
        edges = ("left_px", "top_px", "right_px", "bottom_px")
        self._bounds = {
            (_key(scene, frame, channel), token): bounds
            for scene, frame, channel, token, *bounds in shown.select(*_PLACE, "token", *edges).iter_rows()
        }
        boxes = scenes.boxes.filter(pl.col("token").is_in(tokens.implode()))
        columns = ("category", "label", "ego_x", "ego_y", "ego_z", "width", "height")
        self._objects = {
            token: _Object(*measures)
            for token, *measures in boxes.select("token", *columns).drop_nulls(columns[2:]).iter_rows()
        }

    def key(self, question: Question) -> str | None:
        """Key of the view that a question is about; null where it is about none that the scenes have."""
        place = self._place(question)
        key = None if place is None else _key(*place)
        return key if key in self.views else None

    def panel(self, question: Question) -> Panel | None:
        """The panel of a question; null where it is about no view that the scenes have."""
        key = self.key(question)
        if key is None:
            return None
        wide, high = self.views[key].size_px
        height = round(WIDTH * high / wide, 1)
        shown, hidden = self._shown(question, key, WIDTH / wide)
        shapes = [
            shape for one in shown for shape in (Shape("rim", _outline(one)), Shape(f"box {one.kind}", _outline(one)))
        ]
        labels = list(_names(question, shown, height))
        for start, end, text in _lines(question, shown):
            shapes.append(Shape("between", f"M{start[0]:.1f} {start[1]:.1f}L{end[0]:.1f} {end[1]:.1f}"))
            if text:
                across, down = ((one + other) / 2 for one, other in zip(start, end, strict=True))
                half = WIDEST_LETTER_WIDTH * len(text) / 2
                across = min(max(across, half + EDGE), WIDTH - half - EDGE)
                labels.append(Label("between", round(across, 1), round(down, 1), "middle", text))
        if hidden:
            told = f"outside this image: {', '.join(hidden)}"
            labels.append(Label("absent", WIDTH / 2, height - 2 * EDGE, "middle", told))
        title = f"{question.channel}, frame {question.frames[0]:03d}"
        placed = apart(labels, height=height, gap=LINE_HEIGHT, letter_width=LETTER_WIDTH)
        return Panel(title, height, None, None, shapes, placed, width=WIDTH, photograph=key)

    def _place(self, question: Question) -> tuple[str, int, str] | None:
        scene = self._names.of(question)
        if scene is None or question.channel is None or not question.frames:
            return None
        return scene, question.frames[0], question.channel

    def _shown(self, question: Question, key: str, scale: float) -> tuple[list[_Shown], list[str]]:
        """The objects outlined, and the words of those that the image does not show."""
        shown, hidden = [], []
        for kind, words, token in _wanted(question):
            bounds, known = (
                (None, None) if token is None else (self._bounds.get((key, token)), self._objects.get(token))
            )
            if kind == "witness" and known is not None:
                words = f"{known.label or known.category} {words}"
            if bounds is None or known is None:
                hidden.append(words)
            else:
                left, top, right, bottom = (round(edge * scale, 1) for edge in bounds)
                shown.append(_Shown(kind, words, left, top, right, bottom, known))
        return shown, hidden


def _wanted(question: Question) -> list[tuple[Kind, str, str | None]]:
    """What is to be outlined: kind, words with how it compares as an option, and token of the box."""
    wanted: list[tuple[Kind, str, str | None]] = []
    compared = option_measures(question)
    measures = [] if compared is None else [in_units(compared.one, value) for value in compared.values]
    for one in pointed_out(question):
        is_compared = one.kind in ("option", "right") and measures
        label = f"{one.label}, {measures.pop(0)}" if is_compared else one.label
        wanted.append((one.kind, label, one.object.box))
    witness = witness_of(question)
    return wanted if witness is None else [*wanted, ("witness", DECIDES, witness)]


def _key(scene: str, frame: int, channel: str) -> str:
    return f"{scene}|{frame}|{channel}"


def _tokens(question: Question) -> Iterator[str]:
    yield from (token for _, _, token in _wanted(question) if token is not None)


def _outline(one: _Shown) -> str:
    return f"M{one.left:g} {one.top:g}H{one.right:g}V{one.bottom:g}H{one.left:g}Z"


def _names(question: Question, shown: Sequence[_Shown], height: float) -> Iterator[Label]:
    """Words of each object beside its box, above it where there is room; of a single one with what was measured."""
    alone = _measure_of_one(question, shown[0]) if len(shown) == 1 else ""
    for one in shown:
        words = one.words + alone
        above, below, inside = one.top - EDGE, one.bottom + LINE_HEIGHT - EDGE, one.top + LINE_HEIGHT - EDGE
        y = above if above >= LINE_HEIGHT - EDGE else below if below <= height - EDGE else inside
        is_inside = one.left + WIDEST_LETTER_WIDTH * len(words) <= WIDTH - EDGE
        x, anchor = (max(one.left, EDGE), "start") if is_inside else (WIDTH - EDGE, "end")
        yield Label(one.kind, round(x, 1), round(y, 1), anchor, words)


def _measure_of_one(question: Question, one: _Shown) -> str:
    if one.kind != "witness":
        number = asked_for(question)
        return "" if number is None else f", {' '.join(number)}"
    size = deciding_size(question)
    if size is None:
        return f", {in_units('distance_m', one.object.away_m())}"
    return f", {size} {in_units('size_m', getattr(one.object, size))}"


def _lines(question: Question, shown: Sequence[_Shown]) -> Iterator[tuple[Point, Point, str]]:
    """Lines from what is asked about to what it is compared with: a pair, the options, or the box that decides."""
    targets = [one for one in shown if one.kind == "target"]
    if not targets:
        return
    first, others = targets[0], [*targets[1:], *(one for one in shown if one.kind != "target")]
    number = asked_for(question)
    for other in others:
        text = in_units("distance_m", other.object.away_m(first.object))
        if number is not None and number[0] != "distance":
            text = f"{text}, {' '.join(number)}"
        yield first.centre, other.centre, "" if other.kind in ("option", "right") else text
