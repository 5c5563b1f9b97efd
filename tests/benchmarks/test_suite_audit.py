"""The frame of audits: what it opens and refuses, in which order it goes and tells, for a suite of two lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making import benchmark_of, question, with_id_of_content
from probe4d.benchmarks.auditing import suite_audit
from probe4d.benchmarks.auditing.record import whole
from probe4d.benchmarks.auditing.suite_audit import SuiteAudit
from probe4d.benchmarks.benchmark import Benchmark, SourceDataset
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suite import AuditFinding
from probe4d.errors import InputError

KNOWN = ("a", "b")


class Parameters(msgspec.Struct, frozen=True):
    """What the made suite was built with."""

    right: str = "Yes"


class Scene(msgspec.Struct, frozen=True):
    """A scene of which no more is known than its name."""

    name: str


class AnswersAlike(SuiteAudit[Parameters, Scene]):
    """Expects one answer to every question."""

    parameters_of = Parameters

    def scenes(self, names: Sequence[str]) -> Iterable[Scene | None]:
        return [Scene(name) if name in KNOWN else None for name in names]

    def check(self, scene: Scene, questions: pl.DataFrame) -> None:
        for place, answer in questions.select("place", "answer").iter_rows():
            if answer != self.parameters.right:
                self.findings.add(place, f"answer: stored {answer!r}, derived {self.parameters.right!r}")

    def between_questions(self) -> list[AuditFinding]:
        return [AuditFinding(question=self.benchmark.table["id"][0], rule="between", what="is told after each.")]

    def of_the_whole(self) -> list[AuditFinding]:
        return [whole("whole", f"told last, of the tables in {self.folder.name}")]


class NamedSource(AnswersAlike):
    """Names a scene that is not there by a check of its own."""

    without_scene = "source"


@pytest.fixture(scope="module")
def dataroot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A dataset of two scenes with nothing in them."""
    root = tmp_path_factory.mktemp("dataset")
    (root / "v").mkdir()
    scenes = [
        {"token": name, "name": name, "first_sample_token": "", "last_sample_token": "", "nbr_samples": 0}
        for name in KNOWN
    ]
    (root / "v" / "scene.json").write_bytes(msgspec.json.encode(scenes))
    (root / "v" / "sample_annotation.json").write_text("[]")
    return root


def asked_of(*scenes: str, answers: Iterable[str] = (), parameters: dict[str, Any] | None = None) -> Benchmark:
    """A benchmark of a question of each of some scenes."""
    given_answers = [*answers] or ["Yes"] * len(scenes)
    questions: list[Question] = [
        with_id_of_content(question(place, scene=scene, answer=answer))
        for place, (scene, answer) in enumerate(zip(scenes, given_answers, strict=True))
    ]
    source = SourceDataset(name="made", version="v", fingerprint=None, licence="none", split="all", scenes=2)
    return benchmark_of(questions, parameters=parameters or {}, source=source)


@given(st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from(["Yes", "No"])), min_size=1, max_size=12))
def test_each_question_is_checked_once_and_told_of_in_the_order_of_the_benchmark(
    dataroot: Path, rows: list[tuple[str, str]]
) -> None:
    benchmark = asked_of(*(scene for scene, _ in rows), answers=[answer for _, answer in rows])
    told: list[str] = []

    found = AnswersAlike.audit(benchmark, dataroot, done=told.append)

    ids = benchmark.table["id"].to_list()
    assert sorted(told) == sorted(ids)
    wrong = [identity for identity, (_, answer) in zip(ids, rows, strict=True) if answer == "No"]
    assert [finding.question for finding in found if finding.rule == "made"] == wrong


