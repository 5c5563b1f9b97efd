from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_release import Release

from making import legible_alone
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.exchange.answers import import_answers
from probe4d.exchange.lidar_hallu_release import import_lidar_hallu
from probe4d.runs.run import check_run, read_run
from probe4d.runs.settings import setting_named


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


def test_of_a_benchmark_nothing_is_read_but_what_was_answered_and_options(
    asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    few = rows[:2]
    stored = legible_alone(asked, [row["question"] for row in few], tmp_path / "stored", "options")
    file = jsonl(tmp_path / "few.jsonl", few)
    with pytest.raises(InputError, match=f"answers that are missing: {len(rows) - 2} of {len(rows)}"):
        import_answers(stored, file, tmp_path / "run")
    assert import_answers(stored, file, tmp_path / "run", allow_missing=True)[1] == 2


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
    "unknown id": (
        lambda rows: rows[3].update(question="0" * 16),
        r"rows that answer no question of this benchmark: 1 .line 4: '0{16}'",
    ),
    "id twice": (
        lambda rows: rows.append(rows[0]),
        r"rows that answer a question again: 1 \(line 9: \w{16} as in line 1\)",
    ),
    "missing": (lambda rows: rows.pop(), r"answers that are missing: 1 of 8 \(\w{16}\)\. Add .*--allow-missing"),
    "no id": (
        lambda rows: rows[1].pop("question"),
        "line 2: has none of question, question_id, id .*; there are the columns 'text'",
    ),
    "two texts": (lambda rows: rows[1].update(answer="A"), "line 2: has text and answer for the reply"),
    "number": (lambda rows: rows[1].update(text=3), "line 2: has 3 in 'text', expected is text"),
    "null": (lambda rows: rows[1].update(text=None), "line 2: has None in 'text'"),
    "rotation": (lambda rows: rows[1].update(rotation=4), "line 2: has the rotation 4, where question .* has 0 to"),
    "no rotation": (lambda rows: rows[1].update(rotation="far"), "line 2: has the rotation 'far'"),
}


