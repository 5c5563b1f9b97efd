"""What becomes of decisions: templates stay or go whole, references are rewritten by their score, people are a run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import polars as pl
import pytest
from review_making import decisions_file, identity, questions, review_benchmark, text

import probe4d
from making import benchmark_of
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark
from probe4d.benchmarks.question import Question
from probe4d.errors import InputError
from probe4d.review.decisions import Proposal
from probe4d.review.reasons import CANNOT_TELL

KEEP, REJECT = {"verdict": "keep"}, {"verdict": "reject", "reason": "not-in-frames"}


@pytest.fixture
def bench(tmp_path: Path) -> Benchmark:
    return review_benchmark(tmp_path / "bench")


def applied(bench: Benchmark, tmp_path: Path, most_rejected: float = 0.0, **fields: Any) -> Any:
    file = decisions_file(tmp_path / "decisions.json", bench, **fields)
    return probe4d.apply_review(bench, file, tmp_path / "out", most_rejected=most_rejected)


def by_id(benchmark: Benchmark) -> dict[str, Question]:
    return {one.id: one for one in benchmark.questions}


def test_one_rejected_question_removes_its_template_whole(bench: Benchmark, tmp_path: Path) -> None:
    found = applied(bench, tmp_path, items={0: KEEP, 1: REJECT, 12: KEEP, 29: KEEP})
    assert {one.name: one.is_removed for one in found.templates} == {
        "SP-2": True,
        "SP-3": False,
        "SP-7": False,
        "SP-6": False,
    }
    left = read_benchmark(tmp_path / "out")
    assert sorted(left.table["template"].unique()) == ["SP-3", "SP-6", "SP-7"]
    assert left.table["order"].to_list() == list(range(19))
    assert left.record.counts == {"spatial-perception": {"choice": 12, "text": 5, "yes-no": 2}}
    words = "1 question of 2 rejected: the frames do not show what the answer rests on (1)"
    assert left.record.exclusions == {f"template SP-2 removed in review: {words}": 12}
    assert by_id(left)[identity(24)].links == (identity(12),)  # that of SP-2 is gone
    assert left.fingerprint != bench.fingerprint


def test_a_share_may_be_rejected(bench: Benchmark, tmp_path: Path) -> None:
    items = {0: KEEP, 1: REJECT, 2: KEEP, 12: REJECT, 13: KEEP}
    found = applied(bench, tmp_path, most_rejected=1 / 3, items=items)
    assert [one.name for one in found.templates if one.is_removed] == ["SP-3"]
    with pytest.raises(InputError, match="must be from 0 to 1, not 1\\.5"):
        applied(bench, tmp_path, most_rejected=1.5, items=items)


def test_a_decision_on_the_whole_template_goes_first(bench: Benchmark, tmp_path: Path) -> None:
    templates = {"SP-2": {"verdict": "keep"}, "SP-3": {"verdict": "remove", "reason": "one-sided"}}
    found = applied(bench, tmp_path, items={0: REJECT, 12: KEEP}, templates=templates)
    assert [(one.name, one.reason) for one in found.templates if one.is_removed] == [
        ("SP-3", "nearly all samples have the same answer")
    ]
    assert found.templates[0].reason == "kept as a whole"


OLD = "Old reference {}: the ninth of never."
CASES: list[tuple[dict[str, Any], str | None, str]] = [
    ({"score": 10, "shown_answer": "Said by the model."}, "Said by the model.", "model answer"),
    ({"score": 9, "shown_answer": "Said.", "text": " Corrected. "}, "Corrected.", "corrected answer"),
    ({"score": 7, "shown_answer": "Said.", "text": "Corrected."}, "Corrected.", "corrected answer"),
    ({"score": 6, "shown_answer": "Said.", "text": "Revised."}, "Revised.", "revised reference"),
    ({"score": 0, "shown_answer": "Said.", "text": "Revised."}, "Revised.", "revised reference"),
    ({"score": 8, "shown_answer": "Said.", "text": " "}, None, "waits for a text"),
    ({"score": 10}, None, "good as it is"),
    ({"score": 9, "text": "Revised."}, "Revised.", "revised reference"),
    ({"note": "looked"}, None, "not reviewed"),
    (
        {"proposal": {"verdict": "inconsistent", "reason": "wrong-risk", "text": "Safe.", "decision": "take"}},
        "Safe.",
        "audit",
    ),
    (
        {"proposal": {"verdict": "inconsistent", "reason": "wrong-risk", "text": "Safe.", "decision": "refuse"}},
        None,
        "proposal refused",
    ),
    ({"proposal": {"verdict": "inconsistent", "reason": "wrong-risk", "text": "Safe."}}, None, "not reviewed"),
    ({"proposal": {"verdict": "inconsistent", "text": " ", "decision": "take"}}, None, "waits for a text"),
    ({"proposal": {"verdict": "inconsistent", "text": " "}}, None, "not reviewed"),
    ({"proposal": {"verdict": "consistent"}}, None, "consistent by the audit"),
]


@pytest.mark.parametrize(("decided", "new", "source"), CASES)
def test_the_score_decides_what_a_reference_becomes(
    decided: dict[str, Any], new: str | None, source: str, bench: Benchmark, tmp_path: Path
) -> None:
    found = applied(bench, tmp_path, items={24: {"verdict": "keep"} | decided}, answers_of="gpt (openai/gpt-5.5)")
    expected = {"not reviewed": 5} if source == "not reviewed" else {source: 1, "not reviewed": 4}
    assert found.references == expected
    one = by_id(read_benchmark(tmp_path / "out"))[identity(24)]
    told = one.facts.get("reference_review")
    if new is None:
        assert (one.answer, told) == (OLD.format(24), None)
    else:
        assert one.answer == new
        assert told["old"] == OLD.format(24)
        assert (told["new"], told["source"], told["reviewer"]) == (new, source, "Ada")
        assert told.get("score") == decided.get("score")
        assert told.get("answer_of") == ("gpt (openai/gpt-5.5)" if "shown_answer" in decided else None)


def test_the_same_decisions_are_not_applied_twice(bench: Benchmark, tmp_path: Path) -> None:
    file = decisions_file(tmp_path / "decisions.json", bench, items={24: {"score": 9, "text": "New."}})
    once = probe4d.apply_review(bench, file, tmp_path / "once").benchmark
    with pytest.raises(
        InputError, match="decides on another reference of question 0000000000000018 than the benchmark"
    ):
        probe4d.apply_review(once, file, tmp_path / "twice")
    assert not (tmp_path / "twice").exists()
    no_reference = {24: {"score": 9, "text": "New.", "reference": None}}
    with pytest.raises(InputError, match="does not hold the one that was decided on"):
        applied(bench, tmp_path, items=no_reference)


def test_a_second_review_keeps_the_text_before_the_first(bench: Benchmark, tmp_path: Path) -> None:
    held = [(24, "New."), (25, "Other.")]
    first, other = (
        decisions_file(tmp_path / f"{place}.json", bench, items={place: {"score": 9, "text": new}})
        for place, new in held
    )
    once = probe4d.apply_review(bench, first, tmp_path / "once").benchmark
    both = probe4d.apply_review(once, other, tmp_path / "both").benchmark  # another question: the same sheet will do
    newer = decisions_file(tmp_path / "newer.json", both, items={24: {"score": 3, "text": "Newer."}})
    last = by_id(probe4d.apply_review(both, newer, tmp_path / "last").benchmark)
    told = last[identity(24)].facts["reference_review"]
    assert (told["old"], told["new"], told["score"]) == (OLD.format(24), "Newer.", 3)
    assert last[identity(25)].facts["reference_review"]["old"] == OLD.format(25)
    reviews = read_benchmark(tmp_path / "last").record.parameters["reviews"]
    assert [one["references"]["revised reference"] for one in reviews] == [1, 1, 1]


def test_without_a_removed_template_runs_still_fit(bench: Benchmark, tmp_path: Path) -> None:
    found = applied(bench, tmp_path, items={24: {"score": 9, "text": "New."}})
    assert found.benchmark.fingerprint == bench.fingerprint


def test_the_card_gives_the_shares_and_keeps_what_the_build_said(bench: Benchmark, tmp_path: Path) -> None:
    (tmp_path / "bench" / "coverage.svg").write_text("<svg/>")
    applied(bench, tmp_path, items={0: REJECT, 12: KEEP, 24: {"score": 9, "text": "New."}}, reviewer="A*d|a")
    card = (tmp_path / "out" / "README.md").read_text()
    assert card.startswith("---\nsize: 1\n---\n\n# stride, reviewed: 19 questions")
    assert "A\\*d\\|a looked at samples of 2 templates. 1 of 2 of these (50.0 %) stay" in card
    assert "19 of 31 questions (61.3 %)" in card
    assert "| SP-2 | 12 | 1 | 1 | removed: 1 question of 1 rejected" in card
    assert "| revised reference | 1 | 20.0 % |" in card
    assert card.endswith("## Before the review\n\nSTRIDE: 31 questions.\n\nAs built.\n")
    assert (tmp_path / "out" / "coverage.svg").exists()
    composition = pl.read_csv(tmp_path / "out" / "composition.csv")
    assert composition["questions"].sum() == 19


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"benchmark": "f" * 64}, "decides on another benchmark"),
        ({"mode": "answer"}, "holds answers to questions, not decisions on questions. Give it to `probe4d review run`"),
        ({"version": 2}, "written by another version"),
        ({"items": {99: {}}}, "names the question '0000000000000063', which there is not"),
        ({"templates": {"SP-9": {}}}, "names the template 'SP-9'"),
        ({"items": {0: {"verdict": "reject", "reason": "bored"}}}, "names the reason 'bored'"),
        ({"items": {0: {"score": 11}}}, "is no record of decisions"),
        ({"items": {0: {"verdict": "perhaps"}}}, "is no record of decisions"),
        (
            {"templates": {name: {"verdict": "remove"} for name in ("SP-2", "SP-3", "SP-6", "SP-7")}},
            "rejects every template",
        ),
    ],
)
def test_other_files_are_refused(fields: dict[str, Any], said: str, bench: Benchmark, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        applied(bench, tmp_path, **fields)
    assert not (tmp_path / "out").exists()


def test_a_benchmark_is_not_written_over_itself(bench: Benchmark, tmp_path: Path) -> None:
    file = decisions_file(tmp_path / "decisions.json", bench)
    with pytest.raises(InputError, match="is the benchmark that is reviewed"):
        probe4d.apply_review(bench, file, tmp_path / "bench")
    file.write_text("[1]")
    with pytest.raises(InputError, match="is no record of decisions on a benchmark"):
        probe4d.apply_review(bench, file, tmp_path / "out")


def test_people_answer_as_a_run(bench: Benchmark, tmp_path: Path) -> None:
    answers = {0: {"answer": "B"}, 1: {"answer": "A"}, 2: {"answer": CANNOT_TELL}, 29: {"answer": "Yes"}, 3: {}}
    file = decisions_file(tmp_path / "decisions.json", bench, mode="answer", items=answers)
    run = probe4d.write_human_run(bench, file, tmp_path / "human")
    assert (run.name, run.record.model, run.record.parameters["reviewer"]) == ("human", "human", "Ada")
    records = probe4d.diagnose(bench, [run]).records.filter(run="human")
    assert records.select("question", "state", "correct").rows() == [
        (identity(0), "valid", True),
        (identity(1), "valid", False),
        (identity(2), "refused", False),
        (identity(29), "valid", True),
    ]
    reasons = {one.question: one.reason for one in run.left_out}
    assert reasons[identity(3)] == "the person left it open"
    assert reasons[identity(4)] == "it is not in the sheet that a person answered"


def test_answers_that_are_none_are_refused(bench: Benchmark, tmp_path: Path) -> None:
    for items, said in (
        ({0: {"answer": "D"}}, "answers question 0000000000000000 with 'D', which is none of its answers"),
        ({29: {"answer": "A"}}, "with 'A', which is none"),
        ({24: {"answer": "A"}}, "with 'A', which is none"),
        ({0: {}}, "holds no answer"),
    ):
        file = decisions_file(tmp_path / "decisions.json", bench, mode="answer", items=items)
        with pytest.raises(InputError, match=said):
            probe4d.write_human_run(bench, file, tmp_path / "human")
    assert not (tmp_path / "human").exists()


def test_open_questions_alone_have_nothing_to_answer(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no questions of the format choice or yes-no"):
        probe4d.write_review_sheet(benchmark_of([text(0)]), tmp_path / "sheet.html", mode="answer")
    with pytest.raises(InputError, match="people who answer see no model's answers"):
        probe4d.write_review_sheet(
            benchmark_of(questions()),
            tmp_path / "sheet.html",
            mode="answer",
            proposals={identity(24): Proposal(verdict="consistent")},
        )
    with pytest.raises(InputError, match="must be at least 1, not 0"):
        probe4d.write_review_sheet(benchmark_of(questions()), tmp_path / "sheet.html", per_template=0)


def test_a_larger_sample_holds_the_smaller_one(bench: Benchmark) -> None:
    from probe4d.review.sampling import sampled

    few, more = (sampled(bench, per_template=n, seed=1) for n in (3, 6))
    templates = {one.id: one.template for one in bench.questions}
    assert [templates[one] for one in few] == ["SP-2"] * 3 + ["SP-3"] * 3 + ["SP-6"] * 2 + ["SP-7"] * 3
    assert set(few) < set(more)
    mixed = msgspec.structs.replace(bench.record, seed=None)
    shuffled = Benchmark(bench.table.sample(fraction=1, shuffle=True, seed=3), mixed)
    assert sampled(shuffled, per_template=3, seed=1) == few
