"""From runs to labels: every reply read by the parser, every gap accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.parsing import PARSERS, parse_table
from probe4d.diagnosis.sheet import Sheet
from probe4d.diagnosis.tables import RECORDS_SCHEMA
from probe4d.diagnosis.wording import counted
from probe4d.errors import InputError
from probe4d.runs.run import Run, check_run

__all__ = ["ReadAnswers", "read_answers"]


@dataclass(frozen=True)
class ReadAnswers:
    """The answers of all runs, read.

    Attributes:
        records: Columns of `RECORDS_SCHEMA` without `correct`, and `other_<parser>`: the label by each other
            parser. Runs in order, questions in the order of the sheet.
        warnings: Half-written lines, questions without an answer, as sentences.
    """

    records: pl.DataFrame
    warnings: tuple[str, ...]


def read_answers(
    benchmark: Benchmark, sheet: Sheet, runs: Sequence[Run], *, parser: str, allow_missing: bool
) -> ReadAnswers:
    """Read every reply; a question without an answer gets the state `missing`, which is wrong like any invalid one.

    Raises:
        InputError: A run belongs to another benchmark, answers a question more than once, or lacks answers
            while `allow_missing` is false.
    """
    warnings: list[str] = []
    asked = sheet.questions.select("format", "options", question="id")
    parts = []
    for run in runs:
        missing = check_run(run, benchmark, allow_missing=allow_missing)
        _refuse_variants(run)
        warnings += run.warnings
        if missing:
            left_out = counted(len(missing), "question")
            warnings.append(f"{run.name} leaves {left_out} without an answer; they count as wrong.")
        replies = run.answers.select("question", "text", "finish_reason", "error")
        rows = asked.join(replies, on="question", how="left", maintain_order="left")
        parts.append(rows.with_columns(run=pl.lit(run.name)))
    nobody = asked.clear().with_columns(
        pl.lit(None, pl.String).alias(name) for name in ("text", "finish_reason", "error", "run")
    )
    return ReadAnswers(_parse(pl.concat(parts or [nobody]), parser), tuple(warnings))


def _refuse_variants(run: Run) -> None:
    repeated = run.answers.filter(pl.col("variant").is_not_null() | pl.col("question").is_duplicated())
    if repeated.height:
        raise InputError(
            f"answers question {repeated['question'][0]} in the variant {repeated['variant'][0]!r}; "
            "a run that is diagnosed holds one answer a question, without variants.",
            path=run.path or run.name,
            remedy="Put each variant into a run folder of its own.",
        )


def _parse(rows: pl.DataFrame, parser: str) -> pl.DataFrame:
    """Parse every distinct reply once, by every parser."""
    rows = rows.with_columns(options_key=pl.col("options").list.join("\x1f"))
    keys = ["text", "finish_reason", "error", "format", "options_key"]
    distinct = rows.unique(keys, maintain_order=True).select(*keys, "options")
    read = distinct.select(keys).hstack(parse_table(distinct, parser=parser))
    others = {f"other_{name}": name for name in PARSERS if name != parser}
    read = read.with_columns(
        parse_table(distinct, parser=name)["label"].alias(column) for column, name in others.items()
    )
    return (
        rows.join(read, on=keys, how="left", nulls_equal=True, maintain_order="left")
        .with_columns(variant=pl.lit(None, pl.String))
        .select(*(name for name in RECORDS_SCHEMA if name != "correct"), *others)
    )