@pytest.mark.parametrize("fault", BAD)
def test_a_bad_row_is_named(fault: str, asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    change, message = BAD[fault]
    change(rows)
    with pytest.raises(InputError, match=message):
        import_answers(asked, jsonl(tmp_path / "a.jsonl", rows), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_everything_that_is_unknown_repeated_or_missing_is_listed_at_once(
    asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    strangers = [{"question": f"stranger-{n:02}", "text": "A"} for n in range(12)]
    wrong = [*strangers, rows[0], rows[0], rows[1], rows[1]]
    with pytest.raises(InputError) as caught:
        import_answers(asked, jsonl(tmp_path / "a.jsonl", wrong), tmp_path / "run")
    message = str(caught.value)
    assert "rows that answer no question of this benchmark: 12 (line 1: 'stranger-00', " in message
    assert "line 10: 'stranger-09', …)" in message
    assert "stranger-10" not in message
    assert f"rows that answer a question again: 2 (line 14: {rows[0]['question']} as in line 13, line 16:" in message
    assert f"answers that are missing: 6 of 8 ({', '.join(row['question'] for row in rows[2:])})" in message
    assert "\n" not in message
    assert message.endswith("give a file for them (problems=, --problems).")
    with pytest.raises(InputError) as caught:
        import_answers(asked, jsonl(tmp_path / "a.jsonl", wrong), tmp_path / "run", allow_missing=True)
    assert "missing" not in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_all_problems_are_listed_in_a_file_that_is_asked_for(
    asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    wrong = [*({"question": f"stranger-{n:02}", "text": "A"} for n in range(12)), rows[0], rows[0]]
    file, listing = jsonl(tmp_path / "a.jsonl", wrong), tmp_path / "problems.jsonl"
    with pytest.raises(InputError, match=f"All of them are listed in {listing}"):
        import_answers(asked, file, tmp_path / "run", problems=listing)
    again = {"problem": "repeated", "question": rows[0]["question"], "where": "line 14", "first": "line 13"}
    assert [json.loads(line) for line in listing.read_text().splitlines()] == [
        *({"problem": "unknown", "question": f"stranger-{n:02}", "where": f"line {n + 1}"} for n in range(12)),
        again,
        *({"problem": "missing", "question": row["question"]} for row in rows[1:]),
    ]
    with pytest.raises(InputError, match="holds the answers"):
        import_answers(asked, file, tmp_path / "run", problems=file)
    assert file.read_bytes() == jsonl(tmp_path / "b.jsonl", wrong).read_bytes()
    import_answers(asked, jsonl(tmp_path / "c.jsonl", rows), tmp_path / "run", problems=tmp_path / "none.jsonl")
    assert not (tmp_path / "none.jsonl").exists()


def test_answers_to_every_rotation_become_one_run(asked: Benchmark, tmp_path: Path) -> None:
    setting = setting_named("permuted:4")
    rows = [
        {"question": question.id, "variant": variant.name, "text": "A"}
        for question in asked.questions
        for variant in setting.variants(question)
    ]
    _, answers, _ = import_answers(asked, jsonl(tmp_path / "a.jsonl", rows), tmp_path / "run", setting="permuted:4")
    read = read_run(tmp_path / "run").answers
    assert answers == len(rows) > asked.table.height
    assert read["variant"].to_list() == [row["variant"] for row in rows]
    assert [f"rotation-{turned}" for turned in read["rotation"]] == read["variant"].to_list()

    def refusal(change: Change) -> str:
        changed = [dict(row) for row in rows]
        change(changed)
        with pytest.raises(InputError) as caught:
            import_answers(asked, jsonl(tmp_path / "b.jsonl", changed), tmp_path / "other", setting="permuted:4")
        return str(caught.value)

    last = rows[-1]
    assert f"answers that are missing: 1 of {len(rows)} ({last['question']} ({last['variant']}))" in refusal(
        lambda changed: changed.pop()
    )
    assert "answers no variant of question" in refusal(lambda changed: changed[-1].pop("variant"))
    assert "answers the variant 'rotation-9'" in refusal(lambda changed: changed[0].update(variant="rotation-9"))
    assert "has the rotation 2, where rotation-3" in refusal(lambda changed: changed[-1].update(rotation=2))


def test_a_question_of_one_variant_needs_no_name_of_it(asked: Benchmark, tmp_path: Path) -> None:
    setting = setting_named("permuted:4")
    rows = [
        {"question": question.id, "text": "A", "variant": variant.name if question.options else ""}
        for question in asked.questions
        for variant in setting.variants(question)
    ]
    assert any(not row["variant"] for row in rows)
    import_answers(asked, jsonl(tmp_path / "a.jsonl", rows), tmp_path / "run", setting="permuted:4")
    variants = read_run(tmp_path / "run").answers["variant"]
    assert variants.to_list() == [row["variant"] or "rotation-0" for row in rows]


@pytest.mark.parametrize("variants", [("Ada", "Émile"), ("rotation-0", "rotation-1"), ("seed-0",)])
def test_a_setting_that_asks_once_has_no_variants(
    variants: tuple[str, ...], asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    answered = [row | {"variant": variant} for variant in variants for row in rows]
    what = f"line 1: answers the variant '{variants[0]}' of question .* asks once.* as a run of its own; rotations in"
    for number, options in enumerate(({}, {"setting": "on paper", "new_setting": True})):
        with pytest.raises(InputError, match=what):
            import_answers(asked, jsonl(tmp_path / "a.jsonl", answered), tmp_path / str(number), **options)


def test_a_rotation_under_a_setting_that_asks_once_is_kept(
    asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    turned = [
        row | {"rotation": 1 if question.options else 0} for row, question in zip(rows, asked.questions, strict=True)
    ]
    import_answers(asked, jsonl(tmp_path / "a.jsonl", turned), tmp_path / "run", setting="anti-position")
    assert read_run(tmp_path / "run").answers["rotation"].to_list() == [row["rotation"] for row in turned]


@pytest.mark.parametrize("name", ["permuted4", "nosuch", "permuted:0", "human", "Default"])
def test_a_setting_of_another_name_is_refused_unless_it_is_said_to_be_new(
    name: str, asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    file = jsonl(tmp_path / "a.jsonl", rows)
    with pytest.raises(InputError, match=f"there is no setting '{name}'; there are default, .*--new-setting"):
        import_answers(asked, file, tmp_path / "run", setting=name)
    assert not (tmp_path / "run").exists()
    assert import_answers(asked, file, tmp_path / "run", setting=name, new_setting=True)[0].setting == name


@pytest.mark.parametrize("options", [{}, {"setting": "ego"}, {"setting": "permuted:4"}])
def test_a_setting_that_is_no_new_one_is_refused_as_such(
    options: dict[str, str], asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    name = options.get("setting", "default")
    with pytest.raises(InputError, match=f"the setting '{name}' is one of Probe4D's, and so no new one. Name your own"):
        import_answers(asked, jsonl(tmp_path / "a.jsonl", rows), tmp_path / "run", new_setting=True, **options)
    assert not (tmp_path / "run").exists()


def test_a_row_is_named_by_the_line_in_which_an_editor_shows_its_beginning(
    asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path
) -> None:
    ids = [row["question"] for row in rows[:2]]
    lines = ["question,text", f'{ids[0]},"two', 'lines"', "", f'{ids[1]},"and', "again", 'three"', "stranger,A"]
    (tmp_path / "a.csv").write_text("\n".join(lines) + "\n")
    with pytest.raises(InputError, match=r"\(line 8: 'stranger'\)"):
        import_answers(asked, tmp_path / "a.csv", tmp_path / "run", allow_missing=True)
    (tmp_path / "b.csv").write_text("\n".join([*lines[:4], f'{ids[1]},"never', "closed", "", ""]))
    with pytest.raises(InputError, match=r"b.csv, line 5: is no valid CSV"):
        import_answers(asked, tmp_path / "b.csv", tmp_path / "run", allow_missing=True)


def test_the_layout_is_that_of_the_setting(asked: Benchmark, rows: list[dict[str, Any]], tmp_path: Path) -> None:
    file = jsonl(tmp_path / "a.jsonl", rows)
    assert import_answers(asked, file, tmp_path / "ego", setting="ego")[0].layout == "ego"
    assert import_answers(asked, file, tmp_path / "mine", setting="of my own", new_setting=True)[0].layout == "plain"
    assert (
        import_answers(asked, file, tmp_path / "other", setting="of my own", new_setting=True, layout="ego")[0].layout
        == "ego"
    )


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
    with pytest.raises(InputError, match=r"answers.txt: is no .csv, .tsv or .jsonl file"):
        import_answers(asked, tmp_path / "answers.txt", tmp_path / "run")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "run.json").write_text("{}")
    with pytest.raises(InputError, match="holds a run already"):
        import_answers(asked, cut, tmp_path / "run")
