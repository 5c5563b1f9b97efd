"""Questions of one template in one scene, with the objects that they are about: what is derived together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec
import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.comparing import TOLERANCE
from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.auditing.measuring import MeasuredScene
from probe4d.benchmarks.spatial_qa.audit.expected import EXPECTED, Expected, ToldObject
from probe4d.benchmarks.spatial_qa.reading import Asked, names_objects, read_stem

__all__ = ["Array", "Batch", "read_batch", "track_tail"]

_KEPT_TAIL = 8
"""How many characters of an instance token tell an entity from another of the same words."""

Array = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Batch:
    """Questions of one template in one scene, n of them, each of which mentions k objects.

    Attributes:
        template: Name of the template.
        scene: The scene.
        table: The questions.
        row: Row of each in the benchmark, shape (n,).
        facts: Facts of each.
        frame: Key frame of each, shape (n,).
        camera: Place of its camera in the scene's channels, shape (n,).
        boxes: Rows of the scene's boxes, those of entities and then those of options, shape (n, k).
        findings: Takes in what is wrong.
    """

    template: str
    scene: MeasuredScene
    table: pl.DataFrame
    row: Rows
    facts: Sequence[Any]
    frame: Rows
    camera: Rows
    boxes: Rows
    findings: Findings

    @property
    def expected(self) -> Expected:
        """What questions of the template have to look like."""
        return EXPECTED[self.template]

    @cached_property
    def told(self) -> list[tuple[ToldObject, ...]]:
        """What the facts tell of the objects."""
        return [tuple(facts.objects) for facts in self.facts]

    @cached_property
    def asked(self) -> list[Asked | None]:
        """What the texts ask; null where one is not how the template is worded."""
        return [read_stem(self.template, stem) for stem in self.table["question"]]

    @cached_property
    def labels(self) -> list[tuple[str, ...]]:
        """Words for the objects: those that the facts tell, else those of the text, or of the options."""
        columns = (self.told, self._named, self.table["options"].to_list())
        return [
            tuple(word if one.label is None else one.label for one, word in zip(told, (*named, *options), strict=True))
            for told, named, options in zip(*columns, strict=True)
        ]

    @cached_property
    def _named(self) -> list[tuple[str, ...]]:
        """Words for the objects that each text names: the entities if it can be read so, else what it says."""
        entities = self.table["entities"].to_list()
        tracks = self.scene.tracks[self.boxes[:, : self.expected.entities]].tolist()
        named = []
        for stem, asked, told, of in zip(self.table["question"], self.asked, entities, tracks, strict=True):
            words = tuple(
                (entity or "").removesuffix(track_tail(track)) for entity, track in zip(told, of, strict=True)
            )
            if asked is not None and words != asked.words and not names_objects(self.template, stem, words):
                words = asked.words
            named.append(words)
        return named

    @cached_property
    def answers(self) -> list[str]:
        """The stored answers."""
        return self.table["answer"].to_list()

    def fact(self, name: str) -> Array:
        """A measured fact of each question, null as NaN, shape (n,)."""
        return np.array([getattr(facts, name) for facts in self.facts], dtype=np.float64)

    def add(self, wrong: NDArray[np.bool_], what: Callable[[int], str], *, rule: str | None = None) -> None:
        """Add a finding for each question of a mask, shape (n,); `what` is given its place in the batch."""
        self.findings.add_where(wrong, self.row, what, rule=rule)

    def compare(self, name: str, stored: Sequence[Any], derived: Sequence[Any]) -> None:
        """Compare values that are no numbers, one a question."""
        wrong = np.array([a != b for a, b in zip(stored, derived, strict=True)], dtype=np.bool_)
        self.add(wrong, lambda place: f"{name}: stored {stored[place]!r}, derived {derived[place]!r}")

    def compare_numbers(
        self, name: str, stored: Array, derived: Array, *, tolerance: float | Array = TOLERANCE, turns: bool = False
    ) -> None:
        """Compare numbers, one a question, NaN where there is none.

        Args:
            name: What they are called.
            stored: The stored numbers, shape (n,).
            derived: The derived ones, shape (n,).
            tolerance: How far apart they may be.
            turns: Whether they are angles in degrees, of which whole turns do not count.
        """
        apart = stored - derived
        if turns:
            apart = (apart + 180) % 360 - 180
        near = np.abs(apart) <= tolerance
        wrong = ~(near | (np.isnan(stored) & np.isnan(derived)))
        self.add(wrong, lambda at: f"{name}: stored {_shown(stored[at])}, derived {_shown(derived[at])}")


def _shown(number: float) -> str:
    return "null" if np.isnan(number) else repr(float(number))


def track_tail(track: str) -> str:
    """What stands behind the words of an entity where they stand for several."""
    return f" ({track[-_KEPT_TAIL:]})"


def read_batch(template: str, scene: MeasuredScene, table: pl.DataFrame, findings: Findings) -> Batch:
    """Find the images and boxes that questions are about; those about none are findings, and left out.

    Args:
        template: Name of the template.
        scene: The scene, measured.
        table: Questions of the template in the scene, well formed, with `place`, their row in the benchmark.
        findings: Takes in what is wrong.
    """
    expected = EXPECTED[template]
    facts = [_decoded(text, expected) for text in table["facts"]]
    frame = table["frames"].list.first().to_numpy().astype(np.int64)
    channels = {channel: place for place, channel in enumerate(scene.channels)}
    camera = np.array([channels.get(channel, -1) for channel in table["channel"]], dtype=np.int64)
    none = [-1] * expected.objects
    boxes = np.array([_boxes(told, scene) or none for told in facts], dtype=np.int64).reshape(len(facts), -1)
    frame_of_box = np.append(scene.frame, -1)  # -1, no box, takes the last
    usable = (camera >= 0) & (frame >= 0) & (frame < scene.key_frames)
    usable &= (frame_of_box[boxes] == frame[:, None]).all(axis=1)
    usable &= (np.diff(np.sort(boxes, axis=1), axis=1) > 0).all(axis=1)
    usable &= np.array([not isinstance(told, str) for told in facts], dtype=np.bool_)
    row = table["place"].to_numpy()
    for at in np.flatnonzero(~usable).tolist():
        findings.add(int(row[at]), _fault(facts[at], scene, int(frame[at]), int(camera[at])))
    kept = np.flatnonzero(usable)
    known = [facts[at] for at in kept]
    return Batch(template, scene, table[kept], row[kept], known, frame[kept], camera[kept], boxes[kept], findings)


def _decoded(text: str, expected: Expected) -> Any:
    """Facts, or what is wrong with them in words."""
    try:
        facts = expected.facts.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"facts: {error}"
    if len(facts.objects) != expected.objects:
        return f"facts.objects: stored {len(facts.objects)}, and the question mentions {expected.objects}"
    return facts


def _boxes(told: Any, scene: MeasuredScene) -> list[int] | None:
    """Rows of the boxes that facts name, -1 for those that the scene lacks; null if the facts do not fit."""
    return None if isinstance(told, str) else [scene.row_of_token.get(one.box, -1) for one in told.objects]


def _fault(told: Any, scene: MeasuredScene, frame: int, camera: int) -> str:
    """Why a question is about nothing that can be measured."""
    if isinstance(told, str):
        return told
    if not 0 <= frame < scene.key_frames:
        return f"frame {frame} lies outside the scene's {scene.key_frames} key frames"
    if camera < 0:
        there = ", ".join(scene.channels) or "none"
        return f"no camera of the dataset has the channel that is asked about; its cameras: {there}"
    for one in told.objects:
        box = scene.row_of_token.get(one.box)
        if box is None:
            return f"the scene has no box {one.box}"
        if scene.frame[box] != frame:
            return f"box {one.box} is of key frame {scene.frame[box]}, and the question of {frame}"
    return f"a box stands for two objects: {', '.join(one.box for one in told.objects)}"
