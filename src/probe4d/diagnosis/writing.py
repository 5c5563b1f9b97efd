"""Writes a diagnosis as files that anyone can read."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from probe4d.diagnosis.comparing.comparisons import run_families_table
from probe4d.diagnosis.tables import COUNTS, Diagnosis
from probe4d.diagnosis.text_metrics.fingerprint import fingerprints_table
from probe4d.store.files import whole_file
from probe4d.store.folders import refuse_full

__all__ = ["FORMULA", "RECORDS_FILE", "refuse_foreign", "without_formulas", "write_tables"]

FORMULA = r"^[=+\-@\t\r\n]"
"""Beginning of texts that a spreadsheet would take for a formula."""

RECORDS_FILE = "records.parquet"
"""Is written before all other files, so that a folder of a killed command is known by it."""

_CSV_SOMETIMES = ("waypoints", "linked", "text_metrics")
"""Tables that not every diagnosis has; those of answers of a kind are others."""


def refuse_foreign(out: Path) -> None:
    """Refuse a folder that no diagnosis can be written to, before any work is done.

    Raises:
        InputError: It is a file, or holds other things than an earlier diagnosis.
    """
    refuse_full(out, "is not empty and holds no report.", own=(RECORDS_FILE,))


def write_tables(diagnosis: Diagnosis, out: Path | str) -> Path:
    """Write the tables of a diagnosis (docs/figures.md), each whole.

    The same diagnosis gives the same bytes. Replies of models go into records.parquet, variants.parquet and, where
    there are such answers, numbers.parquet, intervals.parquet, waypoints.parquet, judged.parquet and texts.parquet
    alone. A text of a CSV file that a spreadsheet would take for a formula (it begins with =, +, -, @, a tab or a line
    end) gets an apostrophe in front; no name of a run can be such a text, so that tables join by `run`.

    Args:
        diagnosis: What to write.
        out: The folder; made if needed, files of an earlier diagnosis are replaced.

    Returns:
        Path of figures.csv.

    Raises:
        InputError: The folder holds something else, or cannot be written to.
    """
    out = Path(out)
    refuse_foreign(out)
    tables = {
        "pairs": diagnosis.pairs,
        "shortcuts": diagnosis.shortcuts,
        "slices": diagnosis.slices,
        "changes": diagnosis.changes,
        "models": diagnosis.models,
        "run_families": run_families_table(diagnosis.run_families),
        "words_alone": diagnosis.words_alone,
        "figures": diagnosis.figures,
    }
    of_other_kinds = {kind: table for kind, table in diagnosis.answered.items() if kind != "labels"}
    asked = {kind: table for kind, table in of_other_kinds.items() if table.height}
    _write_replies(diagnosis.records, out / RECORDS_FILE)
    _write_replies(diagnosis.variants, out / "variants.parquet")
    for kind, table in asked.items():
        _write_replies(table, out / f"{kind}.parquet")
    if "waypoints" in asked:
        tables["waypoints"] = diagnosis.waypoints.drop("text", "waypoints")
    if diagnosis.linked.height:
        tables["linked"] = diagnosis.linked
    if diagnosis.text_fingerprints:
        tables["text_metrics"] = fingerprints_table(diagnosis.text_fingerprints)
    not_there = [f"{kind}.parquet" for kind in of_other_kinds if kind not in asked]
    not_there += [f"{name}.csv" for name in _CSV_SOMETIMES if name not in tables]
    for file in not_there:
        (out / file).unlink(missing_ok=True)  # another diagnosis may have left it there
    for name, table in tables.items():
        with whole_file(out / f"{name}.csv") as temporary:
            _plain_counts(table.with_columns(without_formulas(pl.col(pl.String)))).write_csv(temporary)
    return out / "figures.csv"


def _write_replies(table: pl.DataFrame, path: Path) -> None:
    with whole_file(path) as temporary:
        table.write_parquet(temporary, compression="zstd", statistics=False)


def _plain_counts(table: pl.DataFrame) -> pl.DataFrame:
    """Write the values of counts without a decimal point; other values as they are."""
    if not {"metric", "value"} <= set(table.columns):
        return table
    value = pl.col("value")
    text = pl.when(pl.col("metric").is_in(COUNTS)).then(value.cast(pl.Int64).cast(pl.String))
    return table.with_columns(value=text.otherwise(value.cast(pl.String)))


def without_formulas(texts: pl.Expr) -> pl.Expr:
    """Texts with an apostrophe before those that a spreadsheet would take for a formula."""
    return pl.when(texts.str.contains(FORMULA)).then(pl.lit("'") + texts).otherwise(texts).name.keep()
