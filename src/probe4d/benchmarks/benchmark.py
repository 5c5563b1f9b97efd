"""A benchmark on disk: a folder of questions that anyone can read without Probe4D."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.question import FORMATS, QUESTION_SCHEMA, REQUIRED_COLUMNS, Question, questions_from
from probe4d.errors import InputError
from probe4d.origins import title_of
from probe4d.store.files import whole_file, write_bytes, write_text
from probe4d.store.folders import whole_folder

__all__ = [
    "Benchmark",
    "BenchmarkRecord",
    "SourceDataset",
    "fingerprint",
    "read_benchmark",
    "read_record",
    "write_benchmark",
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


@dataclass(frozen=True)
class Benchmark:
    """A benchmark in memory.

    Attributes:
        table: Questions as columns (see `QUESTION_SCHEMA`), in order of family file and position.
        record: Content of `benchmark.json`.
        path: Folder it was read from; null if it was not.
    """

    table: pl.DataFrame
    record: BenchmarkRecord
    path: Path | None = None

    @cached_property
    def questions(self) -> list[Question]:
        """The questions as records, in table order.

        Raises:
            InputError: A value of a question does not fit (see `questions_from`).
        """
        return questions_from(self.table, path=None if self.path is None else self.path / QUESTIONS_FILE)

    @property
    def fingerprint(self) -> str:
        """SHA-256 over the sorted question ids."""
        return self.record.fingerprint


def fingerprint(table: pl.DataFrame) -> str:
    """SHA-256 over the sorted question ids, each followed by a line feed: 64 hexadecimal digits."""
    return hashlib.sha256("".join(f"{identity}\n" for identity in sorted(table["id"])).encode()).hexdigest()


def counts_of(table: pl.DataFrame) -> dict[str, dict[str, int]]:
    """Count questions by family and format, in order of first appearance."""
    counts: dict[str, dict[str, int]] = {}
    for family, kind, n in table.group_by("family", "format", maintain_order=True).len().iter_rows():
        counts.setdefault(family, {})[kind] = n
    return counts


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
    _refuse_repeated(benchmark.table, path)
    if path.exists() and not path.is_dir():
        raise InputError("is a file, not a folder.", path=path, remedy="Choose another --out folder.")
    is_benchmark = (path / RECORD_FILE).exists() or (path / QUESTIONS_FILE).exists()
    if path.is_dir() and any(path.iterdir()) and not is_benchmark:
        raise InputError("is not empty and holds no benchmark.", path=path, remedy="Choose another --out folder.")
    record = msgspec.json.format(msgspec.json.encode(benchmark.record), indent=2)
    with whole_folder(path) as folder:
        with whole_file(folder / QUESTIONS_FILE) as temporary:
            benchmark.table.select(list(QUESTION_SCHEMA)).write_parquet(temporary, compression="zstd", statistics=False)
        write_text(folder / CARD_FILE, card)
        write_bytes(folder / RECORD_FILE, record + b"\n")
    return Benchmark(benchmark.table, benchmark.record, path)


def read_benchmark(path: Path | str) -> Benchmark:
    """Read a benchmark folder and check that it is what its record says.

    Raises:
        InputError: The folder, a file or a column is missing, a value is missing or does not fit, ids repeat, or
            the questions are not those of the fingerprint.
    """
    path = Path(path)
    if not path.is_dir():
        raise InputError("is not a folder.", path=path, remedy="Give the folder that `probe4d build` wrote.")
    for name in (RECORD_FILE, QUESTIONS_FILE):
        if not (path / name).is_file():
            raise InputError(f"has no {name}.", path=path, remedy="Give the folder that `probe4d build` wrote.")
    record = read_record(path)
    table = _read_questions(path / QUESTIONS_FILE)
    if fingerprint(table) != record.fingerprint:
        raise InputError(
            f"holds other questions than {RECORD_FILE} says (fingerprints differ).",
            path=path / QUESTIONS_FILE,
            remedy="Build the benchmark again.",
        )
    return Benchmark(table, record, path)


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


def _read_questions(path: Path) -> pl.DataFrame:
    try:
        table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise InputError(f"is no readable parquet file ({error}).", path=path, remedy="Build it again.") from error
    missing = [name for name in QUESTION_SCHEMA if name not in table.columns]
    if missing:
        raise InputError(f"lacks the column {missing[0]!r}.", path=path, remedy="Build the benchmark again.")
    try:
        table = table.select(pl.col(name).cast(kind) for name, kind in QUESTION_SCHEMA.items())
    except pl.exceptions.PolarsError as error:
        raise InputError(f"holds a value of the wrong type ({error}).", path=path) from error
    _refuse_incomplete(table, path)
    _refuse_repeated(table, path)
    strange = table.filter(~pl.col("format").is_in(FORMATS))
    if strange.height:
        raise InputError(
            f"question {strange['id'][0]} has the unknown format {strange['format'][0]!r}.",
            path=path,
            remedy=f"Known are {', '.join(FORMATS)}.",
        )
    return table


def _refuse_repeated(table: pl.DataFrame, path: Path) -> None:
    repeated = table.filter(pl.col("id").is_duplicated())
    if repeated.height:
        raise InputError(f"holds the question id {repeated['id'][0]} more than once.", path=path)


def _refuse_incomplete(table: pl.DataFrame, path: Path) -> None:
    """Refuse a table in which a value that every question has is missing, or `facts` is no JSON object."""
    remedy = "Build or import the benchmark again."
    for name in REQUIRED_COLUMNS:
        lacking = table.filter(pl.col(name).is_null())
        if lacking.height:
            which = f"question {lacking['id'][0]}" if lacking["id"][0] is not None else "a question"
            raise InputError(f"{which} has no value in the column {name!r}.", path=path, remedy=remedy)
    decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])
    for identity, facts in table.select("id", "facts").iter_rows():
        try:
            decoder.decode(facts)
        except (msgspec.DecodeError, RecursionError) as error:
            what = f"question {identity} has no JSON object in the column 'facts' ({error})."
            raise InputError(what, path=path, remedy=remedy) from error
