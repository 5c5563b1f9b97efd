"""Draws again what the seed decides of a question: its options and their order, the numbers of situations.

Which objects could have been options is known where letters stand for them, which all objects of an image have that
pass the filters. Captions may be lacking, so that there the order of the options alone is drawn again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.comparing import TOLERANCE
from probe4d.benchmarks.auditing.measuring import MeasuredScene
from probe4d.benchmarks.auditing.ranks import Ranks, mixed, rank, unit_interval
from probe4d.benchmarks.spatial_qa.audit.batch import Array, Batch

__all__ = ["Draws"]

Mask = NDArray[np.bool_]

_WIDTHS, _CLEARANCES, _SPARES = (15, 35), (2, 6), (1, 15)
"""Least and greatest of the numbers that are drawn, in tenths of a metre: of vehicles that pass, of room on each side
of a parked one, of what a spot has beyond that or lacks."""
_TENTHS = 10


class Draws:
    """What the seed draws about a scene.

    Args:
        name: Name of the scene.
        scene: The scene, measured.
        seed: Seed of the build.
        letters: Whether letters stand for objects, not captions.
    """

    def __init__(self, name: str, scene: MeasuredScene, seed: int, *, letters: bool) -> None:
        self._name = name
        self._scene = scene
        self._seed = seed
        self._letters = letters
        self._of_objects = np.zeros(scene.passes.shape, dtype=np.uint64)
        for camera, box in zip(*np.nonzero(scene.passes), strict=True):
            key = f"{scene.channels[camera]}/{scene.tokens[box]}"
            self._of_objects[camera, box] = rank(seed, "spatial-qa/objects", key)

    def check(self, batch: Batch) -> None:
        """Compare what is drawn of questions; of those about objects that cannot be asked about it is not known."""
        passes: Mask = np.all(self._scene.passes[batch.camera[:, None], batch.boxes], axis=1)
        if batch.expected.format == "choice":
            self._check_options(batch, passes)
        elif batch.template == "passing":
            first, second = self._ranks(batch).T
            drawn = self._tenths(_WIDTHS, "passing/width", first, second)
            self._compare(batch, passes, "vehicle_width_m", drawn, drawn)
        elif batch.template == "parking":
            self._check_spots(batch, passes)

    def _ranks(self, batch: Batch) -> Ranks:
        """Ranks of the objects of questions, shape (n, k)."""
        return self._of_objects[batch.camera[:, None], batch.boxes]

    def _drawn(self, draw: str, *keys: Ranks) -> Ranks:
        return mixed(rank(self._seed, f"spatial-qa/{draw}", ""), *keys)

    def _tenths(self, bounds: tuple[int, int], draw: str, *keys: Ranks) -> Array:
        """Whole tenths of a metre between two bounds, both included, each as likely."""
        least, greatest = bounds
        return least + np.floor(unit_interval(self._drawn(draw, *keys)) * (greatest - least + 1))

    def _compare(self, batch: Batch, passes: Mask, name: str, low: Array, high: Array) -> None:
        """Compare numbers in tenths; either of two is right where they round apart."""
        stored = batch.fact(name)
        wrong = np.minimum(*(np.abs(stored - tenths / _TENTHS) for tenths in (low, high))) > TOLERANCE
        batch.add(
            passes & (wrong | np.isnan(stored)),
            lambda at: f"facts.{name}: stored {stored[at]}, drawn {low[at] / _TENTHS}",
            rule="draw",
        )

    def _check_spots(self, batch: Batch, passes: Mask) -> None:
        """A spot that is to be too small lacks room in length, in width or in both, each as often."""
        key = self._ranks(batch)[:, 0]
        fits = unit_interval(self._drawn("parking/answer", key)) < 1 / 2
        third = np.floor(unit_interval(self._drawn("parking/lacking", key)) * 3)
        clearance = self._tenths(_CLEARANCES, "parking/clearance", key)
        self._compare(batch, passes, "clearance_m", clearance, clearance)
        for axis, (size, along, other) in enumerate((("length", "along", 2), ("width", "across", 1))):
            needed = self._scene.size[batch.boxes[:, 0], axis] * _TENTHS + 2 * clearance
            spare = self._tenths(_SPARES, f"parking/{along}", key)
            lacks = ~fits & (third != other)
            rounded = (
                np.maximum(np.where(lacks, np.floor(needed - spare + slack), np.ceil(needed + spare + slack)), 1)
                for slack in (-TOLERANCE, TOLERANCE)
            )
            self._compare(batch, passes, f"spot_{size}_m", *rounded)

    def _check_options(self, batch: Batch, passes: Mask) -> None:
        """Options are those of lowest rank of all that could be chosen, in the order of another draw."""
        entities = batch.expected.entities
        of_options = self._ranks(batch)[:, entities:]
        asked = self._ranks(batch)[:, 0] if entities else self._of_views(batch)
        placed = self._drawn(f"{batch.template}/order", asked[:, None], of_options)
        in_order = (placed[:, 1:] > placed[:, :-1]).all(axis=1)
        batch.add(passes & ~in_order, lambda at: "the options stand in another order than the seed draws", rule="draw")
        if not self._letters:
            return
        drawn = [self._options(batch, at, asked[at]) for at in range(len(batch.row))]
        taken = [frozenset(boxes) for boxes in batch.boxes[:, entities:].tolist()]
        other = np.array([mine != right for mine, right in zip(taken, drawn, strict=True)], dtype=np.bool_)
        batch.add(
            passes & other,
            lambda at: f"the options are other objects than the seed draws (boxes {self._told(drawn[at])})",
            rule="draw",
        )

    def _of_views(self, batch: Batch) -> Ranks:
        """Ranks of the images of questions, shape (n,)."""
        images = zip(batch.frame, batch.camera, strict=True)
        keys = [f"{self._name}/{frame}/{self._scene.channels[camera]}" for frame, camera in images]
        return np.array([rank(self._seed, "spatial-qa/views", key) for key in keys], dtype=np.uint64)

    def _options(self, batch: Batch, at: int, asked: np.uint64) -> frozenset[int]:
        """The objects of the image that are drawn as options of a question."""
        camera, frame = batch.camera[at], batch.frame[at]
        there = np.flatnonzero(self._scene.passes[camera] & (self._scene.frame == frame))
        if batch.expected.entities:
            there = there[there != batch.boxes[at, 0]]
        order = np.argsort(self._drawn(batch.template, np.array([asked]), self._of_objects[camera, there]))
        return frozenset(there[order[: batch.expected.options]].tolist())

    def _told(self, boxes: frozenset[int]) -> str:
        tokens: Sequence[str] = sorted(self._scene.tokens[box] for box in boxes)
        return ", ".join(tokens)
