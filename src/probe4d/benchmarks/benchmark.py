"""A benchmark on disk: a folder of questions that anyone can read without Probe4D."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import QUESTION_SCHEMA, ROWS_AT_ONCE, Question, questions_from
from probe4d.benchmarks.questions_file import HeldQuestions, StoredQuestions, write_questions
from probe4d.errors import InputError
from probe4d.origins import title_of
from probe4d.store.files import write_bytes, write_text
from probe4d.store.folders import refuse_full, whole_folder

__all__ = [
    "CARD_FILE",
    "QUESTIONS_FILE",
    "RECORD_FILE",
    "Benchmark",
    "BenchmarkRecord",
    "SourceDataset",
    "benchmark_folder",
    "counts_of",
    "read_benchmark",
    "read_record",
    "refuse_taken",
    "write_benchmark",
    "write_description",
]

QUESTIONS_FILE = "questions.parquet"
RECORD_FILE = "benchmark.json"
CARD_FILE = "README.md"


class SourceDataset(msgspec.Struct, frozen=True, kw_only=True):
    """The dataset that the answers were measured in.

    Attributes:
        name: Name of the dataset's format, such as `nuscenes`.
        version: Table version, such as `v1.0-trainval`.
        fingerprint: SHA-256 of the contents of its tables; null for imported records.
        licence: The source's licence, in words; goes into the card.
        split: The split that was used, in words.
        scenes: Number of scenes used.
    """

    name: str
    version: str
    fingerprint: str | None
    licence: str
    split: str
    scenes: int

    @property
    def title(self) -> str:
        """What the dataset is called in a sentence."""
        return title_of(self.name, self.version)


class BenchmarkRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Content of `benchmark.json`.

    Attributes:
        suite: Name of the suite.
        version: Version of the suite's rules and wording.
        seed: Seed of every draw; null for imported records.
        parameters: The build's parameters.
        counts: Questions by family, then by format.
        exclusions: Candidates that filters took out, by reason.
        shortfalls: What was asked for and could not be had, as sentences.
        source: The dataset.
        fingerprint: SHA-256 over the sorted question ids.
        probe4d: Version of Probe4D that wrote it.
    """

    suite: str
    version: str
    seed: int | None
    parameters: dict[str, Any]
    counts: dict[str, dict[str, int]]
    exclusions: dict[str, int]
    shortfalls: list[str]
    source: SourceDataset
    fingerprint: str
    probe4d: str

    @property
    def questions(self) -> int:
        """Number of questions."""
        return sum(sum(formats.values()) for formats in self.counts.values())


class _Table:
    """The field `Benchmark.table`: a table, or questions in a file that are read as a whole when it is asked for."""

    def __get__(self, benchmark: Benchmark | None, owner: type[Benchmark]) -> pl.DataFrame:
        if benchmark is None:  # asked of the class, whose field has no default
            raise AttributeError("table")
        held: HeldQuestions | StoredQuestions = vars(benchmark)["table"]
        if isinstance(held, StoredQuestions):
            held = vars(benchmark)["table"] = HeldQuestions(held.columns(list(QUESTION_SCHEMA)))
        return held.table

    def __set__(self, benchmark: Benchmark, table: pl.DataFrame | StoredQuestions) -> None:
        vars(benchmark)["table"] = HeldQuestions(table) if isinstance(table, pl.DataFrame) else table


