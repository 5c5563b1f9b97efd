"""Which LiDAR-Hallu questions are built, and how many (Sec. III of the paper)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

from probe4d import engine
from probe4d.benchmarks.annotated_sector import AnnotatedSector
from probe4d.benchmarks.benchmark import Benchmark, write_benchmark
from probe4d.benchmarks.building import BuildParameters, dropped_rows, record_of_build, recorded
from probe4d.benchmarks.card import dataset_card
from probe4d.benchmarks.contrasts import with_contrasts
from probe4d.benchmarks.lidar_hallu.candidates import OPTIONS, Candidates, Measuring, candidates_of, merged
from probe4d.benchmarks.lidar_hallu.card import suite_card
from probe4d.benchmarks.lidar_hallu.distractors import DISTRACTORS, wrong_intervals
from probe4d.benchmarks.lidar_hallu.drafting import Drafting
from probe4d.benchmarks.lidar_hallu.events import read_events
from probe4d.benchmarks.question import Question, to_table
from probe4d.benchmarks.sampling import draw, ranks
from probe4d.benchmarks.splits import select_split
from probe4d.errors import InputError
from probe4d.scenes.tables import SENSORS_SCHEMA, Scenes

__all__ = ["FAMILIES", "SMALLEST_FAMILY", "VERSION", "Parameters", "build"]

VERSION = "1.0"
SMALLEST_FAMILY = 4
"""Fewest questions of a family: one Yes, one No and two choices."""
_MOST_SCENES = 25
"""Scenes measured at a time: enough to be worth a process, few enough to see it advance."""


class _Family(NamedTuple):
    """How a family's drawn candidates are worded, by format; null where it has none of that format."""

    yes_no: Callable[[Drafting, pl.DataFrame, str], list[Question]] | None
    choice: Callable[[Drafting, pl.DataFrame], list[Question]] | None


_FAMILIES: dict[str, _Family] = {
    "existence": _Family(Drafting.existence_yes_no, Drafting.existence_choice),
    "position": _Family(Drafting.position_yes_no, Drafting.position_choice),
    "motion": _Family(Drafting.motion_yes_no, None),
    "distance": _Family(None, Drafting.distance_choice),
    "temporal": _Family(None, Drafting.temporal_choice),
}

FAMILIES: tuple[str, ...] = tuple(_FAMILIES)


class _Composition(NamedTuple):
    """Numbers of questions in a family; `yes` are answered Yes, and as many No."""

    yes: int
    choice: int


