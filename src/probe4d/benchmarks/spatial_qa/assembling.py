"""Questions of all scenes, in order: every one that there is, or a sample.

Scenes are measured in groups, here or in several processes. A full build goes through files, since its questions need
not fit into memory: each group writes a part for each template. A sample needs the candidates alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

import polars as pl

from probe4d import engine
from probe4d.benchmarks.question import QUESTION_SCHEMA
from probe4d.benchmarks.sampling import ranks
from probe4d.benchmarks.scene_groups import groups_by_boxes
from probe4d.benchmarks.spatial_qa.candidates import Candidates, candidates_of, merged
from probe4d.benchmarks.spatial_qa.drafting import SUITE_NAME, Drafting
from probe4d.benchmarks.spatial_qa.draws import Draw, foremost, sample
from probe4d.benchmarks.spatial_qa.graphs import write_graphs
from probe4d.benchmarks.spatial_qa.measuring import Measuring
from probe4d.benchmarks.spatial_qa.templates import LEVELS, TEMPLATES
from probe4d.scenes.tables import Scenes

__all__ = ["Assembled", "Assembly", "every_question", "sampled_questions"]

_BOXES_AT_ONCE = 4_000
"""Boxes of the scenes that are measured at a time: each pair of an image becomes fourteen questions and more."""

Result = TypeVar("Result")


class Assembly(NamedTuple):
    """How the questions of scenes are put together.

    Attributes:
        scenes: The scenes.
        measuring: How they are measured.
        graphs: Folder to write scene graphs to; null to write none.
        workers: Processes.
        done: Told of the name of each scene that was measured.
    """

    scenes: Scenes
    measuring: Measuring
    graphs: Path | None
    workers: int
    done: Callable[[str], None] | None


class Assembled(NamedTuple):
    """Questions, and what is to be said of those that are not there.

    Attributes:
        questions: Columns of `QUESTION_SCHEMA`, by family.
        exclusions: Number of objects and questions that were left out, by reason.
        shortfalls: What was asked for and could not be had, as sentences.
    """

    questions: pl.LazyFrame
    exclusions: dict[str, int]
    shortfalls: list[str]


class _Group(NamedTuple):
    """Neighbouring scenes that are measured together, and their number."""

    number: int
    scenes: Scenes


class _Written(NamedTuple):
    """What is to be said of a group whose questions are written.

    Attributes:
        exclusions: Number of objects and questions that were left out, by reason.
        objects: Number of objects in images.
        unknown: How many of these are of unknown visibility.
    """

    exclusions: dict[str, int]
    objects: int
    unknown: int


def every_question(assembly: Assembly, parts: Path) -> Assembled:
    """Word every candidate, by template, then scene.

    Args:
        assembly: What is assembled.
        parts: A folder for the parts; the questions are read from there.

    Raises:
        InputError: As `candidates_of`.
    """
    written = _over_groups(partial(_write_parts, assembly=_to_send(assembly), parts=parts), assembly)
    families = [
        [
            pl.scan_parquet(part)
            for template in TEMPLATES.values()
            if template.level == level
            for part in sorted(parts.glob(f"{template.name}.*.parquet"))
        ]
        for level in LEVELS
    ]
    exclusions = dict(sum((Counter(part.exclusions) for part in written), Counter()))
    objects, unknown = sum(part.objects for part in written), sum(part.unknown for part in written)
    return Assembled(_in_families(families), exclusions, _of_unknown_visibility(objects, unknown))


def sampled_questions(assembly: Assembly, draw: Draw) -> Assembled:
    """Draw candidates and word them, each family in an order of its own.

    Args:
        assembly: What is assembled.
        draw: What is drawn.

    Raises:
        InputError: As `candidates_of`.
    """
    candidates = merged(_over_groups(partial(_foremost_of, assembly=_to_send(assembly), draw=draw), assembly))
    pools, shortfalls = sample(candidates, draw)
    drafting = Drafting(candidates, needs=assembly.measuring.needs)
    families = []
    for level in LEVELS:
        names = [name for name, pool in pools.items() if TEMPLATES[name].level == level and pool.height]
        if names:
            questions = pl.concat([drafting.questions(name, pools[name]) for name in names])
            order = ranks(questions["id"], seed=draw.seed, family=f"{SUITE_NAME}/{level}/order")
            families.append([questions[order.arg_sort()].lazy()])
    unknown = _of_unknown_visibility(candidates.objects.height, candidates.objects["visibility"].null_count())
    return Assembled(_in_families(families), candidates.exclusions, [*unknown, *shortfalls])


def _of_unknown_visibility(objects: int, unknown: int) -> list[str]:
    if not unknown:
        return []
    return [f"The dataset does not say how visible {unknown:,} of {objects:,} objects in images are: kept."]


def _in_families(families: Sequence[Sequence[pl.LazyFrame]]) -> pl.LazyFrame:
    """Put the parts of each family together, and count the questions of each family through."""
    numbered = (pl.concat(parts).drop("order").with_row_index("order") for parts in families if parts)
    in_columns = (part.select(pl.col(name).cast(kind) for name, kind in QUESTION_SCHEMA.items()) for part in numbered)
    return pl.concat([pl.LazyFrame(schema=QUESTION_SCHEMA), *in_columns])


def _over_groups(function: Callable[[_Group], Result], assembly: Assembly) -> list[Result]:
    groups = [_Group(*one) for one in enumerate(groups_by_boxes(assembly.scenes, _BOXES_AT_ONCE))]

    def group_done(group: _Group) -> None:
        if assembly.done is not None:
            for name in group.scenes.names:
                assembly.done(name)

    return engine.over(function, groups, workers=assembly.workers, done=group_done)


def _to_send(assembly: Assembly) -> Assembly:
    """What a worker needs: its scenes come with its group."""
    return assembly._replace(scenes=assembly.scenes.select([]), done=None)


def _measured(group: _Group, assembly: Assembly) -> Candidates:
    candidates = candidates_of(group.scenes, assembly.measuring)
    if assembly.graphs is not None:
        write_graphs(candidates.objects, group.scenes, assembly.graphs)
    return candidates


def _write_parts(group: _Group, *, assembly: Assembly, parts: Path) -> _Written:
    candidates = _measured(group, assembly)
    drafting = Drafting(candidates, needs=assembly.measuring.needs)
    for name, pool in candidates.pools.items():
        if pool.height:
            part = parts / f"{name}.{group.number:06d}.parquet"
            drafting.questions(name, pool).write_parquet(part, compression="zstd", compression_level=1)
    objects = candidates.objects
    return _Written(candidates.exclusions, objects.height, objects["visibility"].null_count())


def _foremost_of(group: _Group, *, assembly: Assembly, draw: Draw) -> Candidates:
    return foremost(_measured(group, assembly), draw)
