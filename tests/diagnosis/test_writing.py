"""The files of a diagnosis."""

from __future__ import annotations

import dataclasses
import hashlib
from contextlib import AbstractContextManager
from pathlib import Path

import polars as pl
import pytest
from diagnosis_making import driving_benchmark, mixture, oracle, run_of, varied_run

from probe4d.diagnosis.comparing.comparisons import RUN_FAMILIES_SCHEMA
from probe4d.diagnosis.diagnose import diagnose
from probe4d.diagnosis.tables import COUNTS, FIGURES_SCHEMA, Diagnosis
from probe4d.diagnosis.writing import RECORDS_FILE, write_tables
from probe4d.errors import InputError
from probe4d.store.files import whole_file

PARQUET = {"records.parquet", "variants.parquet"}
FILES = {
    "changes.csv",
    "figures.csv",
    "models.csv",
    "run_families.csv",
    "pairs.csv",
    "shortcuts.csv",
    "slices.csv",
    "words_alone.csv",
    *PARQUET,
}


@pytest.fixture(scope="module")
def diagnosis() -> Diagnosis:
    benchmark = driving_benchmark(61, scenes=5, per_family=20)
    runs = [
        run_of("knows", benchmark, oracle),
        run_of("plain", benchmark, mixture(1, 0.5)),
        varied_run("seeds", benchmark, lambda asked, way: asked.answer, setting="repeat:2", model="plain"),
    ]
    return diagnose(dataclasses.replace(benchmark, table=_with_formula(benchmark.table)), runs)


def _with_formula(table: pl.DataFrame) -> pl.DataFrame:
    """A family that a spreadsheet would run."""
    return table.with_columns(pl.col("family").replace("existence", "=cmd|' /C calc'!A0"))


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@x", "\tx"])
def test_a_run_is_not_named_like_a_formula(name: str) -> None:
    benchmark = driving_benchmark(61, scenes=5, per_family=20)
    with pytest.raises(InputError, match=r"begins like a formula.*Rename the run folder"):
        diagnose(benchmark, [run_of(name, benchmark, oracle)])


def test_every_table_is_written_and_reads_back(diagnosis: Diagnosis, tmp_path: Path) -> None:
    assert write_tables(diagnosis, tmp_path / "report") == tmp_path / "report" / "figures.csv"
    assert {path.name for path in (tmp_path / "report").iterdir()} == FILES
    figures = pl.read_csv(tmp_path / "report" / "figures.csv", schema=FIGURES_SCHEMA)
    named = diagnosis.figures.with_columns(pl.col("family").str.replace("^=", "'="))
    assert figures.equals(named)
    assert pl.read_parquet(tmp_path / "report" / "records.parquet").equals(diagnosis.records)
    assert pl.read_parquet(tmp_path / "report" / "variants.parquet").equals(diagnosis.variants)
    assert pl.read_csv(tmp_path / "report" / "run_families.csv", schema=RUN_FAMILIES_SCHEMA).rows() == [
        ("seeds vs plain", "setting", "seeds", "plain", "unknown", "unknown", "repeat:2", "default", 60, "plain")
    ]


def test_counts_are_written_as_counts(diagnosis: Diagnosis, tmp_path: Path) -> None:
    write_tables(diagnosis, tmp_path)
    rows = pl.read_csv(tmp_path / "figures.csv", infer_schema=False)
    counts = rows.filter(pl.col("metric").is_in(COUNTS))
    assert {"pairs", "selected_a", "rescues", "repairs"} <= set(counts["metric"])
    assert counts["value"].str.contains(r"^\d+$").all()
    fractions = rows.filter(pl.col("metric") == "accuracy")
    assert fractions["value"].str.contains(r"^\d\.\d+$").all()


def test_no_cell_is_a_formula(diagnosis: Diagnosis, tmp_path: Path) -> None:
    write_tables(diagnosis, tmp_path)
    for name in FILES - PARQUET:
        table = pl.read_csv(tmp_path / name, infer_schema=False)
        for column in table.select(pl.selectors.string()).drop(
            "low", "high", "value", "excess", "beyond", "beyond_low", "beyond_high", strict=False
        ):
            assert not column.str.contains(r"^[=+@\t\r]").any()
    assert ",'=cmd|" in (tmp_path / "figures.csv").read_text()


def test_the_same_diagnosis_gives_the_same_bytes(diagnosis: Diagnosis, tmp_path: Path) -> None:
    again = diagnose(diagnosis.benchmark, diagnosis.runs)
    digests = []
    for number, one in enumerate((diagnosis, again)):
        write_tables(one, tmp_path / str(number))
        digests.append(
            [hashlib.sha256((tmp_path / str(number) / name).read_bytes()).hexdigest() for name in sorted(FILES)]
        )
    assert digests[0] == digests[1]


def test_an_earlier_diagnosis_is_replaced(diagnosis: Diagnosis, tmp_path: Path) -> None:
    write_tables(diagnosis, tmp_path)
    (tmp_path / "figures.csv").write_text("old")
    (tmp_path / "notes.txt").write_text("mine")
    write_tables(diagnosis, tmp_path)
    assert pl.read_csv(tmp_path / "figures.csv", schema=FIGURES_SCHEMA).height == diagnosis.figures.height
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_nothing_is_written_among_what_others_wrote(diagnosis: Diagnosis, tmp_path: Path) -> None:
    (tmp_path / "figures.csv").write_text("mine")
    with pytest.raises(InputError, match="holds no report"):
        write_tables(diagnosis, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["figures.csv"]


@pytest.mark.parametrize("written", range(4))
def test_a_folder_where_writing_was_interrupted_is_written_to_again(
    written: int, diagnosis: Diagnosis, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun = []

    def interrupted(path: Path) -> AbstractContextManager[Path]:
        if len(begun) == written:
            raise KeyboardInterrupt
        begun.append(path.name)
        return whole_file(path)

    with monkeypatch.context() as patched:
        patched.setattr("probe4d.diagnosis.writing.whole_file", interrupted)
        with pytest.raises(KeyboardInterrupt):
            write_tables(diagnosis, tmp_path)
    assert begun[:1] == [RECORDS_FILE][:written]
    write_tables(diagnosis, tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == FILES


def test_a_folder_that_cannot_be_made(diagnosis: Diagnosis, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be written"):
        write_tables(diagnosis, tmp_path / "file" / "report")
