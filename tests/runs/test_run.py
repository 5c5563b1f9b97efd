from __future__ import annotations

from pathlib import Path

import msgspec
import polars as pl
import pytest

from making import benchmark_of, question
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.runs.run import Answer, AnswerError, RunRecord, check_run, read_run, write_run


@pytest.fixture
def asked() -> Benchmark:
    return benchmark_of([question(number) for number in range(3)])


@pytest.fixture
def record(asked: Benchmark) -> RunRecord:
    return RunRecord(model="m", benchmark=asked.fingerprint, parameters={"temperature": 0.05})


def answers_to(asked: Benchmark) -> list[Answer]:
    return [Answer(question=name, text=f"Yes.\n\u2028{name}") for name in asked.table["id"]]


def test_a_run_is_read_as_it_was_written(asked: Benchmark, record: RunRecord, tmp_path: Path) -> None:
    first, *others = answers_to(asked)
    failure = AnswerError(question=first.question, error="timed out")
    write_run(tmp_path / "mine", record, others, [failure])
    run = read_run(tmp_path / "mine")
    assert (run.name, run.record, run.warnings) == ("mine", record, ())
    assert run.answers.filter(pl.col("error").is_null())["text"].to_list() == [answer.text for answer in others]
    assert run.answers.filter(pl.col("error").is_not_null())["question"].to_list() == [first.question]
    assert check_run(run, asked) == ()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mine"]


def test_an_answer_outweighs_an_error_to_the_same_question(asked: Benchmark, record: RunRecord, tmp_path: Path) -> None:
    answers = answers_to(asked)
    write_run(tmp_path / "run", record, answers, [AnswerError(question=answers[0].question, error="timed out")])
    assert read_run(tmp_path / "run").answers["error"].null_count() == 3


def test_a_folder_in_use_is_left_alone(record: RunRecord, tmp_path: Path) -> None:
    write_run(tmp_path / "run", record, [])
    with pytest.raises(InputError, match=r"run: holds a run already"):
        write_run(tmp_path / "run", record, [])
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.txt").write_text("long work")
    with pytest.raises(InputError, match=r"other: is not empty and holds no run"):
        write_run(tmp_path / "other", record, [])
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file: is a file"):
        write_run(tmp_path / "file", record, [])
    with pytest.raises(InputError, match=r"cannot be written"):
        write_run(tmp_path / "file" / "run", record, [])


def test_an_empty_folder_may_be_used(record: RunRecord, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    write_run(tmp_path / "run", record, [])
    assert read_run(tmp_path / "run").record == record


def test_a_failed_write_leaves_nothing(record: RunRecord, tmp_path: Path) -> None:
    strange = msgspec.structs.replace(record, parameters={"x": object()})
    with pytest.raises(TypeError):
        write_run(tmp_path / "run", strange, [])
    assert list(tmp_path.iterdir()) == []


def test_half_a_line_at_the_end_is_said_and_left_out(asked: Benchmark, record: RunRecord, tmp_path: Path) -> None:
    write_run(tmp_path / "run", record, answers_to(asked))
    path = tmp_path / "run" / "answers.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    run = read_run(tmp_path / "run")
    assert run.answers.height == 2
    assert len(run.warnings) == 1
    assert "line 3" in run.warnings[0]
    with pytest.raises(InputError, match=r"leaves 1 of 3 questions without an answer, first 0000000000000002"):
        check_run(run, asked)
    assert check_run(run, asked, allow_missing=True) == ("0000000000000002",)


def test_wrong_runs_are_named(asked: Benchmark, record: RunRecord, tmp_path: Path) -> None:
    answers = answers_to(asked)
    with pytest.raises(InputError, match=r"nowhere: is no folder"):
        read_run(tmp_path / "nowhere")
    write_run(tmp_path / "twice", record, [*answers, answers[0]])
    with pytest.raises(InputError, match=r"answers.jsonl, line 4: answers question 0000000000000000 a second time"):
        read_run(tmp_path / "twice")
    write_run(tmp_path / "other", msgspec.structs.replace(record, benchmark="f" * 64), answers)
    with pytest.raises(InputError, match=r"other: answers another benchmark \(ffffffffffff"):
        check_run(read_run(tmp_path / "other"), asked)
    write_run(tmp_path / "strange", record, [*answers, Answer(question="f" * 16, text="Yes")])
    with pytest.raises(InputError, match=r"strange: answers questions .*1, first ffff"):
        check_run(read_run(tmp_path / "strange"), asked)
    (tmp_path / "other" / "run.json").write_text('{"model": 3}')
    with pytest.raises(InputError, match=r"run.json: is damaged"):
        read_run(tmp_path / "other")
    (tmp_path / "twice" / "answers.jsonl").write_text('{"question": "a"}\n{"question": "b", "text": "c"}\n')
    with pytest.raises(InputError, match=r"answers.jsonl, line 1: is no valid record"):
        read_run(tmp_path / "twice")
