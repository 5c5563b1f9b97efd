"""The file of a benchmark's questions, `questions.parquet`: written, and read with everything that it promises."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from probe4d.benchmarks.question import FORMATS, QUESTION_SCHEMA, REQUIRED_COLUMNS
from probe4d.errors import InputError
from probe4d.store.files import whole_file

__all__ = ["HeldQuestions", "StoredQuestions", "write_questions"]

ROW_GROUP_SIZE = 100_000
"""Most rows of a row group of `questions.parquet`, whose statistics tell a reader of one family where it lies.

No more than polars works on at a time, else the columns of what is read lie in unlike chunks, and whatever takes the
whole table copies it first.
"""

_FIRST = ("id", "family", "format")
"""What is read, and checked, before anything else: which questions there are."""

_REBUILD = "Build or import the benchmark again."


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


class HeldQuestions:
    """The questions in memory, asked for as those in a file are (see `StoredQuestions`).

    Args:
        table: Columns of `QUESTION_SCHEMA`.
    """

    def __init__(self, table: pl.DataFrame) -> None:
        self.table = table

    def columns(self, names: Sequence[str]) -> pl.DataFrame:
        """Give columns of all questions."""
        return self.table.select(names)

    def rows(self, ids: Collection[str], names: Sequence[str]) -> pl.DataFrame:
        """Give columns of the questions of these ids, in the order of the table."""
        return self.table.filter(_are(_series(ids))).select(names)

    def batches(self, most: int) -> Iterator[pl.DataFrame]:
        """Give the questions in their order, at most so many at a time."""
        return self.table.iter_slices(most)


class StoredQuestions:
    """The questions in a file, each column of which is read, and checked, when it is first asked for.

    Of three million questions most work needs few columns: ids and families to choose by, formats and references to
    score by; the longest, such as facts, are needed of the few questions that are asked or shown.

    Args:
        path: The file.
        families: Families to read; null reads all.
        accept: Told of the columns `id`, `family` and `format`, in the order of the file, before any other is read;
            raises where these are not the questions that were expected.
    """

    def __init__(self, path: Path, families: Collection[str] | None, accept: Callable[[pl.DataFrame], None]) -> None:
        self._path = path
        self._families = None if families is None else list(families)
        self._accept = accept
        self._held = pl.DataFrame()
        self._version: tuple[int, ...] = ()

    def columns(self, names: Sequence[str]) -> pl.DataFrame:
        """Give columns of all questions, in the order of the file; what was read once is kept.

        Args:
            names: Names in `QUESTION_SCHEMA`.

        Raises:
            InputError: The file cannot be read, is another one than before, lacks a column, or a value is missing or
                does not fit. `facts` are not decoded: what lies inside is refused where a question becomes a record
                (see `probe4d.benchmarks.question.questions_from`).
        """
        if not self._held.width:
            first = self._read(_FIRST)
            self._refuse_strange(first)
            self._accept(first)
            self._held = first
        if further := [name for name in names if name not in self._held.columns]:
            self._held = self._held.hstack(self._read(further, of=self._held["id"]))
        return self._held.select(names)

    def rows(self, ids: Collection[str], names: Sequence[str]) -> pl.DataFrame:
        """Give columns of the questions of these ids, in the order of the file.

        Of columns that were not asked for before nothing but these rows is held, unless the ids are those of all.

        Raises:
            InputError: As `columns`.
        """
        held = self.columns([*_FIRST, *(name for name in names if name in self._held.columns and name not in _FIRST)])
        given = _series(ids)
        if given.equals(held["id"]):
            return self.columns(names)
        wanted = _are(given)
        rows = held.filter(wanted)
        if further := [name for name in names if name not in rows.columns]:
            none = pl.DataFrame(schema={name: QUESTION_SCHEMA[name] for name in further})
            rows = rows.hstack(self._read(further, of=rows["id"], where=wanted) if rows.height else none)
        return rows.select(names)

    def batches(self, most: int) -> Iterator[pl.DataFrame]:
        """Give all columns of the questions in the order of the file, of at most so many at a time, and keep none.

        Raises:
            InputError: As `columns`.
        """
        questions = self.columns(_FIRST[:1]).height
        stretches = [(0, questions)] if self._families is None else self._stretches()
        for first, end in stretches:
            for start in range(first, end, most):
                yield self._read(list(QUESTION_SCHEMA), part=slice(start, min(start + most, end)))

    def _stretches(self) -> list[tuple[int, int]]:
        """First row, and the one behind the last, of each stretch of the file that is of the families that are read."""
        with self._readable():
            runs = self._rows().select(self._is_read().rle()).collect().to_series().struct.unnest()
        ends = runs["len"].cum_sum()
        stretches = pl.DataFrame({"first": ends - runs["len"], "end": ends}).filter(runs["value"])
        return list(stretches.iter_rows())

    def _rows(self) -> pl.LazyFrame:
        return pl.scan_parquet(self._path, glob=False)

    def _is_read(self) -> pl.Expr:
        """Whether a row is of the families that are read, where these are not all."""
        return pl.col("family").cast(pl.String()).is_in(self._families or [])

    def _read(
        self,
        names: Sequence[str],
        *,
        of: pl.Series | None = None,
        where: pl.Expr | None = None,
        part: slice | None = None,
    ) -> pl.DataFrame:
        """Read columns and check each of their values that can be checked by column.

        Args:
            names: The columns.
            of: Ids of the rows, to name a question by; null where they are among the columns.
            where: Which rows; null reads all.
            part: Which rows of the file; null reads those of the families that are read.
        """
        kinds = {name: QUESTION_SCHEMA[name] for name in names}
        with self._readable():
            rows = self._rows()
            self._refuse_other_schema(rows.collect_schema())
            if part is not None:
                rows = rows.slice(part.start, part.stop - part.start)
            elif self._families is not None:
                rows = rows.filter(self._is_read())
            if where is not None:
                rows = rows.filter(where)
            table = rows.select(names).collect()
        try:
            table = table.cast(dict(kinds))  # type: ignore[arg-type]
        except pl.exceptions.PolarsError as error:
            raise InputError(f"holds a value of the wrong type ({error}).", path=self._path) from error
        _refuse_incomplete(table, table["id"] if of is None else of, self._path)
        return table

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Turn what a block cannot read into errors for people, and refuse a file that has changed meanwhile."""
        try:
            before = self._version_now()
            if self._version and self._version != before:
                raise InputError(
                    "has changed since it was first read.", path=self._path, remedy="Run the command again."
                )
            yield
            self._version = before
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise InputError(
                f"is no readable parquet file ({error}).", path=self._path, remedy="Build it again."
            ) from error

    def _version_now(self) -> tuple[int, ...]:
        status = os.stat(self._path)
        return (status.st_ino, status.st_size, status.st_mtime_ns)

    def _refuse_other_schema(self, present: pl.Schema) -> None:
        for name in QUESTION_SCHEMA:
            if name not in present:
                raise InputError(f"lacks the column {name!r}.", path=self._path, remedy="Build the benchmark again.")

    def _refuse_strange(self, first: pl.DataFrame) -> None:
        """Refuse ids that repeat, and formats that are not known."""
        if (identity := _repeated_id(first)) is not None:
            raise InputError(f"holds the question id {identity} more than once.", path=self._path)
        strange = first.filter(~pl.col("format").is_in(FORMATS))
        if strange.height:
            raise InputError(
                f"question {strange['id'][0]} has the unknown format {strange['format'][0]!r}.",
                path=self._path,
                remedy=f"Known are {', '.join(FORMATS)}.",
            )