def composition(family: str, per_family: int) -> _Composition:
    """How many questions of each kind a family has (Table II), scaled to `per_family`.

    Yes and No are always equally many, so that a number that is not a multiple of four is rounded down.
    """
    formats = _FAMILIES[family]
    if formats.choice is None:
        return _Composition(per_family // 2, 0)
    if formats.yes_no is None:
        return _Composition(0, per_family)
    return _Composition(per_family // 4, per_family // 2)


class Parameters(BuildParameters, frozen=True, kw_only=True):
    """What a build of LiDAR-Hallu is asked for.

    Attributes:
        per_family: Questions in each family, at least 4. Where scenes allow fewer, the benchmark holds what
            there is, with as many Yes as No, and its record says what is short.
        min_margin: Smallest margin of position (degrees), distance and motion questions (metres).
        min_lidar_points: Fewest LiDAR returns of a box that counts; boxes whose returns are unknown count.
        annotated_sector: Bearings (degrees, counter-clockwise FROM:TO, ahead is 0) in which the dataset is
            annotated; questions then ask about that range alone (see design/partly-annotated.md).
        events: B4DL's time_grounding.json, to take temporal questions from instead of geometry.
        distractors: Lengths of wrong intervals: `matched` to the references' own, or `published` (5 to 19).

    Raises:
        InputError: A value cannot be used.
    """

    per_family: int = 2000
    min_margin: float = 0.0
    min_lidar_points: int = 1
    annotated_sector: str | tuple[float, float] | None = None
    events: Path | str | None = None
    distractors: str = "matched"

    def __post_init__(self) -> None:
        """Refuse what nothing could be built of."""
        super().__post_init__()
        for name, value, least in (
            ("questions per family", self.per_family, SMALLEST_FAMILY),
            ("smallest margin", self.min_margin, 0),
            ("fewest LiDAR returns", self.min_lidar_points, 0),
        ):
            if not math.isfinite(value) or value < least:
                raise InputError(f"the {name} must be at least {least}, not {value}.")
        if self.distractors not in DISTRACTORS:
            raise InputError(f"there are no {self.distractors!r} distractors; known are {' and '.join(DISTRACTORS)}.")


_RECORDED = (
    *("split", "per_family", "min_margin", "min_lidar_points", "annotated_sector"),
    *("reference_channel", "events_sha256", "distractors"),
)
"""Names of parameters in `benchmark.json`."""


def build(scenes: Scenes, out: Path | str | None, asked: Parameters) -> Benchmark:
    """Build the LiDAR-Hallu questions that scenes allow.

    Args:
        scenes: The scenes.
        out: Folder to write to; nothing is written without it.
        asked: What is asked for.

    Returns:
        The benchmark, families in the order of `FAMILIES`.

    Raises:
        InputError: The split holds no scene, the events file cannot be read, or the scenes allow no question.
    """
    sector = AnnotatedSector.of(asked.annotated_sector)
    used, split_words = select_split(scenes, asked.split)
    told = None if asked.events is None else read_events(asked.events, used)
    measuring = Measuring(
        seed=asked.seed,
        min_margin=asked.min_margin,
        min_lidar_points=asked.min_lidar_points,
        annotated_sector=sector,
        geometric_events=told is None,
    )
    candidates = _measured(used, measuring, asked.workers, asked.done)
    pools, exclusions = candidates.pools, candidates.exclusions | dropped_rows(scenes)
    if told is not None:
        pools = pools | {"temporal": told.events}
        exclusions |= told.exclusions
    wrong, without = wrong_intervals(pools["temporal"], used.scenes, mode=asked.distractors, seed=asked.seed)
    if without:
        exclusions["temporal: no three wrong intervals of matching lengths and times fit beside the event"] = without
    drafting = Drafting(used, measuring, wrong)
    questions, shortfalls = _drawn(_pools(pools, measuring, wrong), drafting, measuring, asked.per_family)
    if not questions:
        raise InputError(
            "allows no question of any family.",
            path=scenes.root,
            remedy="Check the folder with `probe4d scenes`, or loosen the filters.",
        )
    table = with_contrasts(to_table(questions))
    parameters = recorded(
        asked,
        _RECORDED,
        annotated_sector=None if sector is None else list(sector),
        reference_channel=scenes.reference_channel,
        events_sha256=None if told is None else told.sha256,
    )
    record = record_of_build(
        "lidar-hallu",
        VERSION,
        table,
        seed=asked.seed,
        parameters=parameters,
        used=used,
        split=split_words,
        # Sorted: the order in which reasons were met changes with how scenes are grouped.
        exclusions=dict(sorted(exclusions.items())),
        shortfalls=shortfalls,
    )
    benchmark = Benchmark(table, record)
    return benchmark if out is None else write_benchmark(benchmark, out, card=dataset_card(record, suite_card(sector)))


def _measured(scenes: Scenes, measuring: Measuring, workers: int, done: Callable[[str], None] | None) -> Candidates:
    """Measure groups of neighbouring scenes."""
    slim = replace(scenes, sensors=pl.DataFrame(schema=SENSORS_SCHEMA))
    size = min(math.ceil(len(scenes.names) / workers), _MOST_SCENES)
    groups = [slim.select(scenes.names[at : at + size]) for at in range(0, len(scenes.names), size)]

    def group_done(group: Scenes) -> None:
        if done is not None:
            for name in group.names:
                done(name)

    return merged(engine.over(partial(candidates_of, measuring=measuring), groups, workers=workers, done=group_done))


def _pools(pools: dict[str, pl.DataFrame], measuring: Measuring, wrong: Collection[str]) -> dict[str, pl.DataFrame]:
    """Candidates by family and kind (`-yes`, `-no`, `-choice`).

    Where the annotated range meets a single sector, no other can be proposed; where it meets fewer than there are
    options, there is no choice of position.
    """
    position, sectors = pools["position"], len(measuring.sectors)
    return pools | {
        "position-yes": position,
        "position-no": position if sectors > 1 else position.clear(),
        "position-choice": position if sectors >= OPTIONS else position.clear(),
        "distance-choice": pools["distance"],
        "temporal-choice": pools["temporal"].filter(pl.col("key").is_in(list(wrong))),
    }


def _drawn(
    pools: dict[str, pl.DataFrame], drafting: Drafting, measuring: Measuring, per_family: int
) -> tuple[list[Question], list[str]]:
    """Draw every family, word the questions, and say what is short."""
    shortfalls: list[str] = []
    questions: list[Question] = []
    for family, formats in _FAMILIES.items():
        wanted = composition(family, per_family)
        made: list[Question] = []
        if (even := 2 * wanted.yes + wanted.choice) < per_family:
            shortfalls.append(
                f"{family}: {even:,} of {per_family:,} questions asked for, since Yes and No are equally many"
                f"{' and half are choices' if wanted.choice else ''}."
            )
        if formats.yes_no is not None:
            yes, no = pools[f"{family}-yes"], pools[f"{family}-no"]
            n = min(wanted.yes, yes.height, no.height)
            if n < wanted.yes:
                shortfalls.append(
                    f"{family} yes-no: {2 * n:,} of {2 * wanted.yes:,} questions "
                    f"(candidates: {yes.height:,} Yes, {no.height:,} No)."
                )
            for answer, pool in (("Yes", yes), ("No", no)):
                taken = draw(pool, n, seed=measuring.seed, family=f"{family}-yes-no/{answer}")
                made += formats.yes_no(drafting, taken, answer)
        if formats.choice is not None:
            pool = pools[f"{family}-choice"]
            if pool.height < wanted.choice:
                why = _why_short(family, measuring)
                shortfalls.append(f"{family} choice: {pool.height:,} of {wanted.choice:,} questions{why}.")
            made += formats.choice(drafting, draw(pool, wanted.choice, seed=measuring.seed, family=f"{family}-choice"))
        questions += _ordered(made, family, measuring.seed)
    return questions, shortfalls


def _why_short(family: str, measuring: Measuring) -> str:
    sectors = len(measuring.sectors)
    if family != "position" or sectors >= OPTIONS:
        return ""
    return f" (the annotated sector meets {sectors} sectors, fewer than {OPTIONS})"


def _ordered(questions: list[Question], family: str, seed: int) -> list[Question]:
    """Mix a family's questions, and number them."""
    order = ranks((question.id for question in questions), seed=seed, family=f"{family}/order").arg_sort()
    return [msgspec.structs.replace(questions[index], order=at) for at, index in enumerate(order)]
