"""What a build of B4DL is asked for, checked before anything is measured or paid for."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec
import polars as pl

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.b4dl.drafting import Grounded
from probe4d.benchmarks.b4dl.sequences import SEQUENCES_PER_SCENE, drawn_sequences, released_windows
from probe4d.benchmarks.b4dl.tasks import FAMILIES
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes
from probe4d.wording import listed

__all__ = ["LONGEST_SIDE_PX", "Wanted", "Windows"]

LONGEST_SIDE_PX = 1024
"""Longest side of pictures where none is given, as in `probe4d ask`."""

_LEAST_SIDE_PX = 64

Windows = Literal["drawn", "released"]


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked for.

    Attributes:
        tasks: Names of the tasks that questions are wanted of.
        windows: `drawn` for sequences of 3 to 10 frames at drawn places, `released` for the six fixed windows of the
            released code.
        sequences_per_scene: Sequences of a scene.
        annotations: Whether prompts hold phrases that were measured in annotations (Table 4).
        annotated_sector: Bearings in which the dataset is annotated, so that nothing is known to be absent; null for
            all around.
        grounded: What becomes of answers that geometry contradicts.
        longest_side_px: Longest side of the pictures that are shown.
        seed: Seed of every draw.

    Raises:
        InputError: A value cannot be used.
    """

    tasks: tuple[str, ...] = FAMILIES
    windows: Windows = "drawn"
    sequences_per_scene: int = SEQUENCES_PER_SCENE
    annotations: bool = True
    annotated_sector: AnnotatedSector | None = None
    grounded: Grounded = "keep"
    longest_side_px: int = LONGEST_SIDE_PX
    seed: int = 42

    def __post_init__(self) -> None:
        """Refuse what nothing could be built of."""
        for name in self.tasks:
            if name not in FAMILIES:
                raise InputError(f"there is no task {name!r}; there are {listed(FAMILIES)}.")
        if not self.tasks or len(set(self.tasks)) < len(self.tasks):
            raise InputError("tasks must be named, each once.", remedy=f"Choose from {listed(FAMILIES)}.")
        for what, value, known in (("windows", self.windows, Windows), ("grounded", self.grounded, Grounded)):
            if value not in get_args(known):
                raise InputError(f"{what} cannot be {value!r}.", remedy=f"Give {listed(get_args(known), 'or')}.")
        if self.windows == "released" and self.sequences_per_scene != SEQUENCES_PER_SCENE:
            raise InputError(
                f"released windows are {SEQUENCES_PER_SCENE} a scene, not {self.sequences_per_scene}.",
                remedy="Leave out --sequences-per-scene, or --released-windows.",
            )
        if self.longest_side_px < _LEAST_SIDE_PX:
            raise InputError(
                f"the longest side of pictures must be at least {_LEAST_SIDE_PX} px, not {self.longest_side_px}."
            )

    @property
    def all_around(self) -> bool:
        """Whether annotations cover all around the ego vehicle."""
        return self.annotated_sector is None or self.annotated_sector.width_deg == 360

    def sequences(self, scenes: Scenes) -> pl.DataFrame:
        """The sequences of scenes, columns of `SEQUENCES_SCHEMA`.

        Raises:
            InputError: Fewer than one sequence of a scene is wanted, or no scene is long enough.
        """
        if self.windows == "released":
            return released_windows(scenes)
        return drawn_sequences(scenes, seed=self.seed, per_scene=self.sequences_per_scene)
