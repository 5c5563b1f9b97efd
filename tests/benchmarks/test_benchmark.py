from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from making import benchmark_of
from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord, read_benchmark, write_benchmark
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import (
    QUESTION_SCHEMA,
    REQUIRED_COLUMNS,
    Evidence,
    Question,
    question_id,
    questions_from,
    to_table,
)
from probe4d.errors import InputError


def question(identity: str, **fields: object) -> Question:
    given: dict[str, object] = {
        "format": "yes-no",
        "frames": (3,),
        "entities": ("car",),
        "facts": {"b": [1.5], "a": None},
    }
    return Question(
        id=identity,
        suite="lidar-hallu",
        family="existence",
        template="existence-yes-no",
        scene="s",
        keyframes=40,
        question="Does car exist in frame 003?",
        answer="Yes",
        rule="class-membership",
        evidence=Evidence(frames=(3,)),
        order=0,
        **(given | fields),  # type: ignore[arg-type]
    )


def made(*identities: str) -> Benchmark:
    questions = [question(identity) for identity in identities]
    return benchmark_of(questions, version="1.0", seed=42, parameters={"per_family": 4})


def test_the_same_question_has_the_same_id_for_good() -> None:
    given = {"suite": "lidar-hallu", "template": "existence-yes-no", "scene": "scene-0103", "frames": [3]}
    text = "Does car exist in frame 003?"
    identity = question_id(**given, entities=["car"], channel=None, question=text, options=[])  # type: ignore[arg-type]
    canonical = '["lidar-hallu","existence-yes-no","scene-0103",[3],["car"],null,"Does car exist in frame 003?",[]]'
    assert identity == hashlib.sha256(canonical.encode()).hexdigest()[:16]


def test_questions_survive_their_table() -> None:
    questions = [question("a"), question("b", margin=2.5, lidar_points=3, relation="left", options=("x", "y"))]
    assert questions_from(to_table(questions)) == questions


def test_a_fingerprint_is_that_of_the_ids_alone() -> None:
    assert fingerprint(made("b", "a").table) == hashlib.sha256(b"a\nb\n").hexdigest()


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=3)))
@example(["\uffff", "\U0001f697", "é", "e", ""])
def test_ids_are_in_the_order_of_their_characters_in_a_fingerprint(ids: list[str]) -> None:
    expected = hashlib.sha256("".join(f"{one}\n" for one in sorted(ids)).encode()).hexdigest()
    assert fingerprint(pl.DataFrame({"id": ids}, schema={"id": pl.String()})) == expected


def test_a_benchmark_is_read_as_written(tmp_path: Path) -> None:
    written = write_benchmark(made("a", "b"), tmp_path / "bench", card="# Card\n")
    again = read_benchmark(tmp_path / "bench")
    assert again.table.equals(written.table)
    assert again.record == written.record
    assert again.path == written.path == tmp_path / "bench"
    assert (tmp_path / "bench" / "README.md").read_text() == "# Card\n"


def test_a_benchmark_replaces_a_benchmark_but_nothing_else(tmp_path: Path) -> None:
    write_benchmark(made("a"), tmp_path / "bench", card="")
    write_benchmark(made("b"), tmp_path / "bench", card="")
    assert read_benchmark(tmp_path / "bench").table["id"].to_list() == ["b"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("precious")
    with pytest.raises(InputError, match="holds no benchmark"):
        write_benchmark(made("a"), tmp_path / "other", card="")
    assert (tmp_path / "other" / "thesis.tex").read_text() == "precious"


def test_a_file_is_no_place_for_a_benchmark(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("precious")
    with pytest.raises(InputError, match="is a file, not a folder"):
        write_benchmark(made("a"), tmp_path / "file", card="")


def no_record(folder: Path) -> None:
    (folder / "benchmark.json").unlink()


def half_a_record(folder: Path) -> None:
    (folder / "benchmark.json").write_bytes((folder / "benchmark.json").read_bytes()[:40])


def no_questions(folder: Path) -> None:
    (folder / "questions.parquet").unlink()


def half_the_questions(folder: Path) -> None:
    (folder / "questions.parquet").write_bytes((folder / "questions.parquet").read_bytes()[:-40])


def changed(**columns: pl.Expr) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        table = pl.read_parquet(folder / "questions.parquet")
        table.with_columns(**columns).write_parquet(folder / "questions.parquet")

    return change


def without_a_column(folder: Path) -> None:
    pl.read_parquet(folder / "questions.parquet").drop("answer").write_parquet(folder / "questions.parquet")


def nth(name: str, value: str | None) -> Callable[[Path], None]:
    """Put a value into the last row of a column."""
    last = pl.int_range(pl.len()) == pl.len() - 1
    return changed(**{name: pl.when(last).then(pl.lit(value)).otherwise(pl.col(name))})


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (no_record, r"has no benchmark\.json"),
        (half_a_record, r"benchmark\.json: is damaged"),
        (no_questions, r"has no questions\.parquet"),
        (half_the_questions, "is no readable parquet file"),
        (without_a_column, "lacks the column 'answer'"),
        (changed(id=pl.lit("a")), "holds the question id a more than once"),
        (changed(id=pl.col("id") + "x"), "fingerprints differ"),
        (changed(format=pl.lit("essay")), "unknown format 'essay'"),
        (nth("family", "other"), "other numbers of questions of the family"),
        (nth("format", "text"), "other numbers of questions of the family"),
        (nth("id", None), "a question has no value in the column 'id'"),
        *((nth(name, None), f"question b has no value in the column '{name}'") for name in ("family", "format")),
    ],
)
def test_a_damaged_benchmark_is_named(tmp_path: Path, damage: Callable[[Path], None], words: str) -> None:
    folder = tmp_path / "bench"
    write_benchmark(made("a", "b"), folder, card="")
    damage(folder)
    with pytest.raises(InputError, match=words):
        read_benchmark(folder)


