"""The file of a benchmark's questions, `questions.parquet`: written, and read with everything that it promises."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import polars as pl

from probe4d.benchmarks.question import FORMATS, QUESTION_SCHEMA, REQUIRED_COLUMNS
from probe4d.errors import InputError
from probe4d.store.files import whole_file

__all__ = ["read_questions", "write_questions"]

ROW_GROUP_SIZE = 100_000
"""Most rows of a row group of `questions.parquet`, whose statistics tell a reader of one family where it lies.

No more than polars works on at a time, else the columns of what is read lie in unlike chunks, and whatever takes the
whole table copies it first.
"""


def write_questions(questions: pl.DataFrame | pl.LazyFrame, file: Path) -> None:
    """Write `questions.parquet`, in the order of the rows, which are not held in memory all at once.

    The compression is the one that is quickest to read: files of zstd are smaller by two fifths, and take half as
    long again.

    Raises:
        InputError: Two questions have one id.
    """
    in_columns = questions.lazy().select(list(QUESTION_SCHEMA))
    with whole_file(file) as temporary:
        in_columns.sink_parquet(temporary, compression="lz4", row_group_size=ROW_GROUP_SIZE)
        if (identity := _repeated_id(pl.read_parquet(temporary, columns=["id"]))) is not None:
            raise InputError(f"two questions have the id {identity}: nothing is written.")


def read_questions(path: Path, families: Collection[str] | None) -> pl.DataFrame:
    """Read questions and check each value that can be checked by column.

    Args:
        path: The file.
        families: Families to read; null reads all.

    Returns:
        Columns of `QUESTION_SCHEMA`, in the order of the file. `facts` are not decoded: what lies inside is refused
        where a question becomes a record (see `questions_from`).

    Raises:
        InputError: The file cannot be read, a column is missing, a value is missing or does not fit, or ids repeat.
    """
    rows = pl.scan_parquet(path, glob=False)
    try:
        present = rows.collect_schema().names()
        missing = [name for name in QUESTION_SCHEMA if name not in present]
        if missing:
            raise InputError(f"lacks the column {missing[0]!r}.", path=path, remedy="Build the benchmark again.")
        if families is not None:
            rows = rows.filter(pl.col("family").cast(pl.String()).is_in(list(families)))
        table = rows.select(list(QUESTION_SCHEMA)).collect()
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"is no readable parquet file ({error}).", path=path, remedy="Build it again.") from error
    try:
        table = table.cast(dict(QUESTION_SCHEMA))  # type: ignore[arg-type]
    except pl.exceptions.PolarsError as error:
        raise InputError(f"holds a value of the wrong type ({error}).", path=path) from error
    _refuse_incomplete(table, path)
    if (identity := _repeated_id(table)) is not None:
        raise InputError(f"holds the question id {identity} more than once.", path=path)
    strange = table.filter(~pl.col("format").is_in(FORMATS))
    if strange.height:
        raise InputError(
            f"question {strange['id'][0]} has the unknown format {strange['format'][0]!r}.",
            path=path,
            remedy=f"Known are {', '.join(FORMATS)}.",
        )
    return table


def _repeated_id(table: pl.DataFrame) -> str | None:
    """The first id that two questions have; null if all differ."""
    if table["id"].hash().n_unique() == table.height:  # equal ids have equal hashes
        return None
    repeated = table.filter(pl.col("id").is_duplicated())["id"]
    return str(repeated[0]) if repeated.len() else None


def _refuse_incomplete(table: pl.DataFrame, path: Path) -> None:
    """Refuse a table in which a value that every question has is missing, or `facts` is plainly no JSON object."""
    remedy = "Build or import the benchmark again."
    for name in REQUIRED_COLUMNS:
        if table[name].null_count():
            identity = table.filter(pl.col(name).is_null())["id"][0]
            which = "a question" if identity is None else f"question {identity}"
            raise InputError(f"{which} has no value in the column {name!r}.", path=path, remedy=remedy)
    broken = table.select("id", "facts")
    for facts in (pl.col("facts"), pl.col("facts").str.strip_chars()):  # white space is rare, and slow to take off
        broken = broken.filter(~(facts.str.starts_with("{") & facts.str.ends_with("}")))
    if broken.height:
        what = f"question {broken['id'][0]} has no JSON object in the column 'facts'."
        raise InputError(what, path=path, remedy=remedy)
