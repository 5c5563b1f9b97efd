"""A review of a benchmark reads the questions that it shows or asks, and of the others what it chooses by."""

from __future__ import annotations

from pathlib import Path

import pytest
from review_making import decisions_file, identity, review_benchmark

import probe4d
from making import Model, legible_alone
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.fingerprints import REFERENCED_BY
from probe4d.review.decisions import Proposal
from probe4d.review.sampling import sampled

OPEN = [identity(place) for place in range(24, 29)]


@pytest.fixture(scope="module")
def bench() -> Benchmark:
    return review_benchmark()


def test_a_sheet_reads_what_it_shows(bench: Benchmark, tmp_path: Path) -> None:
    proposed = {identity(5): Proposal(verdict="consistent")}
    shown = [*sampled(bench, per_template=1, seed=42), *proposed]
    stored = legible_alone(bench, shown, tmp_path / "bench", "template")
    sheets = [
        probe4d.write_review_sheet(of, tmp_path / f"{name}.html", per_template=1, proposals=proposed)
        for name, of in (("whole", bench), ("stored", stored))
    ]
    assert {sheet.questions for sheet in sheets} == {5}
    assert sheets[0].path.read_text() == sheets[1].path.read_text()


def test_an_audit_of_references_reads_open_questions(bench: Benchmark, tmp_path: Path) -> None:
    stored = legible_alone(bench, OPEN, tmp_path / "bench", *REFERENCED_BY)
    model = Model(lambda request: '{"verdict": "consistent"}')
    done = probe4d.propose_references(stored, tmp_path / "audit", model=model)
    assert [*done.replies] == OPEN
    assert probe4d.read_proposals(tmp_path / "audit", stored).replies == done.replies


def test_answers_of_people_are_held_against_what_they_answer(bench: Benchmark, tmp_path: Path) -> None:
    stored = legible_alone(bench, [identity(0)], tmp_path / "bench", "template")
    file = decisions_file(tmp_path / "decisions.json", bench, mode="answer", items={0: {"answer": "B"}})
    run = probe4d.write_human_run(stored, file, tmp_path / "human")
    assert run.answers.select("question", "text").rows() == [(identity(0), "B")]
    assert len(run.left_out) == bench.height - 1
