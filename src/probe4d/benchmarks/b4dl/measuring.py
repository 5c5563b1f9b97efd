"""Measures sequences by groups of neighbouring scenes, here or in processes: annotations, and what is true of pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Literal, NamedTuple

import polars as pl

from probe4d import engine
from probe4d.benchmarks.b4dl.annotations import ANNOTATIONS_SCHEMA, annotations_of, phrases_for_prompt
from probe4d.benchmarks.b4dl.claims import verdicts_of
from probe4d.benchmarks.scene_groups import groups_by_boxes
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

__all__ = ["Measured", "Measuring", "phrases_by_sequence"]

Measured = Literal["annotations", "verdicts"]
"""What is measured of scenes: annotations before a model writes, verdicts on what it wrote."""

_BOXES_AT_ONCE = 20_000
"""Boxes of the scenes that are measured at a time; groups do not depend on how many processes there are."""


class Measuring(NamedTuple):
    """How scenes are measured.

    Attributes:
        scenes: The scenes.
        sequences: Columns of `SEQUENCES_SCHEMA`.
        workers: Processes.
        begun: Told what is measured next, and of how many scenes.
        done: Told of the name of each scene that was measured.
        partly_annotated: Whether only a part of what is around the ego vehicle is annotated.
    """

    scenes: Scenes
    sequences: pl.DataFrame
    workers: int = 1
    begun: Callable[[Measured, int], object] | None = None
    done: Callable[[str], object] | None = None
    partly_annotated: bool = False

    def annotations(self) -> pl.DataFrame:
        """What objects and the ego vehicle do in the sequences, columns of `ANNOTATIONS_SCHEMA`."""
        found = self._over("annotations", partial(_annotations, sequences=self.sequences))
        return pl.concat([pl.DataFrame(schema=ANNOTATIONS_SCHEMA), *found])

    def verdicts(self, pairs: pl.DataFrame) -> pl.DataFrame:
        """What geometry says of pairs, columns of `VERDICTS_SCHEMA`.

        Args:
            pairs: Columns of `PAIRS_SCHEMA`.
        """
        measure = partial(_verdicts, sequences=self.sequences, pairs=pairs, all_around=not self.partly_annotated)
        return pl.concat(self._over("verdicts", measure))

    def _over(self, what: Measured, measure: Callable[[Scenes], pl.DataFrame]) -> list[pl.DataFrame]:
        if self.workers < 1:
            raise InputError(f"the number of workers must be at least 1, not {self.workers}.")
        if self.begun is not None:
            self.begun(what, len(self.scenes.names))
        groups = groups_by_boxes(self.scenes, _BOXES_AT_ONCE)
        return engine.over(measure, groups, workers=self.workers, done=self._group_done)

    def _group_done(self, group: Scenes) -> None:
        if self.done is not None:
            for name in group.names:
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


def _annotations(group: Scenes, *, sequences: pl.DataFrame) -> pl.DataFrame:
    return annotations_of(_within(sequences, group), group)


def _verdicts(group: Scenes, *, sequences: pl.DataFrame, pairs: pl.DataFrame, all_around: bool) -> pl.DataFrame:
    within = _within(sequences, group)
    of_group = pairs.filter(pl.col("sequence").is_in(within["sequence"].to_list()))
    return verdicts_of(of_group, within, group, all_around=all_around)


def _within(sequences: pl.DataFrame, group: Scenes) -> pl.DataFrame:
    return sequences.filter(pl.col("scene").is_in(list(group.names)))
