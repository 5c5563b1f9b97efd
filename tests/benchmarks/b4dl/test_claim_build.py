"""Falsehoods that a writer plants among its pairs are found by a build, and nothing that is true is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from generated_pairs import DESCRIPTION, Scripted, worded
from planted_claims import PLANTED, STREETS, WINDOW, Planted
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.benchmarks.suites import build
from probe4d.scenes.tables import Scenes

Written = dict[str, list[tuple[Planted, str]]]
"""What is written, by scene and task as in a prompt's key."""


def together(names: dict[str, str], root: Path) -> Scenes:
    """Copies of streets under names of their own, with camera images that nobody opens."""
    tables = {}
    for table in ("scenes", "keyframes", "boxes", "sensors"):
        copies = [getattr(STREETS[of], table).with_columns(scene=pl.lit(name)) for name, of in sorted(names.items())]
        tables[table] = pl.concat(copies)
    for file in tables["sensors"]["file"].unique():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).touch()
    return replace(STREETS["standing"], root=root, **tables)


def sorted_into_sequences() -> tuple[dict[str, str], Written]:
    """The street of each scene; every falsehood and every truth beside one, as many a sequence as its task wants."""
    streets: dict[str, str] = {}
    written: Written = {}
    for street in STREETS:
        for side in ("false", "true"):
            for task in TASKS:
                said = [(p, getattr(p, side)) for p in PLANTED if p.street == street and p.task == task]
                answers = [(p, answer) for p, answer in said if answer is not None and "012" not in answer]
                size = TASKS[task].pairs
                for start in range(0, len(answers), size):
                    name = f"{street} {side} {start // size}"
                    streets[name] = street
                    written[f"{name}/0/{task}"] = answers[start : start + size]
    return streets, written


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Benchmark, Benchmark, Written]:
    """A benchmark of all of it, the same with contradicted answers corrected, and what was written."""
    streets, written = sorted_into_sequences()

    def rule(stage: Stage, prompt: Prompt) -> Generated | str:
        if stage == "contexts":
            return DESCRIPTION
        return worded([(planted.question, answer) for planted, answer in written.get(prompt.key, [])])

    scenes = together(streets, tmp_path_factory.mktemp("streets"))
    kept, corrected = (
        build(
            "b4dl",
            scenes,
            generator=Scripted(rule),
            tasks=["existence", "binary", "time-grounding"],
            windows="released",
            longest_side_px=64,
            grounded=grounded,
        )
        for grounded in ("keep", "correct")
    )
    return kept, corrected, written


def test_what_is_contradicted_is_what_was_planted(built: tuple[Benchmark, Benchmark, Written]) -> None:
    kept, _, written = built
    found = {(q.scene, q.question) for q in kept.questions if q.facts["verdict"] == "contradicted"}
    planted = {
        (key.split("/")[0], planted.question)
        for key, pairs in written.items()
        for planted, answer in pairs
        if answer == planted.false
    }
    assert found == planted
    assert len(planted) >= 60
    assert kept.record.questions == sum(map(len, written.values()))
    assert {(q.facts["start"], q.facts["end"]) for q in kept.questions} == {WINDOW}


def test_corrected_answers_are_the_true_ones(built: tuple[Benchmark, Benchmark, Written]) -> None:
    _, corrected, _ = built
    true = {(p.street, p.question): p.true for p in PLANTED}
    changed = [q for q in corrected.questions if q.facts["corrected"]]
    assert len(changed) >= 50
    for question in changed:
        if question.format != "interval":
            right = true[question.scene.split()[0], question.question]
            assert right is not None
            assert question.answer.lower() == right.rstrip(".").lower()