@dataclass(frozen=True, repr=False)
class Benchmark:
    """A benchmark.

    Of one that lies on disk each column is read, and checked, when it is first asked for: ask `columns` and `rows` for
    what you need, since all columns of three million questions fill gigabytes.

    Attributes:
        table: Questions as columns (see `QUESTION_SCHEMA`), in order of family file and position.
        record: Content of `benchmark.json`.
        path: Folder it was read from; null if it was not.
        derived: Tables that others worked out from this one, by what they are of, so that each is worked out once.
    """

    table: _Table = _Table()
    record: BenchmarkRecord  # type: ignore[misc]  # mypy takes the descriptor for a default
    path: Path | None = None
    derived: dict[Hashable, pl.DataFrame] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def at(cls, path: Path | str, record: BenchmarkRecord, families: Collection[str] | None = None) -> Benchmark:
        """The benchmark in a folder, whose questions are read, and checked, when they are first asked for.

        Args:
            path: The folder.
            record: Content of its `benchmark.json`.
            families: Families to read, which the record lists; null reads all.
        """
        path = Path(path)
        expected = partial(_refuse_other_questions, path / QUESTIONS_FILE, record, families)
        return cls(StoredQuestions(path / QUESTIONS_FILE, families, expected), record, path)

    def columns(self, *names: str) -> pl.DataFrame:
        """Columns of all questions, in the order of `table`.

        Args:
            names: Names in `QUESTION_SCHEMA`.

        Raises:
            InputError: A column cannot be read, or a value in it is missing or does not fit.
        """
        return self._held.columns(names)

    def rows(self, ids: Collection[str], *names: str) -> pl.DataFrame:
        """Columns of the questions of these ids, in the order of `table`; ids of no question give no row.

        Args:
            ids: The questions.
            names: Names in `QUESTION_SCHEMA`; none gives all columns.

        Raises:
            InputError: As `columns`.
        """
        return self._held.rows(ids, names or tuple(QUESTION_SCHEMA))

    @property
    def _held(self) -> HeldQuestions | StoredQuestions:
        held: HeldQuestions | StoredQuestions = vars(self)["table"]
        return held

    def __repr__(self) -> str:
        """Tell what it is of, without reading its questions."""
        return f"Benchmark({self.record.suite}, {self.record.questions:,} questions, {self.path})"

    def records(self, ids: Collection[str]) -> list[Question]:
        """The questions of these ids as records, in the order of `table`; ids of no question give none.

        Raises:
            InputError: As `columns`, or a value of a question does not fit (see `questions_from`).
        """
        return questions_from(self.rows(ids), path=self.file)

    @property
    def file(self) -> Path | None:
        """The file of the questions; null where they are in memory alone."""
        return None if self.path is None else self.path / QUESTIONS_FILE

    @property
    def height(self) -> int:
        """Number of questions: of a part that was read, its own."""
        return self.columns("id").height

    @cached_property
    def questions(self) -> list[Question]:
        """The questions as records, in table order; of many, `each_question` holds a part at a time.

        Raises:
            InputError: A value of a question does not fit (see `questions_from`).
        """
        return list(self.each_question())

    def each_question(self) -> Iterator[Question]:
        """Give the questions as records, in table order, without holding all of them.

        Raises:
            InputError: A value of a question does not fit (see `questions_from`).
        """
        for rows in self._held.batches(ROWS_AT_ONCE):
            yield from questions_from(rows, path=self.file)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the sorted question ids."""
        return self.record.fingerprint


def counts_of(table: pl.DataFrame | pl.LazyFrame) -> dict[str, dict[str, int]]:
    """Count questions by family and format, in order of first appearance."""
    counts: dict[str, dict[str, int]] = {}
    for family, kind, n in table.lazy().group_by("family", "format", maintain_order=True).len().collect().iter_rows():
        counts.setdefault(family, {})[kind] = n
    return counts


def refuse_taken(path: Path) -> None:
    """Refuse a place that no benchmark can take, before any work is done.

    Raises:
        InputError: The path is a file, or a folder with other things in it than a benchmark.
    """
    refuse_full(path, "is not empty and holds no benchmark.", own=(RECORD_FILE, QUESTIONS_FILE))


@contextmanager
def benchmark_folder(path: Path) -> Iterator[Path]:
    """Give a temporary folder that takes the place of a benchmark's when the block ends well (see `whole_folder`).

    Raises:
        InputError: The path is a file, or a folder with other things in it, or cannot be written to.
    """
    refuse_taken(path)
    with whole_folder(path) as folder:
        yield folder


def write_benchmark(benchmark: Benchmark, path: Path | str, *, card: str) -> Benchmark:
    """Write a benchmark folder whole: it appears complete under its name, or what lay there stays as it was.

    Args:
        benchmark: What to write.
        path: The folder; made if needed. A benchmark that lies there already is replaced; what else lies
            beside it stays.
        card: Text of the dataset card (README.md).

    Returns:
        The benchmark with its path.

    Raises:
        InputError: Two questions have one id, or the path is a file, or a folder with other things in it, or
            cannot be written to.
    """
    path = Path(path)
    with benchmark_folder(path) as folder:
        write_questions(benchmark.table, folder / QUESTIONS_FILE)
        write_description(folder, benchmark.record, card)
    return Benchmark(benchmark.table, benchmark.record, path)


def write_description(folder: Path, record: BenchmarkRecord, card: str) -> None:
    """Write what a benchmark's folder holds beside the questions: record and card."""
    write_text(folder / CARD_FILE, card)
    write_bytes(folder / RECORD_FILE, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def read_benchmark(path: Path | str, families: Collection[str] | None = None) -> Benchmark:
    """Read a benchmark folder and check that it holds the questions that its record says.

    Which questions there are is read at once, all else when it is first asked for (see `Benchmark.columns`).

    Args:
        path: The folder.
        families: Families to read, in the order of the benchmark; null reads all. What Probe4D wrote is sorted by
            family, so that the others cost nothing. The record, and with it the fingerprint, stays that of the
            whole: a part is held to its numbers of questions.

    Raises:
        InputError: The folder, a file or a column is missing, an id, family or format is missing or does not fit, ids
            repeat, the questions are not those of the record, or a family is unknown.
    """
    path = Path(path)
    if not path.is_dir():
        raise InputError("is not a folder.", path=path, remedy="Give the folder that `probe4d build` wrote.")
    for name in (RECORD_FILE, QUESTIONS_FILE):
        if not (path / name).is_file():
            raise InputError(f"has no {name}.", path=path, remedy="Give the folder that `probe4d build` wrote.")
    record = read_record(path)
    known = ", ".join(record.counts)
    for family in families or ():
        if family not in record.counts:
            raise InputError(f"has no family {family!r}.", path=path, remedy=f"Choose from its families: {known}.")
    benchmark = Benchmark.at(path, record, families)
    benchmark.columns("id")
    return benchmark


def read_record(path: Path | str) -> BenchmarkRecord:
    """Read the record in a benchmark folder, without its questions.

    Raises:
        InputError: It cannot be read, or is damaged.
    """
    file = Path(path) / RECORD_FILE
    try:
        return msgspec.json.decode(file.read_bytes(), type=BenchmarkRecord)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=file) from error
    except msgspec.DecodeError as error:
        raise InputError(f"is damaged ({error}).", path=file, remedy="Build the benchmark again.") from error


def _refuse_other_questions(
    file: Path, record: BenchmarkRecord, families: Collection[str] | None, found: pl.DataFrame
) -> None:
    """Refuse questions that are not those of the record, by its fingerprint where all are read, and by its numbers."""
    remedy = "Build the benchmark again."
    if families is None and fingerprint(found) != record.fingerprint:
        what = f"holds other questions than {RECORD_FILE} says (fingerprints differ)."
        raise InputError(what, path=file, remedy=remedy)
    counts = counts_of(found)
    for family in record.counts | counts if families is None else families:
        if counts.get(family) != record.counts.get(family):
            what = f"holds other numbers of questions of the family {family!r} than {RECORD_FILE} says."
            raise InputError(what, path=file, remedy=remedy)
