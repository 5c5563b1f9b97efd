"""What a run knows of questions that failed, or that were left out: once each, by the last reason."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probe4d.runs.journal import open_journal
from probe4d.runs.run import Answer, AnswerError, LeftOut, RunRecord, read_run
from probe4d.runs.summary import summary_of

RECORD = RunRecord(model="test/made", benchmark="0" * 64)


def failed(question: str, error: str, variant: str | None = None) -> AnswerError:
    return AnswerError(question=question, variant=variant, error=error)


def test_the_last_reason_counts_in_a_run_that_did_not_come_to_its_end(tmp_path: Path) -> None:
    for reason in ("the first", "the second"):
        with open_journal(tmp_path / "run", RECORD) as journal:
            journal.put([], [failed("a", reason)])
    assert read_run(tmp_path / "run").answers["error"].to_list() == ["the second"]


def test_repetitions_leave_one_line_for_each_failure_and_none_for_what_was_answered(tmp_path: Path) -> None:
    path = tmp_path / "run"
    for repetition in range(3):
        with open_journal(path, RECORD) as journal:
            journal.put([], [failed(name, f"reason {repetition}") for name in ("c", "b", "a")])
            journal.finish(lambda key: ord(key[0]))
    errors = msgspec.json.Decoder(AnswerError).decode_lines((path / "errors.jsonl").read_bytes())
    assert errors == [failed(name, "reason 2") for name in ("a", "b", "c")]
    with open_journal(path, RECORD) as journal:
        journal.put([Answer(question=name, text="Yes") for name in ("a", "b", "c")])
        journal.finish(lambda key: ord(key[0]))
    assert not (path / "errors.jsonl").exists()
    assert summary_of(read_run(path)).unanswered == 0


def test_a_question_that_failed_and_is_left_out_later_is_left_out_alone(tmp_path: Path) -> None:
    with open_journal(tmp_path / "run", RECORD) as journal:
        journal.put([Answer(question="a", variant="rotation-0", text="A")], [failed("b", "no answer", "rotation-0")])
        journal.put([], [failed("a", "no answer", "rotation-1")])
        journal.leave_out([LeftOut(question="b", reason="its picture is gone")])
    run = read_run(tmp_path / "run")
    assert run.answers.select("question", "variant", "error").rows() == [
        ("a", "rotation-0", None),
        ("a", "rotation-1", "no answer"),
    ]
    assert (summary_of(run).unanswered, summary_of(run).left_out) == (1, {"its picture is gone": 1})


def test_questions_left_out_are_counted_by_reason_whatever_their_details(tmp_path: Path) -> None:
    with open_journal(tmp_path / "run", RECORD) as journal:
        journal.leave_out([LeftOut(question=f"{n}", reason="a file is missing", detail=f"/d/{n}") for n in range(9)])
    run = read_run(tmp_path / "run")
    assert summary_of(run).left_out == {"a file is missing": 9}
    assert [line.detail for line in run.left_out] == [f"/d/{n}" for n in range(9)]


def test_failures_that_differ_in_ids_paths_and_times_alone_are_counted_as_one(tmp_path: Path) -> None:
    busy = "the server says HTTP 503: busy, try again in 20.5s (request req_{}f00ba4)."
    damaged = "/data/set/{}.jpg: is damaged."
    errors = [failed(f"{n}", busy.format(n)) for n in range(5)]
    errors += [failed(f"{n}", damaged.format(n)) for n in range(5, 8)]
    errors += [failed(f"{n}", f"the server says HTTP {n}00: gpt-5-2026-08-07 is away.") for n in (8, 8, 9)]
    with open_journal(tmp_path / "run", RECORD) as journal:
        journal.put([], errors)
    assert summary_of(read_run(tmp_path / "run")).errors == {
        "the server says HTTP 503: busy, try again in \u2026 (request \u2026).": 5,
        "\u2026 is damaged.": 3,
        "the server says HTTP 800: gpt-5-2026-08-07 is away.": 1,
        "the server says HTTP 900: gpt-5-2026-08-07 is away.": 1,
    }
