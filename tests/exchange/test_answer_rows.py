"""Files of answers as other programs write them: columns, spellings, delimiters, samples of a harness."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from export_making import hostile_benchmark
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.answer_rows import answer_rows
from probe4d.exchange.answers import import_answers
from probe4d.exchange.exports.export import export
from probe4d.runs.plan import RunPlan
from probe4d.runs.run import read_run
from probe4d.store.files import write_bytes


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return hostile_benchmark(tmp_path_factory.mktemp("bench") / "bench")


def replies(benchmark: Benchmark) -> dict[str, str]:
    return {identity: f' Reply; {n},\n\t"so"' for n, identity in enumerate(benchmark.table["id"])}


def imported(benchmark: Benchmark, file: Path, **options: Any) -> dict[str, str]:
    run = file.with_suffix(".run")
    import_answers(benchmark, file, run, **options)
    return dict(read_run(run).answers.select("question", "text").iter_rows())


def table(rows: list[tuple[str, ...]], delimiter: str = ",") -> str:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter).writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
@pytest.mark.parametrize("names", [("question", "text"), ("Question ID", "Text"), ("ID", "Prediction ")])
def test_tables_of_other_programs_are_read(
    delimiter: str, encoding: str, names: tuple[str, str], asked: Benchmark, tmp_path: Path
) -> None:
    text = table([(*names, "notes, mine; all"), *((*pair, "") for pair in replies(asked).items())], delimiter)
    (tmp_path / "a.csv").write_bytes(text.encode(encoding))
    assert imported(asked, tmp_path / "a.csv") == replies(asked)


def test_blanks_behind_delimiters_are_no_part_of_a_value(asked: Benchmark, tmp_path: Path) -> None:
    lines = ["question, text", *(f'{identity}, "B, so"' for identity in asked.table["id"])]
    (tmp_path / "a.csv").write_text("\n".join(lines))
    assert imported(asked, tmp_path / "a.csv") == dict.fromkeys(asked.table["id"], "B, so")


def test_json_lines_may_begin_with_a_byte_order_mark(asked: Benchmark, tmp_path: Path) -> None:
    lines = [json.dumps({"question": identity, "text": text}) for identity, text in replies(asked).items()]
    (tmp_path / "a.jsonl").write_text("\n".join(lines), encoding="utf-8-sig")
    assert imported(asked, tmp_path / "a.jsonl") == replies(asked)


def test_a_field_may_be_of_any_length(asked: Benchmark, tmp_path: Path) -> None:
    limit, long = csv.field_size_limit(), "It is far away. " * 10_000
    (tmp_path / "a.csv").write_text(table([("question", "text"), *((name, long) for name in asked.table["id"])]))
    assert set(imported(asked, tmp_path / "a.csv").values()) == {long}
    assert csv.field_size_limit() == limit


@pytest.mark.parametrize("setting", ["default", "permuted:4"])
def test_lines_of_an_export_come_back_with_replies(setting: str, asked: Benchmark, tmp_path: Path) -> None:
    export(asked, tmp_path / "out", to="jsonl", plan=RunPlan(setting=setting))
    lines = [json.loads(line) for line in (tmp_path / "out" / "questions.jsonl").read_bytes().splitlines()]
    bare = tmp_path / "bare.jsonl"
    bare.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.raises(InputError, match="line 1: has no reply: beside the text of the question, 'answer'"):
        imported(asked, bare, setting=setting)
    file = tmp_path / "a.jsonl"
    file.write_text("".join(json.dumps(line | {"text": f"{n}"}) + "\n" for n, line in enumerate(lines)))
    import_answers(asked, file, tmp_path / "run", setting=setting)
    answers = read_run(tmp_path / "run").answers
    assert answers["text"].to_list() == [str(n) for n in range(len(lines))]
    expected = [line["variant"] for line in lines]
    assert answers["variant"].to_list() == expected


def test_a_number_of_the_row_may_stand_beside_the_id(asked: Benchmark, tmp_path: Path) -> None:
    rows = [(str(n), identity, text) for n, (identity, text) in enumerate(replies(asked).items())]
    (tmp_path / "a.csv").write_text(table([("id", "question", "answer"), *rows]))
    assert imported(asked, tmp_path / "a.csv") == replies(asked)


def sample(identity: str, resps: object, variant: str | None = None) -> dict[str, Any]:
    doc = {"id": identity, "variant": variant, "question": "What of it?", "answer": "A"}
    return {"doc_id": 0, "doc": doc, "target": "A", "resps": resps, "filtered_resps": ["A"], "filter": "answer"}


def test_samples_of_lm_evaluation_harness_are_answers(asked: Benchmark, tmp_path: Path) -> None:
    lines = [sample(identity, [[text]]) for identity, text in replies(asked).items()]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert imported(asked, tmp_path / "a.jsonl") == replies(asked)
    for resps in ([[["-0.5", "False"]], [["-0.1", "True"]]], [["one", "two"]], [], "text"):
        (tmp_path / "b.jsonl").write_text(json.dumps(sample("x", resps)))
        with pytest.raises(InputError, match="line 1: has not one reply in 'resps'"):
            imported(asked, tmp_path / "b.jsonl")


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"Text": "A", "text": "B"}, "two columns that differ in the spelling of their names alone .Text, text"),
        ({"frage": "x", "text": "B"}, "has none of question, question_id, id .* there are the columns 'frage', 'text'"),
        ({"id": 7, "text": "B"}, "has 7 in 'id', expected is text"),
    ],
)
def test_columns_that_say_nothing_are_named(
    row: dict[str, Any], message: str, asked: Benchmark, tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(row))
    with pytest.raises(InputError, match=f"line 1: .*{message}"):
        imported(asked, tmp_path / "a.jsonl")


def test_two_ids_in_a_row_are_refused(asked: Benchmark, tmp_path: Path) -> None:
    one, two = asked.table["id"].to_list()[:2]
    (tmp_path / "a.jsonl").write_text(json.dumps({"id": one, "question": two, "text": "A"}))
    with pytest.raises(InputError, match=f"names two questions, {one} and {two}"):
        imported(asked, tmp_path / "a.jsonl")


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"))


@settings(max_examples=100)
@given(
    rows=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=5),
    delimiter=st.sampled_from(",;\t"),
    mark=st.sampled_from(["utf-8", "utf-8-sig"]),
)
def test_any_cell_is_read_back_as_it_was(
    rows: list[tuple[str, str]], delimiter: str, mark: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.csv"
    write_bytes(path, table([("id", "text"), *rows], delimiter).encode(mark))
    assert [(row.values["id"], row.values["text"]) for row in answer_rows(path)] == rows
