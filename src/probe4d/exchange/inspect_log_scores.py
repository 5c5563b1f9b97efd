"""The scores in a log of inspect-ai: what the task's own scorers would say of the answers of a run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

from probe4d.benchmarks.question import INTERVAL
from probe4d.diagnosis.parsing import parse_table
from probe4d.diagnosis.sheets.labels import has_label
from probe4d.exchange.interval_replies import INTERVAL_METRICS, score_intervals
from probe4d.runs.settings import Setting

if TYPE_CHECKING:
    from inspect_ai.log import EvalResults, EvalScore
    from inspect_ai.scorer import Score

__all__ = ["results_of", "scores_of", "with_scores"]

_LABELS, _INTERVALS = "parsed_answer", "parsed_interval"
"""Names of the scorers."""

_METRICS: Mapping[str, Mapping[str, str]] = {
    _LABELS: {"correct": "accuracy", "valid": "probe4d/valid_rate"},
    _INTERVALS: dict.fromkeys(INTERVAL_METRICS, "mean"),
}
"""The values of each scorer, and the name of the metric that is their mean."""


def with_scores(rows: pl.DataFrame, setting: Setting) -> pl.DataFrame:
    """Answers with what the parsers make of them.

    Args:
        rows: Answers; columns text, finish_reason, error, format, shown (options as shown), reference (the right answer
            for that order).
        setting: How was asked.

    Returns:
        The same rows in their order, with scorer, state, label, correct, valid and one column for each of
        `INTERVAL_METRICS`; null where the answer failed, or is of a kind that nothing scores.
    """
    rows = rows.with_row_index("place")
    given = rows.filter(pl.col("error").is_null())
    part = pl.col("text").fill_null("").map_elements(setting.answer_part, return_dtype=pl.String())
    labelled = given.filter(has_label("shown")).with_columns(text=part)
    read = parse_table(labelled.select("text", "format", "finish_reason", options="shown"))
    labels = labelled.select("place", "reference").hstack(read)
    labels = labels.select(
        "place",
        "state",
        "label",
        scorer=pl.lit(_LABELS),
        correct=(pl.col("label") == pl.col("reference")).fill_null(value=False).cast(pl.Int64),
        valid=(pl.col("state") == "valid").cast(pl.Int64),
    )
    timed = given.filter(format=INTERVAL).with_columns(text=part)
    worth = score_intervals(*(timed[name].to_list() for name in ("text", "reference", "finish_reason")))
    intervals = timed.select("place", scorer=pl.lit(_INTERVALS)).hstack(worth)
    scored = pl.concat([labels, intervals], how="diagonal")
    return rows.join(scored, on="place", how="left", maintain_order="left").drop("place")


def scores_of(row: Mapping[str, Any]) -> dict[str, Score] | None:
    """The score of one such row; null where it has none."""
    from inspect_ai.scorer import Score

    scorer = row["scorer"]
    if scorer is None:
        return None
    return {
        scorer: Score(
            value={name: row[name] for name in _METRICS[scorer]},
            answer=row["label"],
            explanation=row["text"],
            metadata={"state": row["state"]},
        )
    }


def results_of(answers: pl.DataFrame) -> EvalResults:
    """The figures of such rows, of all and of each family, as the scorers would give them.

    Args:
        answers: Rows of `with_scores`, with the column family.
    """
    from inspect_ai.log import EvalResults

    return EvalResults(
        total_samples=answers.height,
        completed_samples=answers.filter(pl.col("error").is_null()).height,
        scores=[score for scorer in _METRICS for score in _figures(answers.filter(scorer=scorer), scorer)],
    )


def _figures(answers: pl.DataFrame, scorer: str) -> Sequence[EvalScore]:
    from inspect_ai.log import EvalMetric, EvalScore

    if not answers.height:
        return []
    means = [pl.col(name).mean() for name in _METRICS[scorer]]
    of_all = answers.select(means).row(0, named=True)
    of_families = answers.group_by("family", maintain_order=True).agg(means).rows(named=True)
    return [
        EvalScore(
            name=name,
            scorer=scorer,
            scored_samples=answers.height,
            metrics={metric: EvalMetric(name=metric, value=of_all[name])}
            | {
                f"grouped_{row['family']}": EvalMetric(name=row["family"], group="grouped", value=row[name])
                for row in of_families
            },
        )
        for name, metric in _METRICS[scorer].items()
    ]
