"""What runs answered to the questions that are scored: every variant of each, every gap accounted for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.runs.run import Run, asked_of, check_run
from probe4d.runs.settings import Setting, recorded_setting
from probe4d.runs.ways import OPTION_COUNT, ways_of_shapes
from probe4d.wording import counted

__all__ = ["ANSWERED_SCHEMA", "GatheredAnswers", "gather_answers"]

ANSWERED_SCHEMA: dict[str, pl.DataType] = {
    "run": pl.String(),
    "question": pl.String(),  # id
    "format": pl.String(),
    "options": pl.List(pl.String()),
    "variant": pl.String(),
    "main": pl.Boolean(),  # whether this is the run's first variant, whose answers are the run's own
    "rotation": pl.Int64(),  # of the options as they were shown
    "text": pl.String(),  # null where there is no answer
    "part": pl.String(),  # of the text that is the answer
    "finish_reason": pl.String(),
    "error": pl.String(),
    "shown_answer": pl.String(),
}


@dataclass(frozen=True)
class GatheredAnswers:
    """The answers of all runs, not yet read.

    Attributes:
        rows: One row for each run, question asked of it and variant, runs in order, questions in benchmark order;
            columns of `ANSWERED_SCHEMA`.
        warnings: Half-written lines, questions left out or without an answer, as sentences.
    """

    rows: pl.DataFrame
    warnings: tuple[str, ...]


def gather_answers(
    benchmark: Benchmark, scored: pl.DataFrame, runs: Sequence[Run], *, allow_missing: bool
) -> GatheredAnswers:
    """Put every reply beside what was asked; what was asked and not answered has a row without a text.

    Args:
        benchmark: The benchmark.
        scored: The ids (`id`) of its questions that are scored; answers to others are left out.
        runs: Runs of that benchmark.
        allow_missing: Whether runs may lack answers.

    Raises:
        InputError: A run belongs to another benchmark, was asked nothing that is scored, answers a question more
            than once, in a variant or rotation that its setting does not have, or lacks answers while
            `allow_missing` is false.
    """
    warnings: list[str] = []
    parts = [pl.DataFrame(schema=ANSWERED_SCHEMA)]
    for run in runs:
        missing = check_run(run, benchmark, allow_missing=allow_missing)
        asked = asked_of(run, benchmark).join(scored, on="id", how="semi", maintain_order="left")
        asked = benchmark.rows(asked["id"], "id", "format", "options")
        if not asked.height:
            raise InputError(
                "was asked no question that is scored: no yes-no or choice question, none for a word of a vocabulary, "
                "no number of a known unit, no interval, no waypoints, and no free text that is measured.",
                path=run.path or run.name,
                remedy="Leave it out.",
            )
        rows = _answered(run, asked)
        warnings += [*run.warnings, *_partly_asked(run, asked.height, scored.height)]
        warnings += _gaps(run, missing, rows, allow_missing=allow_missing)
        parts.append(rows)
    return GatheredAnswers(pl.concat(parts), tuple(warnings))


def _answered(run: Run, asked: pl.DataFrame) -> pl.DataFrame:
    """What a run answered in every variant of every question asked, null where it did not.

    Raises:
        InputError: It answers what its setting does not ask, or one thing twice.
    """
    setting = recorded_setting(run.record.setting)
    replies = run.answers.join(asked.select(question="id"), on="question", how="semi", maintain_order="left")
    expected = asked.select("format", "options", OPTION_COUNT, question="id").join(
        _ways(setting, asked, replies), on=["format", "size"], how="left", maintain_order="left_right"
    )
    _refuse_strange(run, replies, expected)
    rows = expected.join(
        replies.select("question", "variant", "text", "finish_reason", "error", "shown_answer", recorded="rotation"),
        on=["question", "variant"],
        how="left",
        nulls_equal=True,
        maintain_order="left",
    )
    _refuse_turned(run, setting, rows)
    return (
        rows.join(_answer_parts(setting, rows["text"]), on="text", how="left", maintain_order="left")
        .with_columns(
            run=pl.lit(run.name),
            rotation=(pl.coalesce("rotation", "recorded").fill_null(0) % pl.col("size")).fill_null(0),
        )
        .select(pl.col(name).cast(kind) for name, kind in ANSWERED_SCHEMA.items())
    )


def _answer_parts(setting: Setting, texts: pl.Series) -> pl.DataFrame:
    """Columns text, each once, and part, the part of it that is the answer."""
    distinct = texts.drop_nulls().unique(maintain_order=True)
    parts = [setting.answer_part(text) for text in distinct]
    return pl.DataFrame({"text": distinct, "part": pl.Series(parts, dtype=pl.String)})


def _ways(setting: Setting, asked: pl.DataFrame, replies: pl.DataFrame) -> pl.DataFrame:
    """How questions of each format and number of options are asked.

    A setting that asks once leaves the names of variants to the run, as imported answers may have them.

    Returns:
        Columns format, size (number of options), variant, rotation (null where the run's record of it counts) and
        main (whether it is the first).
    """
    ways = ways_of_shapes(setting, asked)
    if ways["variant"].null_count():
        given = replies["variant"].unique(maintain_order=True).to_list() or [None]
        names = pl.DataFrame({"variant": given}, schema={"variant": pl.String}).with_row_index("place")
        ways = ways.select("format", "size").join(names, how="cross").with_columns(rotation=pl.lit(None, pl.Int64))
    return ways.select("format", "size", "variant", "rotation", main=pl.col("place") == 0)


def _refuse_strange(run: Run, replies: pl.DataFrame, expected: pl.DataFrame) -> None:
    keys = ["question", "variant"]
    repeated = replies.filter(pl.struct(keys).is_duplicated())
    unknown = replies.join(expected, on=keys, how="anti", nulls_equal=True, maintain_order="left")
    for rows, fault in (
        (repeated, "a second time"),
        (unknown, f"which the setting {run.record.setting!r} does not ask"),
    ):
        for question, variant in rows.select(keys).head(1).iter_rows():
            way = "without a variant" if variant is None else f"in the variant {variant!r}"
            raise InputError(
                f"answers question {question} {way}, {fault}.",
                path=run.path or run.name,
                remedy="Ask or import it again, with the setting that it was asked in.",
            )


def _refuse_turned(run: Run, setting: Setting, rows: pl.DataFrame) -> None:
    turned = rows.filter(pl.col("recorded") != pl.col("rotation"))
    for question, variant, recorded in turned.select("question", "variant", "recorded").head(1).iter_rows():
        raise InputError(
            f"answers question {question} in the variant {variant!r} with the options rotated by {recorded}, which "
            f"is not what the setting {setting.name!r} says.",
            path=run.path or run.name,
            remedy="Ask or import it again.",
        )


def _partly_asked(run: Run, asked: int, scored: int) -> list[str]:
    if asked == scored:
        return []
    left_out = f", with {counted(len(run.left_out), 'question')} left out" if run.left_out else ""
    return [
        f"{run.name} was asked {asked:,} of the {scored:,} questions that are scored{left_out}: its figures are about "
        "these, and comparisons about those that both were asked."
    ]


def _gaps(run: Run, missing: Sequence[str], rows: pl.DataFrame, *, allow_missing: bool) -> list[str]:
    """Say what is missing of the answers of a run.

    Raises:
        InputError: Answers to some variants are, and that is not allowed.
    """
    sentences = []
    if missing:
        left_out = counted(len(missing), "question")
        sentences.append(f"{run.name} leaves {left_out} without an answer; they count as wrong.")
    gaps = rows.filter(
        pl.col("text").is_null() & pl.col("error").is_null() & ~pl.col("question").is_in(pl.Series(missing).implode())
    )
    for question, variant in gaps.select("question", "variant").head(1).iter_rows():
        if not allow_missing:
            raise InputError(
                f"leaves {counted(gaps.height, 'variant')} without an answer, first {variant!r} of {question}.",
                path=run.path or run.name,
                remedy="Finish the run, or count them as wrong (allow_missing=True, --allow-missing).",
            )
        left_out = counted(gaps.height, "variant")
        sentences.append(f"{run.name} leaves {left_out} of questions without an answer; they count as wrong.")
    if rows["variant"].n_unique() > 1:
        first = rows["variant"][0]
        if recorded_setting(run.record.setting).varies:
            sentences.append(f"{run.name} asked in variants: its own figures are those of the first, {first!r}.")
        else:
            sentences.append(
                f"{run.name} holds the answers of several, such as people, and its own figures are those of {first!r} "
                "alone: import the answers of each as a run of its own."
            )
    return sentences
