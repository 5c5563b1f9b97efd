"""A STRIDE benchmark: its parameters, its record, its folder (Sec. 3.2 of the paper)."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import msgspec
import polars as pl

from probe4d import engine
from probe4d.benchmarks.benchmark import (
    QUESTIONS_FILE,
    Benchmark,
    BenchmarkRecord,
    benchmark_folder,
    counts_of,
    fingerprint,
    write_description,
)
from probe4d.benchmarks.card import SuiteCard, dataset_card
from probe4d.benchmarks.composition import COMPOSITION_FILE, composition_of
from probe4d.benchmarks.question import Question, to_table
from probe4d.benchmarks.questions_file import write_questions
from probe4d.benchmarks.sampling import ranks
from probe4d.benchmarks.scene_groups import groups_by_boxes
from probe4d.benchmarks.source import source_of
from probe4d.benchmarks.splits import select_split
from probe4d.benchmarks.stride.candidates import SUITE_NAME, Candidates, Measuring, candidates_of, merged
from probe4d.benchmarks.stride.card import card_sections
from probe4d.benchmarks.stride.coverage import Coverage, coverage_of
from probe4d.benchmarks.stride.coverage_chart import CHART_FILE, coverage_svg
from probe4d.benchmarks.stride.curation import curated
from probe4d.benchmarks.stride.drafting import Drafting
from probe4d.benchmarks.stride.editions import Edition
from probe4d.benchmarks.stride.labels import read_labels
from probe4d.benchmarks.stride.linking import with_links
from probe4d.benchmarks.stride.selection import selected
from probe4d.benchmarks.stride.shortfalls import shortfalls_of
from probe4d.benchmarks.stride.templates import FAMILIES
from probe4d.benchmarks.stride.verbalizing import PLAIN, Verbalizer, reworded
from probe4d.benchmarks.stride.waymo.choosing import ObjectsSource, edition_of, objects_source
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_text
from probe4d.version import __version__

__all__ = ["VERSION", "EgoHistory", "build"]

VERSION = "1.0"
COVERAGE_FILE = "coverage.csv"

EgoHistory = Literal["none", "text"]

_BOXES_AT_ONCE = 4_000
"""Boxes of the scenes that are measured at a time; groups do not depend on how many processes there are."""


class _Parameters(msgspec.Struct, frozen=True, kw_only=True):
    """What a build was asked for, as `benchmark.json` has it."""

    split: str | None
    templates: tuple[str, ...]
    per_template: int
    most_per_scene: int
    labels_sha256: str | None
    ego_history: str
    verbalizer: str
    reference_channel: str
    objects: ObjectsSource | None
    horizon_s: float | None


class _Asked(NamedTuple):
    """How candidates become questions."""

    edition: Edition
    templates: tuple[str, ...]
    per_template: int
    most_per_scene: int
    seed: int
    with_history: bool
    verbalizer: Verbalizer | None


class _Made(NamedTuple):
    """Questions with what is told of them."""

    table: pl.DataFrame
    coverage: Coverage
    shortfalls: list[str]


def build(
    scenes: Scenes,
    out: Path | str | None = None,
    *,
    split: str | None = None,
    templates: str | Sequence[str] | None = None,
    per_template: int = 50,
    most_per_scene: int = 5,
    labels: Path | str | None = None,
    objects: Path | str | None = None,
    horizon_s: float | None = None,
    ego_history: EgoHistory = "none",
    verbalizer: Verbalizer | None = None,
    seed: int = 42,
    workers: int = 1,
    done: Callable[[str], None] | None = None,
) -> Benchmark:
    """Build the STRIDE questions that scenes allow.

    Args:
        scenes: The scenes, with cameras.
        out: Folder to write to; nothing is written without it.
        split: Official split to use, or `all`; without it `val` of a trainval folder that holds all 150
            official val scenes, and all scenes of any other.
        templates: `retained` for those that the paper's reviewers kept (also where it is null), `all`, or ids.
        per_template: Most questions of a template.
        most_per_scene: Most questions of a template about one scene.
        labels: CSV file of what boxes do not tell, such as weather and lanes (see docs/stride.md).
        objects: File of estimated objects, for Waymo's end-to-end data (see docs/detections.md).
        horizon_s: How far ahead TRJ-5 asks on Waymo's end-to-end data; null for five seconds.
        ego_history: Whether trajectory questions say where the ego vehicle was and how fast it is (`text`).
        verbalizer: Words the references of open questions anew; null leaves them as the templates' sentences.
        seed: Seed of every draw.
        workers: Processes that measure scenes; the benchmark is the same for any number.
        done: Told of the name of each scene that was measured, for progress bars.

    Returns:
        The benchmark, families in the order of `FAMILIES`.

    Raises:
        InputError: A parameter cannot be used, the split holds no scene, the labels or the objects cannot be read or
            do not fit the data, a camera has no image size or no intrinsics, or the scenes allow no question.
    """
    _check(per_template, most_per_scene, ego_history, workers)
    edition = edition_of(scenes, objects, horizon_s)
    ids = selected(templates, edition.templates)
    source = objects_source(scenes, [edition.templates[name] for name in ids], objects)
    asked = _Asked(edition, ids, per_template, most_per_scene, seed, ego_history == "text", verbalizer)
    used, split_words = select_split(scenes, split)
    told = None if labels is None else read_labels(labels, used)
    told_labels = None if told is None else told.table
    candidates = _measured(used, Measuring(edition, ids, told_labels, seed, most_per_scene), workers, done)
    made = _made(candidates, used, asked)
    if made is None:
        raise _nothing_to_ask(scenes, candidates)
    parameters = _Parameters(
        split=split,
        templates=ids,
        per_template=per_template,
        most_per_scene=most_per_scene,
        labels_sha256=None if labels is None else hashlib.sha256(Path(labels).read_bytes()).hexdigest(),
        ego_history=ego_history,
        verbalizer=PLAIN if verbalizer is None else verbalizer.name,
        reference_channel=scenes.reference_channel,
        objects=source,
        horizon_s=edition.horizon_s,
    )
    exclusions = candidates.exclusions | {f"rows of the dataset: {why}": n for why, n in scenes.dropped.items()}
    exclusions |= {} if told is None else told.left_out
    record = BenchmarkRecord(
        suite=SUITE_NAME,
        version=VERSION,
        seed=seed,
        parameters=msgspec.to_builtins(parameters),
        counts=counts_of(made.table),
        exclusions=dict(sorted(exclusions.items())),
        shortfalls=made.shortfalls,
        source=source_of(used, split_words),
        fingerprint=fingerprint(made.table),
        probe4d=__version__,
    )
    return Benchmark(made.table, record) if out is None else _written(Path(out), made, record, edition.card)


def _check(per_template: int, most_per_scene: int, ego_history: str, workers: int) -> None:
    for name, value in (
        ("questions of a template", per_template),
        ("questions of a template about one scene", most_per_scene),
        ("workers", workers),
    ):
        if value < 1:
            raise InputError(f"the number of {name} must be at least 1, not {value}.")
    if ego_history not in get_args(EgoHistory):
        raise InputError(f"ego_history cannot be {ego_history!r}.", remedy=f"Give {' or '.join(get_args(EgoHistory))}.")


def _measured(scenes: Scenes, measuring: Measuring, workers: int, done: Callable[[str], None] | None) -> Candidates:
    """Measure groups of neighbouring scenes."""

    def group_done(group: Scenes) -> None:
        if done is not None:
            for name in group.names:
                done(name)

    measure = partial(candidates_of, measuring=measuring)
    groups = groups_by_boxes(scenes, _BOXES_AT_ONCE, measuring.edition.measured)
    return merged(engine.over(measure, groups, workers=workers, done=group_done))


def _made(candidates: Candidates, scenes: Scenes, asked: _Asked) -> _Made | None:
    """Take candidates and word them; null where there are none."""
    templates = asked.edition.templates
    taken = curated(candidates.pools, templates, per_template=asked.per_template, most_per_scene=asked.most_per_scene)
    keyframes = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
    drafting = Drafting(candidates, templates, keyframes, seed=asked.seed, with_history=asked.with_history)
    questions = [question for name, rows in taken.items() for question in drafting.questions(name, rows)]
    if not questions:
        return None
    shortfalls = shortfalls_of(taken, [templates[name] for name in asked.templates], asked.per_template)
    if asked.verbalizer is not None:
        questions, unworded = reworded(questions, asked.verbalizer)
        shortfalls += unworded
    table = with_links(to_table(_ordered(questions, asked.seed)), templates.values())
    return _Made(table, coverage_of(taken, templates), shortfalls)


def _ordered(questions: Sequence[Question], seed: int) -> list[Question]:
    """Families in their order, each mixed and numbered."""
    ordered = []
    for family in FAMILIES:
        of_family = [question for question in questions if question.family == family]
        order = ranks((question.id for question in of_family), seed=seed, family=f"{SUITE_NAME}/{family}/order")
        ordered += [msgspec.structs.replace(of_family[index], order=at) for at, index in enumerate(order.arg_sort())]
    return ordered


def _written(out: Path, made: _Made, record: BenchmarkRecord, card_of_suite: SuiteCard) -> Benchmark:
    """Write the folder: questions, record, card, composition, and coverage as counts and as charts."""
    with benchmark_folder(out) as folder:
        write_questions(made.table, folder / QUESTIONS_FILE)
        composition = composition_of(made.table.lazy())
        composition.counts.write_csv(folder / COMPOSITION_FILE)
        made.coverage.tags.write_csv(folder / COVERAGE_FILE)
        write_text(folder / CHART_FILE, coverage_svg(made.coverage))
        card = dataset_card(record, card_of_suite, composition, card_sections(made.table, made.coverage))
        write_description(folder, record, card)
    return Benchmark(made.table, record, out)


def _nothing_to_ask(scenes: Scenes, candidates: Candidates) -> InputError:
    """Why there is no question, with all that was left out."""
    left_out = "; ".join(f"{n:,} × {reason}" for reason, n in sorted(candidates.exclusions.items()))
    return InputError(
        f"allows no question of these templates.{f' Left out: {left_out}.' if left_out else ''}",
        path=scenes.root,
        remedy="See in docs/stride.md what each template needs, and with `probe4d scenes` what the dataset has.",
    )
