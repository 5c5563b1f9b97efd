"""The questions of a benchmark by the kind of their answers."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import probe4d
from judge_making import run_on_disk
from making import benchmark_of, question
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.diagnosis.comparing.changes import changes_table
from probe4d.diagnosis.comparing.comparisons import Comparison
from probe4d.diagnosis.sheets.answer_sheet import AnswerSheet
from probe4d.diagnosis.sheets.by_kind import Sheets

OF_KIND: dict[str, dict[str, Any]] = {
    "labels": {"format": "yes-no", "answer": "Yes"},
    "numbers": {"format": "number", "answer": "3.0", "facts": {"unit": "metres"}},
    "intervals": {"format": "interval", "answer": "3-9"},
    "waypoints": {"format": "waypoints", "answer": json.dumps([[1.0, 0.0]]), "facts": {"direction": "future"}},
    "judged": {"format": "text", "answer": "A car turns left."},
    "texts": {"format": "text", "answer": "A car turns left."},
}
QUESTIONS = [
    question(f"{kind}-{n}", scene=f"scene-{n}", question=f"How is {kind} {n}?", **fields)
    for kind, fields in OF_KIND.items()
    if kind != "judged"
    for n in range(3)
]
BENCHMARK = benchmark_of(QUESTIONS)


def _kinds(of: type[AnswerSheet] = AnswerSheet) -> Iterator[type[AnswerSheet]]:
    """The classes of sheets that can be made."""
    for one in of.__subclasses__():
        yield from _kinds(one) if one.__subclasses__() else (one,)


def test_there_is_a_sheet_of_every_kind() -> None:
    sheets = Sheets(BENCHMARK, is_judged=True, is_measured=True).of_every_kind
    assert sorted(type(one).__name__ for one in sheets) == sorted(one.__name__ for one in _kinds())


@pytest.mark.parametrize("kind", OF_KIND)
def test_each_question_is_in_the_sheets_of_its_kind_alone(kind: str) -> None:
    sheets = Sheets(BENCHMARK, is_judged=kind == "judged", is_measured=kind == "texts")
    asked = [one.id for one in QUESTIONS if one.format == OF_KIND[kind]["format"]]
    assert getattr(sheets, kind).questions["id"].to_list() == asked
    found = [identity for one in sheets.of_every_kind for identity in one.questions["id"]]
    assert len(found) == len(set(found))
    assert set(asked) <= set(found)


def test_free_text_that_nothing_scores_is_in_no_sheet() -> None:
    sheets = Sheets(BENCHMARK)
    assert sheets.judged.questions.is_empty()
    assert sheets.texts.questions.is_empty()
    assert sheets.texts.questions.schema == Sheets(BENCHMARK, is_measured=True).texts.questions.schema


@pytest.mark.parametrize("kind", OF_KIND)
def test_only_what_is_right_or_wrong_is_repaired(kind: str) -> None:
    sheet = getattr(Sheets(BENCHMARK, is_judged=True, is_measured=True), kind)
    right = sheet.references if kind in ("labels", "numbers") else [sheet.unanswered] * 3
    answered = sheet.answered(["right", "silent"], [right, [sheet.unanswered] * 3])
    changes = changes_table(answered, [Comparison("right", "silent")])
    assert changes["change"].to_list() == (["repaired"] * 3 if kind in ("labels", "numbers") else [])


@pytest.mark.parametrize(("scored", "times"), [((), 0), (("texts",), 1), (("judged", "texts"), 1)])
def test_free_questions_are_read_once_or_not_at_all(
    scored: tuple[str, ...], times: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    benchmark_of(QUESTIONS, tmp_path)
    read: list[str] = []
    rows = Benchmark.rows

    def counting(self: Benchmark, ids: Collection[str], *names: str) -> pl.DataFrame:
        read.extend(names)
        return rows(self, ids, *names)

    monkeypatch.setattr(Benchmark, "rows", counting)
    sheets = Sheets(read_benchmark(tmp_path), is_judged="judged" in scored, is_measured="texts" in scored)
    assert len(sheets.of_every_kind) == len(OF_KIND)
    assert read.count("question") == times


def test_a_diagnosis_without_metrics_reads_no_free_text_of_what_controls_learn_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(benchmark: Benchmark) -> pl.DataFrame:
        raise AssertionError("free text is read")

    other = benchmark_of([question(f"other-{n}", scene=f"other-{n}", **OF_KIND["labels"]) for n in range(3)])
    asked = benchmark_of([one for one in QUESTIONS if one.format == "yes-no"])
    run = run_on_disk(asked, tmp_path / "run", ["Yes"] * 3)
    for place in ("diagnose", "sheets.by_kind"):
        monkeypatch.setattr(f"probe4d.diagnosis.{place}.text_questions", refused)
    diagnosis = probe4d.diagnose(asked, [run], fit_controls=other)
    assert diagnosis.learned_from == other.fingerprint
