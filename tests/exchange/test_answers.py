from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_release import Release

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.answers import import_answers
from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
from probe4d.runs.run import check_run, read_run


@pytest.fixture
def asked(release: Release, tmp_path: Path) -> Benchmark:
    return import_lidar_hallu(release.write(), tmp_path / "bench").benchmark


@pytest.fixture
def rows(asked: Benchmark) -> list[dict[str, Any]]:
    return [{"question": question, "text": f"Reply, \n{n}"} for n, question in enumerate(asked.table["id"])]


def jsonl(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_csv_and_jsonl_become_a_run(asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    rows[2]["text"] = ""
    with open(tmp_path / "model.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, ["question", "text"])
        writer.writeheader()
        writer.writerows(rows)
    for file, run in ((tmp_path / "model.csv", "one"), (jsonl(tmp_path / "model.jsonl", rows), "two")):
        record, answers, errors = import_answers(asked, file, tmp_path / run, setting="ego")
        assert (record.model, record.setting, answers, errors) == ("model", "ego", 8, 0)
        read = read_run(tmp_path / run)
        assert check_run(read, asked) == ()
        assert read.answers["text"].to_list() == [row["text"] for row in rows]
    assert (tmp_path / "one" / "answers.jsonl").read_bytes() == (tmp_path / "two" / "answers.jsonl").read_bytes()


def test_errors_and_what_else_is_recorded_are_kept(
    asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    rows[0] = {"question": rows[0]["question"], "error": "timed out"}
    rows[1] |= {"reasoning": "It is far.", "finish_reason": "length", "error": None}
    import_answers(asked, jsonl(tmp_path / "a.jsonl", rows), tmp_path / "run", model="m")
    answers = read_run(tmp_path / "run").answers.to_dicts()
    by_id = {row["question"]: row for row in answers}
    assert by_id[rows[0]["question"]]["error"] == "timed out"
    assert by_id[rows[0]["question"]]["text"] is None
    assert by_id[rows[1]["question"]]["reasoning"] == "It is far."
    assert by_id[rows[1]["question"]]["finish_reason"] == "length"


Change = Callable[[list[dict[str, Any]]], object]
BAD: dict[str, tuple[Change, str]] = {
    "unknown id": (lambda rows: rows[3].update(question="0" * 16), "line 4: answers '0000000000000000', which is no"),
    "id twice": (lambda rows: rows.append(rows[0]), "line 9: answers question .* of line 1 again"),
    "missing": (lambda rows: rows.pop(), "leaves 1 of 8 questions without an answer, first .*--allow-missing"),
    "no id": (lambda rows: rows[1].pop("question"), "line 2: has none of question, question_id, id"),
    "two texts": (lambda rows: rows[1].update(answer="A"), "line 2: has text and answer for the reply"),
    "number": (lambda rows: rows[1].update(text=3), "line 2: has 3 in 'text', expected is text"),
    "null": (lambda rows: rows[1].update(text=None), "line 2: has None in 'text'"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_row_is_named(fault: str, asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    change, message = BAD[fault]
    change(rows)
    with pytest.raises(InputError, match=message):
        import_answers(asked, jsonl(tmp_path / "a.jsonl", rows), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_missing_answers_may_be_allowed(asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    import_answers(asked, jsonl(tmp_path / "a.jsonl", rows[:3]), tmp_path / "run", allow_missing=True)
    assert read_run(tmp_path / "run").answers.height == 3


def test_bad_files_are_named(asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    cut = jsonl(tmp_path / "cut.jsonl", rows)
    cut.write_bytes(cut.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"cut.jsonl, line 8: is no valid record"):
        import_answers(asked, cut, tmp_path / "run")
    with pytest.raises(InputError, match=r"nowhere.csv: cannot be read"):
        import_answers(asked, tmp_path / "nowhere.csv", tmp_path / "run")
    with pytest.raises(InputError, match=r"answers.txt: is neither a .csv nor a .jsonl"):
        import_answers(asked, tmp_path / "answers.txt", tmp_path / "run")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    with pytest.raises(InputError, match="holds a run already"):
        import_answers(asked, cut, tmp_path / "run")
