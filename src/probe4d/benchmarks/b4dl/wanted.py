"""What a build of B4DL is asked for, checked before anything is measured or paid for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.b4dl.drafting import Grounded
from probe4d.benchmarks.b4dl.sequences import SEQUENCES_PER_SCENE, drawn_sequences, released_windows
from probe4d.benchmarks.b4dl.tasks import FAMILIES
from probe4d.benchmarks.building import BuildParameters, refuse_other
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes
from probe4d.wording import listed

__all__ = ["LONGEST_SIDE_PX", "Wanted", "Windows"]

LONGEST_SIDE_PX = 1024
"""Longest side of pictures where none is given, as in `probe4d ask`."""

_LEAST_SIDE_PX = 64

Windows = Literal["drawn", "released"]


class Wanted(BuildParameters, frozen=True, kw_only=True):
    """What is asked for, whoever writes.

    Attributes:
        tasks: Names of the tasks that questions are wanted of; null takes all six.
        windows: `drawn` for sequences of 3 to 10 frames at drawn places, `released` for the six fixed windows of the
            released code.
        sequences_per_scene: Sequences drawn of a scene.
        annotations: Whether prompts hold phrases that were measured in annotations, as ground truth (Table 4).
        annotated_sector: Bearings (degrees, counter-clockwise FROM:TO, ahead is 0) in which the dataset is annotated,
            as in KITTI: then nothing that is not annotated is known to be absent. Null for all around.
        grounded: What becomes of answers that geometry contradicts: `keep`, `drop` or `correct`.
        longest_side_px: Longest side of the pictures that are shown.

    Raises:
        InputError: A value cannot be used.
    """

    tasks: Sequence[str] | None = None
    windows: Windows = "drawn"
    sequences_per_scene: int = SEQUENCES_PER_SCENE
    annotations: bool = True
    annotated_sector: str | tuple[float, float] | None = None
    grounded: Grounded = "keep"
    longest_side_px: int = LONGEST_SIDE_PX

    def __post_init__(self) -> None:
        """Refuse what nothing could be built of."""
        super().__post_init__()
        AnnotatedSector.of(self.annotated_sector)
        for name in self.families:
            if name not in FAMILIES:
                raise InputError(f"there is no task {name!r}; there are {listed(FAMILIES)}.")
        if not self.families or len(set(self.families)) < len(self.families):
            raise InputError("tasks must be named, each once.", remedy=f"Choose from {listed(FAMILIES)}.")
        refuse_other("windows", self.windows, Windows)
        refuse_other("grounded", self.grounded, Grounded)
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
    def families(self) -> tuple[str, ...]:
        """The tasks that questions are wanted of."""
        return FAMILIES if self.tasks is None else tuple(self.tasks)

    @property
    def sector(self) -> AnnotatedSector | None:
        """The annotated sector; null for all around.

        Raises:
            InputError: It is not two different bearings.
        """
        return AnnotatedSector.of(self.annotated_sector)

    @property
    def all_around(self) -> bool:
        """Whether annotations cover all around the ego vehicle."""
        return self.sector is None or self.sector.width_deg == 360

    def sequences(self, scenes: Scenes) -> pl.DataFrame:
        """The sequences of scenes, columns of `SEQUENCES_SCHEMA`.

        Raises:
            InputError: Fewer than one sequence of a scene is wanted, or no scene is long enough.
        """
        if self.windows == "released":
            return released_windows(scenes)
        return drawn_sequences(scenes, seed=self.seed, per_scene=self.sequences_per_scene)
