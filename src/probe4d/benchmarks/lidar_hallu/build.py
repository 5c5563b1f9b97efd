"""Which LiDAR-Hallu questions are built, and how many (Sec. III of the paper)."""

from __future__ import annotations

import hashlib
import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from probe4d import engine
from probe4d.benchmarks.benchmark import (
    Benchmark,
    BenchmarkRecord,
    SourceDataset,
    counts_of,
    fingerprint,
    write_benchmark,
)
from probe4d.benchmarks.card import dataset_card
from probe4d.benchmarks.contrasts import with_contrasts
from probe4d.benchmarks.lidar_hallu.candidates import OPTIONS, Candidates, Measuring, candidates_of, merged
from probe4d.benchmarks.lidar_hallu.card import suite_card
from probe4d.benchmarks.lidar_hallu.distractors import DISTRACTORS, wrong_intervals
from probe4d.benchmarks.lidar_hallu.drafting import Drafting
from probe4d.benchmarks.lidar_hallu.events import read_events
from probe4d.benchmarks.lidar_hallu.rules import AnnotatedSector
from probe4d.benchmarks.question import Question, to_table
from probe4d.benchmarks.sampling import draw, ranks
from probe4d.benchmarks.splits import select_split
from probe4d.errors import InputError
from probe4d.scenes.tables import SENSORS_SCHEMA, Scenes
from probe4d.version import __version__

__all__ = ["FAMILIES", "SMALLEST_FAMILY", "VERSION", "build"]

VERSION = "1.0"
FAMILIES: tuple[str, ...] = ("existence", "position", "motion", "distance", "temporal")
SMALLEST_FAMILY = 4
"""Fewest questions of a family: one Yes, one No and two choices."""


class _Composition(NamedTuple):
    """Numbers of questions in a family."""

    yes: int
    no: int
    choice: int