def test_a_scene_is_checked_with_all_of_its_questions_their_rows_and_the_ids_of_their_content(dataroot: Path) -> None:
    benchmark = asked_of("b", "a", "b")
    renamed = benchmark.table.with_columns(id=pl.Series(["one", "two", "three"]))
    asked: list[tuple[str, pl.DataFrame]] = []
    told: list[str] = []

    class Keeping(AnswersAlike):
        def check(self, scene: Scene, questions: pl.DataFrame) -> None:
            asked.append((scene.name, questions))

    Keeping.audit(Benchmark(renamed, benchmark.record), dataroot, done=told.append)

    assert told == ["one", "three", "two"]
    assert [name for name, _ in asked] == ["b", "a"]
    of_b, of_a = (questions for _, questions in asked)
    assert (of_b["place"].to_list(), of_a["place"].to_list()) == ([0, 2], [1])
    assert of_b["derived_id"].to_list() == benchmark.table["id"].gather([0, 2]).to_list()
    assert of_b["question"].to_list() == ["Question 0?", "Question 2?"]


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from(["Yes", "No"])), min_size=1, max_size=12))
def test_how_many_questions_are_read_at_a_time_changes_nothing(dataroot: Path, rows: list[tuple[str, str]]) -> None:
    rows = [("a", "No"), *rows]  # of a scene that the tables have
    benchmark = asked_of(*(scene for scene, _ in rows), answers=[answer for _, answer in rows])
    told: list[list[str]] = []
    found = []
    for most in (1, 3, 500_000):
        told.append([])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(suite_audit, "QUESTIONS_AT_ONCE", most)
            found.append(AnswersAlike.audit(benchmark, dataroot, done=told[-1].append))
    assert found[0] == found[1] == found[2]
    assert told[0] == told[1] == told[2]


def test_what_is_wrong_is_told_by_question_then_between_them_then_of_the_whole(dataroot: Path) -> None:
    benchmark = asked_of("a", "b", answers=["No", "No"])
    misplaced = benchmark.table.with_columns(order=pl.lit(7, pl.Int32))
    record = msgspec.structs.replace(benchmark.record, counts={})

    found = AnswersAlike.audit(Benchmark(misplaced, record), dataroot)

    assert [finding.rule for finding in found] == [*("made", "made"), "between", "counts", *("order", "order"), "whole"]
    assert found[-1] == AuditFinding(question="", rule="whole", what="told last, of the tables in v.")


@pytest.mark.parametrize(("scenes", "absent"), [("cd", 2), ("acd", 2), ("c", 1)])
def test_tables_that_lack_most_scenes_asked_about_are_refused(dataroot: Path, scenes: str, absent: int) -> None:
    words = rf"v: lacks {absent} of the {len(scenes)} scenes? that the benchmark asks about, first c\. Give the dataset"
    with pytest.raises(InputError, match=words):
        AnswersAlike.audit(asked_of(*scenes), dataroot)


@pytest.mark.parametrize(("kind", "rule"), [(AnswersAlike, "made"), (NamedSource, "source")])
def test_questions_of_a_scene_that_the_tables_lack_are_named(
    kind: type[AnswersAlike], rule: str, dataroot: Path
) -> None:
    benchmark = asked_of("c", "a", "c")

    found = [finding for finding in kind.audit(benchmark, dataroot) if "no scene" in finding.what]

    ids = benchmark.table["id"]
    assert found == [
        AuditFinding(question=ids[place], rule=rule, what="the dataset has no scene 'c'.") for place in (0, 2)
    ]


def test_the_parameters_of_the_build_decide(dataroot: Path) -> None:
    benchmark = asked_of("a", "b", answers=["No", "Yes"], parameters={"right": "No", "other": 3})

    found = [finding for finding in AnswersAlike.audit(benchmark, dataroot) if finding.rule == "made"]

    assert [finding.question for finding in found] == [benchmark.table["id"][1]]


@pytest.mark.parametrize(
    ("parameters", "root", "version", "told"),
    [
        ({"imported": True}, "", None, "was imported, not built"),
        ({"right": 3}, "", None, r"holds a parameter that does not fit .*right"),
        ({}, "", "v2", "holds no tables of version 'v2'"),
        ({}, "elsewhere", None, "holds no tables of version 'v', which the benchmark was built from"),
    ],
)
def test_what_cannot_be_audited_is_refused(
    parameters: dict[str, Any], root: str, version: str | None, told: str, dataroot: Path
) -> None:
    benchmark = asked_of("a", parameters=parameters)
    with pytest.raises(InputError, match=told):
        AnswersAlike.audit(benchmark, dataroot / root, version=version)
