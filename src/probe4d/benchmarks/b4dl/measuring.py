"""Measures sequences by groups of neighbouring scenes, here or in processes: annotations, and what is true of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

import polars as pl

from probe4d import engine
from probe4d.benchmarks.b4dl.annotations import ANNOTATIONS_SCHEMA, annotations_of, phrases_for_prompt
from probe4d.benchmarks.b4dl.claims import verdicts_of
from probe4d.benchmarks.b4dl.pairs import PAIRS_SCHEMA
from probe4d.benchmarks.scene_groups import groups_by_boxes
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

__all__ = ["Measured", "Measuring", "phrases_by_sequence"]

Measured = Literal["annotations", "verdicts"]
"""What is measured of scenes: annotations before a model writes, verdicts on what it wrote."""

_BOXES_AT_ONCE = 20_000
"""Boxes of the scenes that are measured at a time; groups do not depend on how many processes there are."""


class _Group(NamedTuple):
    """Scenes with the sequences and pairs that are about them."""

    scenes: Scenes
    sequences: pl.DataFrame
    pairs: pl.DataFrame = pl.DataFrame(schema=PAIRS_SCHEMA)


class Measuring(NamedTuple):
    """How scenes are measured.

    Attributes:
        scenes: The scenes.
        sequences: Columns of `SEQUENCES_SCHEMA`.
        workers: Processes.
        begun: Told what is measured next, and of how many scenes.
        done: Told of the name of each scene that was measured.
        all_around: Whether annotations cover all around the ego vehicle.
    """

    scenes: Scenes
    sequences: pl.DataFrame
    workers: int = 1
    begun: Callable[[Measured, int], object] | None = None
    done: Callable[[str], object] | None = None
    all_around: bool = True

    def annotations(self) -> pl.DataFrame:
        """What objects and the ego vehicle do in the sequences, columns of `ANNOTATIONS_SCHEMA`."""
        found = self._over("annotations", self._groups(), _annotations)
        return pl.concat([pl.DataFrame(schema=ANNOTATIONS_SCHEMA), *found])

    def verdicts(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """What geometry says of pairs, columns of `VERDICTS_SCHEMA`.

        Args:
            pairs: Columns of `PAIRS_SCHEMA`.
        """
        groups = [
            group._replace(pairs=pairs.filter(pl.col("sequence").is_in(group.sequences["sequence"].to_list())))
            for group in self._groups()
        ]
        return pl.concat(self._over("verdicts", groups, partial(_verdicts, all_around=self.all_around)))

    def _groups(self) -> list[_Group]:
        """Groups of neighbouring scenes, each with its own sequences alone: it goes to another process as it is."""
        groups = groups_by_boxes(self.scenes, _BOXES_AT_ONCE)
        return [_Group(group, self.sequences.filter(pl.col("scene").is_in(list(group.names)))) for group in groups]

    def _over(
        self, what: Measured, groups: Sequence[_Group], measure: Callable[[_Group], pl.DataFrame]
    ) -> list[pl.DataFrame]:
        if self.workers < 1:
            raise InputError(f"the number of workers must be at least 1, not {self.workers}.")
        if self.begun is not None:
            self.begun(what, len(self.scenes.names))
        return engine.over(measure, groups, workers=self.workers, done=self._group_done)

    def _group_done(self, group: _Group) -> None:
        if self.done is not None:
            for name in group.scenes.names:
                self.done(name)


def phrases_by_sequence(annotations: pl.DataFrame) -> Mapping[str, Sequence[str]]:
    """The phrases that a prompt about each sequence gives as ground truth.

    Args:
        annotations: Columns of `ANNOTATIONS_SCHEMA`.
    """
    return {
        name: phrases_for_prompt(part, name)
        for (name,), part in annotations.partition_by("sequence", as_dict=True, maintain_order=True).items()
    }


def _annotations(group: _Group) -> pl.DataFrame:
    return annotations_of(group.sequences, group.scenes)


def _verdicts(group: _Group, *, all_around: bool) -> pl.DataFrame:
    return verdicts_of(group.pairs, group.sequences, group.scenes, all_around=all_around)
