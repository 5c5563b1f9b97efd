from __future__ import annotations

import dataclasses
from operator import attrgetter
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from making import benchmark_of, question
from probe4d import engine
from probe4d.benchmarks.benchmark import Benchmark, read_benchmark, write_benchmark
from probe4d.benchmarks.question import QUESTION_SCHEMA
from probe4d.errors import InputError

FAMILIES = ("qualitative", "quantitative", "situational")


def made(**record: object) -> Benchmark:
    questions = [question(place, family=FAMILIES[place // 10]) for place in range(30)]
    return benchmark_of(questions, **record)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A benchmark of three families, each in row groups of its own."""
    monkeypatch.setattr("probe4d.benchmarks.questions_file.ROW_GROUP_SIZE", 5)
    write_benchmark(made(), tmp_path / "bench", card="")
    return tmp_path / "bench"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "bench"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("probe4d.benchmarks.questions_file.ROW_GROUP_SIZE", 5)
        write_benchmark(made(), path, card="")
    return path


@pytest.mark.parametrize("families", [FAMILIES[:1], FAMILIES[1:2], (FAMILIES[2], FAMILIES[0]), FAMILIES, ()])
def test_families_are_read_in_the_order_of_the_benchmark(folder: Path, families: tuple[str, ...]) -> None:
    part, whole = read_benchmark(folder, families), read_benchmark(folder)
    assert part.table.equals(whole.table.filter(pl.col("family").is_in(list(families))))
    assert (part.record, part.path) == (whole.record, whole.path)


def test_other_families_are_not_read(folder: Path) -> None:
    file = folder / "questions.parquet"
    content = bytearray(file.read_bytes())
    content[4:400] = bytes(396)  # behind the four letters of the format lies the first row group
    file.write_bytes(content)
    with pytest.raises(InputError, match=r"questions\.parquet: is no readable parquet file"):
        read_benchmark(folder)
    with pytest.raises(InputError, match=r"questions\.parquet: is no readable parquet file"):
        read_benchmark(folder, ["qualitative"])
    assert read_benchmark(folder, ["situational"]).table.height == 10


def test_a_file_without_statistics_is_read_too(folder: Path) -> None:
    whole = read_benchmark(folder).table
    whole.sample(fraction=1, shuffle=True, seed=1).write_parquet(folder / "questions.parquet", statistics=False)
    assert read_benchmark(folder, ["situational"]).table.sort("id").equals(whole[20:])


@pytest.mark.parametrize("families", [["situational", "sectors"], "qualitative"])
def test_an_unknown_family_is_refused_with_those_there_are(folder: Path, families: list[str] | str) -> None:
    with pytest.raises(InputError, match=r"bench: has no family '(sectors|q)'\. Choose from its families: qual"):
        read_benchmark(folder, families)


@pytest.mark.parametrize("families", [["quantitative"], ["situational", "quantitative"]])
def test_a_family_that_is_not_whole_is_refused(folder: Path, families: list[str]) -> None:
    read_benchmark(folder).table[:-1].filter(pl.col("order") != 12).write_parquet(folder / "questions.parquet")
    with pytest.raises(InputError, match=r"holds other numbers of questions of the family '\w+' than benchmark\.json"):
        read_benchmark(folder, families)
    assert read_benchmark(folder, ["qualitative"]).table.height == 10


@pytest.mark.parametrize(
    ("column", "words"),
    [
        (pl.lit(2.5).alias("family"), "other numbers of questions of the family 'qualitative'"),
        (pl.struct("family").alias("family"), "other numbers of questions of the family 'qualitative'"),
        (pl.lit("wide").alias("margin"), "holds a value of the wrong type"),
        (pl.lit("0" * 16).alias("id"), "holds the question id 0000000000000000 more than once"),
        (pl.lit(None, pl.String).alias("answer"), "question 0000000000000000 has no value in the column 'answer'"),
        (pl.lit("essay").alias("format"), "unknown format 'essay'"),
    ],
)
def test_a_damaged_part_is_named(folder: Path, column: pl.Expr, words: str) -> None:
    pl.read_parquet(folder / "questions.parquet").with_columns(column).write_parquet(folder / "questions.parquet")
    with pytest.raises(InputError, match=words):
        _ = read_benchmark(folder, ["qualitative"]).table


NAMES = st.lists(st.sampled_from(list(QUESTION_SCHEMA)), min_size=1, unique=True)


@settings(max_examples=40, deadline=None)
@given(
    asked=st.lists(NAMES, max_size=3),
    wanted=st.lists(st.integers(0, 35), max_size=8) | st.just(list(range(30))),
    families=st.none() | st.lists(st.sampled_from(FAMILIES), min_size=1, unique=True),
)
def test_columns_and_rows_are_those_of_the_table(
    written: Path, asked: list[list[str]], wanted: list[int], families: list[str] | None
) -> None:
    read = read_benchmark(written, families)
    whole = made().table.filter(pl.col("family").is_in(FAMILIES if families is None else families))
    ids = [f"{place:016x}" for place in wanted]
    for names in asked:
        assert read.columns(*names).equals(whole.select(names))
    for names in ((), *asked):
        rows = read.rows(ids, *names)
        assert rows.equals(whole.filter(pl.col("id").is_in(ids)).select(names or list(QUESTION_SCHEMA)))
        assert rows.equals(dataclasses.replace(made(), table=whole).rows(ids, *names))
        assert rows.equals(read.rows(dict.fromkeys(ids), *names))
    assert read.table.equals(whole)


def test_a_file_that_was_replaced_meanwhile_is_refused(folder: Path) -> None:
    read = read_benchmark(folder)
    held = read.columns("family")
    write_benchmark(dataclasses.replace(made(), table=made().table.reverse()), folder, card="")
    assert read.columns("family").equals(held)
    for further in (lambda: read.columns("answer"), lambda: read.rows(["0" * 16]), lambda: read.table):
        with pytest.raises(InputError, match=r"questions\.parquet: has changed since it was first read\. Run"):
            further()


def test_a_table_is_read_once_and_when_it_is_asked_for(tmp_path: Path) -> None:
    record = made().record
    benchmark = Benchmark.at(tmp_path / "bench", record)
    assert (benchmark.record, benchmark.path, benchmark.fingerprint) == (record, tmp_path / "bench", record.fingerprint)
    write_benchmark(made(), tmp_path / "bench", card="")
    assert benchmark.table.equals(made().table)
    (tmp_path / "bench" / "questions.parquet").unlink()
    assert benchmark.table is benchmark.table
    assert benchmark.questions == made().questions


def test_a_benchmark_that_is_not_read_yet_is_shown_and_sent_to_processes_as_it_is(tmp_path: Path) -> None:
    benchmark = Benchmark.at(tmp_path / "bench", made().record)
    assert str(made().record.questions) in repr(benchmark)
    write_benchmark(made(), tmp_path / "bench", card="")
    heights = engine.over(attrgetter("table.height"), [benchmark, benchmark], workers=2)
    assert heights == [made().table.height] * 2


def test_a_table_is_checked_when_it_is_asked_for(folder: Path) -> None:
    changed = Benchmark.at(folder, made(fingerprint="0" * 64).record)
    with pytest.raises(InputError, match="fingerprints differ"):
        _ = changed.table
    (folder / "questions.parquet").unlink()
    with pytest.raises(InputError, match=r"questions\.parquet: is no readable parquet file"):
        _ = Benchmark.at(folder, made().record).questions


def test_a_benchmark_that_was_not_read_yet_can_be_changed(folder: Path) -> None:
    benchmark = Benchmark.at(folder, made().record)
    other = dataclasses.replace(benchmark, record=made(version="2").record)
    assert (other.record.version, other.path) == ("2", folder)
    assert other.table.equals(made().table)
    assert dataclasses.replace(benchmark, table=made().table[:3]).table.height == 3


@pytest.mark.parametrize("rows_at_once", [1, 7, 30, 100])
def test_records_come_in_batches_and_in_order(
    rows_at_once: int, written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = made().questions
    monkeypatch.setattr("probe4d.benchmarks.benchmark.ROWS_AT_ONCE", rows_at_once)
    assert list(made().each_question()) == made().questions == expected
    for families in (None, FAMILIES[1:2], [FAMILIES[2], FAMILIES[0]]):
        some = [one for one in expected if families is None or one.family in families]
        read = read_benchmark(written, families)
        assert list(read.each_question()) == some == list(read.each_question())
        assert read.table.height == len(some)
        assert list(read.each_question()) == some


def test_records_of_families_that_lie_scattered_come_in_order(folder: Path) -> None:
    mixed = made().table.sample(fraction=1, shuffle=True, seed=3)
    mixed.write_parquet(folder / "questions.parquet")
    found = [question.id for question in read_benchmark(folder, FAMILIES[:2]).each_question()]
    assert found == mixed.filter(pl.col("family").is_in(FAMILIES[:2]))["id"].to_list()


def test_records_come_up_to_the_one_that_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("probe4d.benchmarks.benchmark.ROWS_AT_ONCE", 4)
    benchmark = made()
    broken = pl.when(pl.col("order") == 9).then(pl.lit("{1}")).otherwise(pl.col("facts")).alias("facts")
    each = dataclasses.replace(benchmark, table=benchmark.table.with_columns(broken)).each_question()
    assert [next(each).order for _ in range(8)] == list(range(8))
    with pytest.raises(InputError, match="question 0000000000000009 does not fit"):
        next(each)
