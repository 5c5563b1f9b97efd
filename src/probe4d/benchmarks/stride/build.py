"""A STRIDE benchmark: its parameters, its record, its folder (Sec. 3.2 of the paper)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec
import polars as pl

from probe4d import engine
from probe4d.benchmarks.benchmark import (
    QUESTIONS_FILE,
    Benchmark,
    BenchmarkRecord,
    benchmark_folder,
    write_description,
)
from probe4d.benchmarks.building import (
    BuildParameters,
    dropped_rows,
    record_of_build,
    recorded,
    refuse_other,
    refuse_too_few,
)
from probe4d.benchmarks.card import SuiteCard, dataset_card
from probe4d.benchmarks.composition import COMPOSITION_FILE, composition_of
from probe4d.benchmarks.question import Question, to_table
from probe4d.benchmarks.questions_file import write_questions
from probe4d.benchmarks.sampling import ranks
from probe4d.benchmarks.scene_groups import groups_by_boxes
from probe4d.benchmarks.splits import select_split
from probe4d.benchmarks.stride.candidates import SUITE_NAME, Candidates, Measuring, candidates_of, merged
from probe4d.benchmarks.stride.card import card_sections
from probe4d.benchmarks.stride.coverage import Coverage, coverage_of
from probe4d.benchmarks.stride.coverage_chart import CHART_FILE, coverage_svg
from probe4d.benchmarks.stride.curation import curated
from probe4d.benchmarks.stride.drafting import Drafting
from probe4d.benchmarks.stride.labels import read_labels
from probe4d.benchmarks.stride.linking import with_links
from probe4d.benchmarks.stride.selection import selected
from probe4d.benchmarks.stride.shortfalls import shortfalls_of
from probe4d.benchmarks.stride.templates import FAMILIES
from probe4d.benchmarks.stride.verbalizing import PLAIN, Verbalizer, reworded
from probe4d.benchmarks.stride.waymo.choosing import edition_of, objects_source
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_text
from probe4d.store.hashing import file_digest

__all__ = ["VERSION", "EgoHistory", "Parameters", "build"]

VERSION = "1.0"
COVERAGE_FILE = "coverage.csv"

EgoHistory = Literal["none", "text"]

_BOXES_AT_ONCE = 4_000
"""Boxes of the scenes that are measured at a time; groups do not depend on how many processes there are."""


class Parameters(BuildParameters, frozen=True, kw_only=True):
    """What a build of STRIDE is asked for.

    Attributes:
        templates: `retained` for those that the paper's reviewers kept (also where it is null), `all`, or ids.
        per_template: Most questions of a template.
        most_per_scene: Most questions of a template about one scene.
        labels: CSV file of what boxes do not tell, such as weather and lanes (see docs/stride.md).
        objects: File of estimated objects, for Waymo's end-to-end data (see docs/detections.md).
        horizon_s: How far ahead TRJ-5 asks on Waymo's end-to-end data; null for five seconds.
        ego_history: Whether trajectory questions say where the ego vehicle was and how fast it is (`text`).
        verbalizer: Words the references of open questions anew; null leaves them as the templates' sentences.

    Raises:
        InputError: A value cannot be used.
    """

    templates: str | Sequence[str] | None = "retained"
    per_template: int = 50
    most_per_scene: int = 5
    labels: Path | str | None = None
    objects: Path | str | None = None
    horizon_s: float | None = None
    ego_history: EgoHistory = "none"
    verbalizer: Verbalizer | None = None

    def __post_init__(self) -> None:
        """Refuse what nothing could be built of."""
        super().__post_init__()
        refuse_too_few("questions of a template", self.per_template)
        refuse_too_few("questions of a template about one scene", self.most_per_scene)
        refuse_other("ego_history", self.ego_history, EgoHistory)


_RECORDED = (
    *("split", "templates", "per_template", "most_per_scene", "labels_sha256"),
    *("ego_history", "verbalizer", "reference_channel", "objects", "horizon_s"),
)
"""Names of parameters in `benchmark.json`."""


class _Made(NamedTuple):
    """Questions with what is told of them."""

    table: pl.DataFrame
    coverage: Coverage
    shortfalls: list[str]


def build(scenes: Scenes, out: Path | str | None, asked: Parameters) -> Benchmark:
    """Build the STRIDE questions that scenes allow.

    Args:
        scenes: The scenes, with cameras.
        out: Folder to write to; nothing is written without it.
        asked: What is asked for.

    Returns:
        The benchmark, families in the order of `FAMILIES`.

    Raises:
        InputError: A template is none of the data's, the split holds no scene, the labels or the objects cannot be read
            or do not fit the data, a camera has no image size or no intrinsics, or the scenes allow no question.
    """
    edition = edition_of(scenes, asked.objects, asked.horizon_s)
    ids = selected(asked.templates, edition.templates)
    source = objects_source(scenes, [edition.templates[name] for name in ids], asked.objects)
    used, split_words = select_split(scenes, asked.split)
    told = None if asked.labels is None else read_labels(asked.labels, used)
    told_labels = None if told is None else told.table
    measuring = Measuring(edition, ids, told_labels, asked.seed, asked.most_per_scene)
    candidates = _measured(used, measuring, asked.workers, asked.done)
    made = _made(candidates, used, measuring, asked)
    if made is None:
        raise _nothing_to_ask(scenes, candidates)
    parameters = recorded(
        asked,
        _RECORDED,
        templates=ids,
        labels_sha256=None if asked.labels is None else file_digest(asked.labels),
        verbalizer=PLAIN if asked.verbalizer is None else asked.verbalizer.name,
        reference_channel=scenes.reference_channel,
        objects=source,
        horizon_s=edition.horizon_s,
    )
    exclusions = candidates.exclusions | dropped_rows(scenes) | ({} if told is None else told.left_out)
    record = record_of_build(
        SUITE_NAME,
        VERSION,
        made.table,
        seed=asked.seed,
        parameters=parameters,
        used=used,
        split=split_words,
        exclusions=dict(sorted(exclusions.items())),
        shortfalls=made.shortfalls,
    )
    return Benchmark(made.table, record) if out is None else _written(Path(out), made, record, edition.card)


def _measured(scenes: Scenes, measuring: Measuring, workers: int, done: Callable[[str], None] | None) -> Candidates:
    """Measure groups of neighbouring scenes."""

    def group_done(group: Scenes) -> None:
        if done is not None:
            for name in group.names:
                done(name)

    measure = partial(candidates_of, measuring=measuring)
    groups = groups_by_boxes(scenes, _BOXES_AT_ONCE, measuring.edition.measured)
    return merged(engine.over(measure, groups, workers=workers, done=group_done))


def _made(candidates: Candidates, scenes: Scenes, measuring: Measuring, asked: Parameters) -> _Made | None:
    """Take candidates and word them; null where there are none."""
    templates = measuring.edition.templates
    taken = curated(candidates.pools, templates, per_template=asked.per_template, most_per_scene=asked.most_per_scene)
    keyframes = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
    drafting = Drafting(candidates, templates, keyframes, seed=asked.seed, with_history=asked.ego_history == "text")
    questions = [question for name, rows in taken.items() for question in drafting.questions(name, rows)]
    if not questions:
        return None
    shortfalls = shortfalls_of(taken, [templates[name] for name in measuring.templates], asked.per_template)
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