@pytest.mark.parametrize(
    ("damage", "column", "words"),
    [
        (changed(margin=pl.lit("wide")), "margin", "value of the wrong type"),
        *(
            (nth(name, None), name, f"question b has no value in the column '{name}'")
            for name in REQUIRED_COLUMNS
            if name not in ("id", "family", "format")
        ),
        *(
            (nth("facts", text), "facts", r"questions\.parquet: question b has no JSON object in the column 'facts'")
            for text in ("", "no", '{"a": ', "[1]", "null", '{"a":' * 100_000)
        ),
    ],
)
def test_a_damaged_value_is_named_where_its_column_is_read(
    tmp_path: Path, damage: Callable[[Path], None], column: str, words: str
) -> None:
    folder = tmp_path / "bench"
    write_benchmark(made("a", "b"), folder, card="")
    damage(folder)
    ways: list[Callable[[Benchmark], object]] = [
        lambda read: read.table,
        lambda read: read.columns("question", column),
        lambda read: read.rows(["b"]),
        lambda read: read.questions,
    ]
    for way in ways:
        with pytest.raises(InputError, match=words):
            way(read_benchmark(folder))
    read_benchmark(folder).columns("question")


def test_facts_may_be_written_with_white_space(tmp_path: Path) -> None:
    write_benchmark(made("a", "b"), tmp_path / "bench", card="")
    nth("facts", '\n { "a" : 1 }\t')(tmp_path / "bench")
    assert read_benchmark(tmp_path / "bench").questions[1].facts == {"a": 1}


def test_what_may_be_missing_may_be_null(tmp_path: Path) -> None:
    write_benchmark(made("a", "b"), tmp_path / "bench", card="")
    for name in set(QUESTION_SCHEMA) - set(REQUIRED_COLUMNS):
        nth(name, None)(tmp_path / "bench")
    assert [question.id for question in read_benchmark(tmp_path / "bench").questions] == ["a", "b"]


@pytest.mark.parametrize(
    "column",
    [
        {"options": pl.Series([["x"], [None]])},
        {"frames": pl.Series([[1], [None]])},
        {"facts": pl.Series(["{}", "[" * 100_000])},
        {"facts": pl.Series(["{}", '{"a": nan}'])},
        {"facts": pl.Series(["{}", '{"a": 1} {}'])},
        {"facts": pl.Series(["{}", '{"a": 1},{}'])},
        {"answer": pl.Series(["Yes", None])},
    ],
)
def test_a_value_that_fits_no_question_names_it(column: dict[str, pl.Series]) -> None:
    table = made("a", "b").table.with_columns(**column)
    with pytest.raises(InputError, match=r"here\.parquet: question b does not fit"):
        questions_from(table, path=Path("here.parquet"))


def test_ids_that_repeat_are_not_written(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="two questions have the id a"):
        write_benchmark(made("a", "a"), tmp_path / "bench", card="")
    assert list(tmp_path.iterdir()) == []


def test_a_build_that_fails_leaves_the_benchmark_before_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_benchmark(made("a"), tmp_path / "bench", card="first")
    (tmp_path / "bench" / "prompts.jsonl").write_text("mine")

    def full(path: Path, content: str) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("probe4d.benchmarks.benchmark.write_text", full)
        with pytest.raises(OSError, match="No space"):
            write_benchmark(made("b"), tmp_path / "bench", card="second")
    assert read_benchmark(tmp_path / "bench").table["id"].to_list() == ["a"]
    assert [path.name for path in tmp_path.iterdir()] == ["bench"]
    write_benchmark(made("b"), tmp_path / "bench", card="third")
    assert read_benchmark(tmp_path / "bench").table["id"].to_list() == ["b"]
    assert (tmp_path / "bench" / "prompts.jsonl").read_text() == "mine"


def test_a_folder_that_is_none_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a folder"):
        read_benchmark(tmp_path / "nowhere")


def test_the_record_is_plain_json(tmp_path: Path) -> None:
    write_benchmark(made("a"), tmp_path, card="")
    plain = json.loads((tmp_path / "benchmark.json").read_text())
    assert plain["counts"] == {"existence": {"yes-no": 1}}
    assert msgspec.convert(plain, BenchmarkRecord) == made("a").record