def composition(family: str, per_family: int) -> _Composition:
    """How many questions of each kind a family has (Table II), scaled to `per_family`.

    Yes and No are always equally many, so that a number that is not a multiple of four is rounded down.
    """
    if family in ("existence", "position"):
        return _Composition(per_family // 4, per_family // 4, per_family // 2)
    if family == "motion":
        return _Composition(per_family // 2, per_family // 2, 0)
    return _Composition(0, 0, per_family)


def build(
    scenes: Scenes,
    out: Path | str | None = None,
    *,
    split: str | None = None,
    per_family: int = 2000,
    seed: int = 42,
    min_margin: float = 0.0,
    min_lidar_points: int = 1,
    annotated_sector: str | tuple[float, float] | None = None,
    events: Path | str | None = None,
    distractors: str = "matched",
    workers: int = 1,
) -> Benchmark:
    """Build the LiDAR-Hallu questions that scenes allow.

    Args:
        scenes: The scenes.
        out: Folder to write to; nothing is written without it.
        split: Official split to use, or `all`; without it `val` of a trainval folder that holds all 150
            official val scenes, and all scenes of any other.
        per_family: Questions in each family, at least 4. Where scenes allow fewer, the benchmark holds what
            there is, with as many Yes as No, and its record says what is short.
        seed: Seed of every draw.
        min_margin: Smallest margin of position (degrees), distance and motion questions (metres).
        min_lidar_points: Fewest LiDAR returns of a box that counts; boxes whose returns are unknown count.
        annotated_sector: Bearings (degrees, counter-clockwise FROM:TO, ahead is 0) in which the dataset is
            annotated; questions then ask about that range alone (see design/partly-annotated.md).
        events: B4DL's time_grounding.json, to take temporal questions from instead of geometry.
        distractors: Lengths of wrong intervals: `matched` to the references' own, or `published` (5 to 19).
        workers: Processes that measure scenes; the benchmark is the same for any number.

    Returns:
        The benchmark, families in the order of `FAMILIES`.

    Raises:
        InputError: A parameter cannot be used, the split holds no scene, the events file cannot be read, or
            the scenes allow no question.
    """
    _check_parameters(per_family, min_margin, min_lidar_points, distractors, workers)
    sector = _annotated_sector(annotated_sector)
    used, split_words = select_split(scenes, split)
    measuring = Measuring(
        seed=seed,
        min_margin=min_margin,
        min_lidar_points=min_lidar_points,
        annotated_sector=sector,
        geometric_events=events is None,
    )
    candidates = _measured(used, measuring, workers)
    if events is not None:
        pool, left_out = read_events(events, used)
        candidates = replace(
            candidates, pools=candidates.pools | {"temporal": pool}, exclusions=candidates.exclusions | left_out
        )
    exclusions = {f"rows of the dataset: {reason}": n for reason, n in scenes.dropped.items()} | candidates.exclusions
    wrong, without = wrong_intervals(candidates.pools["temporal"], used.scenes, mode=distractors, seed=seed)
    if without:
        exclusions["temporal: no three wrong intervals of a matching length fit beside the event"] = without
    drafting = Drafting(
        used,
        seed=seed,
        min_lidar_points=min_lidar_points,
        annotated_sector=sector,
        sectors=measuring.sectors,
    )
    questions, shortfalls = _drawn(candidates, wrong, drafting, measuring, per_family)
    if not questions:
        raise InputError(
            "allows no question of any family.",
            path=scenes.root,
            remedy="Check the folder with `probe4d scenes`, or loosen the filters.",
        )
    table = with_contrasts(to_table(questions))
    parameters: dict[str, Any] = {
        "split": split,
        "per_family": per_family,
        "min_margin": min_margin,
        "min_lidar_points": min_lidar_points,
        "annotated_sector": None if sector is None else list(sector),
        "reference_channel": scenes.reference_channel,
        "events": None if events is None else hashlib.sha256(Path(events).read_bytes()).hexdigest(),
        "distractors": distractors,
    }
    record = BenchmarkRecord(
        suite="lidar-hallu",
        version=VERSION,
        seed=seed,
        parameters=parameters,
        counts=counts_of(table),
        exclusions=exclusions,
        shortfalls=shortfalls,
        source=SourceDataset(
            name=scenes.adapter,
            version=scenes.version,
            fingerprint=scenes.fingerprint,
            licence=scenes.licence,
            split=split_words,
            scenes=used.scenes.height,
        ),
        fingerprint=fingerprint(table),
        probe4d=__version__,
    )
    benchmark = Benchmark(table, record)
    return benchmark if out is None else write_benchmark(benchmark, out, card=dataset_card(record, suite_card(sector)))


def _check_parameters(
    per_family: int, min_margin: float, min_lidar_points: int, distractors: str, workers: int
) -> None:
    for name, value, least in (
        ("questions per family", per_family, SMALLEST_FAMILY),
        ("smallest margin", min_margin, 0),
        ("fewest LiDAR returns", min_lidar_points, 0),
        ("number of workers", workers, 1),
    ):
        if not math.isfinite(value) or value < least:
            raise InputError(f"the {name} must be at least {least}, not {value}.")
    if distractors not in DISTRACTORS:
        raise InputError(f"there are no {distractors!r} distractors; known are {' and '.join(DISTRACTORS)}.")


def _annotated_sector(given: str | tuple[float, float] | None) -> AnnotatedSector | None:
    if given is None:
        return None
    return AnnotatedSector.parse(given if isinstance(given, str) else ":".join(map(str, given)))


def _measured(scenes: Scenes, measuring: Measuring, workers: int) -> Candidates:
    """Measure groups of scenes, one a worker."""
    slim = replace(scenes, sensors=pl.DataFrame(schema=SENSORS_SCHEMA))
    size = math.ceil(len(scenes.names) / workers)
    groups = [slim.select(scenes.names[at : at + size]) for at in range(0, len(scenes.names), size)]
    return merged(engine.over(partial(candidates_of, measuring=measuring), groups, workers=workers))


def _drawn(
    candidates: Candidates, wrong: dict[str, Any], drafting: Drafting, measuring: Measuring, per_family: int
) -> tuple[list[Question], list[str]]:
    """Draw every family, word the questions, and say what is short."""
    pools, seed = candidates.pools, measuring.seed
    shortfalls: list[str] = []
    questions: list[Question] = []

    def take(pool: pl.DataFrame, family: str, n: int) -> pl.DataFrame:
        return draw(pool, n, seed=seed, family=family)

    def balanced(family: str, yes: pl.DataFrame, no: pl.DataFrame, wanted: int) -> int:
        n = min(wanted, yes.height, no.height)
        if n < wanted:
            shortfalls.append(
                f"{family} yes-no: {2 * n:,} of {2 * wanted:,} questions "
                f"(candidates: {yes.height:,} Yes, {no.height:,} No)."
            )
        return n

    def choices(family: str, pool: pl.DataFrame, wanted: int, why: str = "") -> pl.DataFrame:
        if pool.height < wanted:
            shortfalls.append(f"{family} choice: {pool.height:,} of {wanted:,} questions{why}.")
        return take(pool, f"{family}-choice", wanted)

    position, sectors = pools["position"], len(measuring.sectors)
    refutable = position if sectors > 1 else position.clear()
    nameable = position if sectors >= OPTIONS else position.clear()
    too_narrow = "" if sectors >= OPTIONS else f" (the annotated sector meets {sectors} sectors, fewer than {OPTIONS})"
    temporal = pools["temporal"].filter(pl.col("key").is_in(list(wrong)))

    for family in FAMILIES:
        parts = composition(family, per_family)
        made: list[Question] = []
        if family == "existence":
            n = balanced(family, pools["existence-yes"], pools["existence-no"], parts.yes)
            made += drafting.existence_yes_no(take(pools["existence-yes"], "existence-yes-no/Yes", n), "Yes")
            made += drafting.existence_yes_no(take(pools["existence-no"], "existence-yes-no/No", n), "No")
            made += drafting.existence_choice(choices(family, pools["existence-choice"], parts.choice))
        elif family == "position":
            n = balanced(family, position, refutable, parts.yes)
            made += drafting.position_yes_no(take(position, "position-yes-no/Yes", n), "Yes")
            made += drafting.position_yes_no(take(refutable, "position-yes-no/No", n), "No")
            made += drafting.position_choice(choices(family, nameable, parts.choice, too_narrow))
        elif family == "motion":
            n = balanced(family, pools["motion-yes"], pools["motion-no"], parts.yes)
            made += drafting.motion_yes_no(take(pools["motion-yes"], "motion-yes-no/Yes", n), "Yes")
            made += drafting.motion_yes_no(take(pools["motion-no"], "motion-yes-no/No", n), "No")
        elif family == "distance":
            made += drafting.distance_choice(choices(family, pools["distance"], parts.choice))
        else:
            made += drafting.temporal_choice(choices(family, temporal, parts.choice), wrong)
        questions += _ordered(made, family, seed)
    return questions, shortfalls


def _ordered(questions: list[Question], family: str, seed: int) -> list[Question]:
    """Mix a family's questions, and number them."""
    order = ranks((question.id for question in questions), seed=seed, family=f"{family}/order").arg_sort()
    return [msgspec.structs.replace(questions[index], order=at) for at, index in enumerate(order)]