def _series(ids: Collection[str]) -> pl.Series:
    return pl.Series(ids if isinstance(ids, pl.Series) else list(ids), dtype=pl.String())


def _are(ids: pl.Series) -> pl.Expr:
    """Whether a question is one of those of these ids."""
    return pl.col("id").cast(pl.String()).is_in(ids.implode())


def _repeated_id(table: pl.DataFrame) -> str | None:
    """The first id that two questions have; null if all differ."""
    if table["id"].hash().n_unique() == table.height:  # equal ids have equal hashes
        return None
    repeated = table.filter(pl.col("id").is_duplicated())["id"]
    return str(repeated[0]) if repeated.len() else None


def _refuse_incomplete(table: pl.DataFrame, ids: pl.Series, path: Path) -> None:
    """Refuse columns in which a value that every question has is missing, or `facts` is plainly no JSON object."""
    for name in REQUIRED_COLUMNS:
        if name in table.columns and table[name].null_count():
            identity = ids.filter(table[name].is_null())[0]
            which = "a question" if identity is None else f"question {identity}"
            raise InputError(f"{which} has no value in the column {name!r}.", path=path, remedy=_REBUILD)
    if "facts" not in table.columns:
        return
    broken = table.select("facts", id=ids)
    for facts in (pl.col("facts"), pl.col("facts").str.strip_chars()):  # white space is rare, and slow to take off
        broken = broken.filter(~(facts.str.starts_with("{") & facts.str.ends_with("}")))
    if broken.height:
        what = f"question {broken['id'][0]} has no JSON object in the column 'facts'."
        raise InputError(what, path=path, remedy=_REBUILD)
