"""Holds the files beside the questions of a folder against them, and against what `benchmark.json` counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.auditing.record import whole
from probe4d.benchmarks.b4dl.audit.facts import facts_of
from probe4d.benchmarks.b4dl.audit.form import as_stored
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["file_findings"]

_BECAME_NONE = (
    "answers that geometry contradicts",
    "answers that geometry contradicts without giving another",
    "questions that were asked before of the same frames",
)
"""Why pairs that were taken became no questions, after the name of their task."""
_BEYOND = "pairs beyond those asked for"
_NO_DESCRIPTION = "descriptions: no text that can be used"

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "sequences.parquet": ("scene", "sequence", "frames", "start", "end"),
    "pairs.parquet": ("sequence", "task", "number", "question", "answer", "verdict", "claim", "why", "facts"),
    "descriptions.jsonl": ("sequence", "text"),
    "faults.jsonl": ("sequence", "task", "kind"),
    "short.jsonl": ("sequence", "task", "wanted", "pairs"),
}
"""What is read of each file."""


def file_findings(benchmark: Benchmark) -> Iterator[AuditFinding]:
    """Check that sequences, pairs, faults and what is short are those of the questions and of the record.

    Args:
        benchmark: The benchmark; of one that lies in no folder there is nothing to say.
    """
    if benchmark.path is None:
        return
    files: dict[str, pl.DataFrame] = {}
    for name, columns in _COLUMNS.items():
        try:
            files[name] = _read(benchmark.path / name, columns)
        except (OSError, pl.exceptions.PolarsError) as error:
            yield whole("files", f"{name} cannot be read ({str(error).splitlines()[0]})")
    if len(files) < len(_COLUMNS):
        return
    yield from _of_questions(benchmark.table, files["sequences.parquet"], files["pairs.parquet"])
    yield from _of_counts(benchmark, files)


def _read(path: Path, columns: tuple[str, ...]) -> pl.DataFrame:
    if path.suffix == ".parquet":
        return pl.read_parquet(path, columns=list(columns))
    if not path.stat().st_size:
        return pl.DataFrame(schema=dict.fromkeys(columns, pl.String))
    return pl.read_ndjson(path).select(columns)


def _of_questions(table: pl.DataFrame, sequences: pl.DataFrame, pairs: pl.DataFrame) -> Iterator[AuditFinding]:
    """Every question is of a sequence of the file, and was made of a pair of the file."""
    places = {row["sequence"]: row for row in sequences.iter_rows(named=True)}
    made: dict[tuple[Any, ...], dict[str, Any]] = {}
    for pair in pairs.iter_rows(named=True):
        made.setdefault(_key(pair["sequence"], pair["task"], pair["question"], pair["number"]), pair)
    for row in table.iter_rows(named=True):
        try:
            facts = facts_of(row["facts"])
        except msgspec.MsgspecError:
            continue  # named already
        place = places.get(facts.sequence)
        if place is None or (place["scene"], place["frames"]) != (row["scene"], row["frames"]):
            yield _about(row, f"sequences.parquet has no {facts.sequence} of frames {row['frames']}")
        number = _description(row["entities"]) if row["family"] == "description" else 0
        source = made.get(_key(facts.sequence, row["family"], row["question"], number))
        if source is None:
            yield _about(row, "pairs.parquet has no pair that it was made of")
            continue
        told = {
            "verdict": facts.verdict,
            "claim": facts.claim,
            "why": facts.why,
            "answer": facts.generated_answer or row["answer"],
        }
        said = source["answer"] if facts.corrected else as_stored(row["template"], source["answer"])
        stored = {**source, "answer": said}
        if wrong := [name for name, value in told.items() if stored[name] != value]:
            yield _about(row, f"pairs.parquet says otherwise of {', '.join(wrong)}")
        elif msgspec.json.decode(source["facts"] or "{}") != facts.measured:
            yield _about(row, "pairs.parquet says otherwise of what was measured")


def _key(sequence: str, task: str, question: str, number: int) -> tuple[Any, ...]:
    """What tells pairs apart: their question, or of descriptions, which have one, their number."""
    return (sequence, task, number if task == "description" else question)


def _description(entities: list[str]) -> int:
    """Number of a description, from 0."""
    digits = entities[0].rpartition(" ")[2] if entities and entities[0] else ""
    return int(digits) - 1 if digits.isdecimal() else -1


def _about(row: Mapping[str, Any], what: str) -> AuditFinding:
    return AuditFinding(question=row["id"], rule="files", what=f"{what}.")


def _of_counts(benchmark: Benchmark, files: Mapping[str, pl.DataFrame]) -> Iterator[AuditFinding]:
    """What the record counts as left out is what the files hold beyond the questions."""
    left_out: Counter[str] = Counter()
    not_taken: Counter[str] = Counter()
    for reason, n in benchmark.record.exclusions.items():
        task, _, why = reason.partition(": ")
        if why in _BECAME_NONE:
            left_out[task] += n
        elif why != _BEYOND:
            not_taken[task] += n
    asked = Counter(benchmark.columns("family")["family"].to_list())
    pairs, faults = (Counter(files[name]["task"].to_list()) for name in ("pairs.parquet", "faults.jsonl"))
    for task in benchmark.record.parameters["tasks"]:
        if pairs[task] != asked[task] + left_out[task]:
            held = f"{asked[task]} questions and {left_out[task]} left out"
            yield whole("files", f"pairs.parquet holds {pairs[task]} of {task}, benchmark.json {held}")
        if faults[task] != not_taken[task]:
            yield whole(
                "files", f"faults.jsonl holds {faults[task]} of {task}, benchmark.json counts {not_taken[task]}"
            )
    unusable, told = (
        files["descriptions.jsonl"]["text"].null_count(),
        benchmark.record.exclusions.get(_NO_DESCRIPTION, 0),
    )
    if unusable != told:
        yield whole("files", f"descriptions.jsonl has {unusable} without a text, benchmark.json counts {told}")
    for task in sorted(set(files["short.jsonl"]["task"])):
        if not any(words.startswith(f"{task}: ") for words in benchmark.record.shortfalls):
            yield whole("files", f"short.jsonl has too few pairs of {task}, and benchmark.json says of no such")
