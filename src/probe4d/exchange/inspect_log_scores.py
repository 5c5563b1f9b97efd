"""The scores in a log of inspect-ai: what the task's own scorers would say of the answers of a run."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from probe4d.benchmarks.question import INTERVAL, NUMBER
from probe4d.diagnosis.parsing import parse_table
from probe4d.diagnosis.sheets.labels import has_label
from probe4d.exchange.interval_replies import INTERVAL_METRICS, score_intervals
from probe4d.exchange.number_replies import ERROR_METRICS, SHARE_METRICS, score_numbers
from probe4d.runs.settings import Setting

if TYPE_CHECKING:
    from inspect_ai.log import EvalMetric, EvalResults, EvalScore
    from inspect_ai.scorer import Score

__all__ = ["results_of", "scores_of", "with_scores"]

_LABELS, _INTERVALS, _NUMBERS = "parsed_answer", "parsed_interval", "parsed_number"
"""Names of the scorers."""


class _Metric(NamedTuple):
    """How a value of a scorer is summed up.

    Attributes:
        name: Name of the metric that is the mean of all; null where all have no mean in common.
        groups: Columns whose every value has a mean of its own.
        by: Name of the metric that gives these means.
    """

    name: str | None
    groups: tuple[str, ...] = ("family",)
    by: str = "grouped"


_METRICS: Mapping[str, Mapping[str, _Metric]] = {
    _LABELS: {"correct": _Metric("accuracy"), "valid": _Metric("probe4d/valid_rate")},
    _INTERVALS: dict.fromkeys(INTERVAL_METRICS, _Metric("mean")),
    _NUMBERS: {
        **dict.fromkeys(SHARE_METRICS, _Metric("mean", ("family", "unit"), "probe4d/mean_by")),
        **dict.fromkeys(ERROR_METRICS, _Metric(None, ("unit", "family_unit"), "probe4d/mean_by")),
    },
}
"""The values of each scorer, and how they are summed up."""


def with_scores(rows: pl.DataFrame, setting: Setting) -> pl.DataFrame:
    """Answers with what the parsers make of them.

    Args:
        rows: Answers; columns text, finish_reason, error, format, unit (of a number; null where it is not known), shown
            (options as shown), reference (the right answer for that order).
        setting: How was asked.

    Returns:
        The same rows in their order, with scorer, state, label and one column for each value of a scorer; null where
        the answer failed, or is of a kind that nothing scores.
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
    measured = given.filter(pl.col("format") == NUMBER, pl.col("unit").is_not_null()).with_columns(text=part)
    nearness = score_numbers(*(measured[name].to_list() for name in ("text", "reference", "unit", "finish_reason")))
    numbers = measured.select("place", scorer=pl.lit(_NUMBERS)).hstack(nearness)
    scored = pl.concat([labels, intervals, numbers], how="diagonal")
    return rows.join(scored, on="place", how="left", maintain_order="left").drop("place")


def scores_of(row: Mapping[str, Any]) -> dict[str, Score] | None:
    """The score of one such row; null where it has none."""
    from inspect_ai.scorer import Score

    scorer = row["scorer"]
    if scorer is None:
        return None
    return {
        scorer: Score(
            value={name: math.nan if row[name] is None else row[name] for name in _METRICS[scorer]},
            answer=row["label"],
            explanation=row["text"],
            metadata={"state": row["state"]},
        )
    }


def results_of(answers: pl.DataFrame) -> EvalResults:
    """The figures of such rows, of all and of each family, as the scorers would give them.

    Args:
        answers: Rows of `with_scores`, with the columns family and unit.
    """
    from inspect_ai.log import EvalResults

    return EvalResults(
        total_samples=answers.height,
        completed_samples=answers.filter(pl.col("error").is_null()).height,
        scores=[score for scorer in _METRICS for score in _figures(answers.filter(scorer=scorer), scorer)],
    )


def _figures(answers: pl.DataFrame, scorer: str) -> Sequence[EvalScore]:
    from inspect_ai.log import EvalScore

    if not answers.height:
        return []
    answers = answers.with_columns(family_unit=pl.format("{} in {}", "family", "unit"))
    return [
        EvalScore(
            name=name,
            scorer=scorer,
            scored_samples=answers[name].count(),
            unscored_samples=answers[name].null_count(),
            metrics=_means(answers.drop_nulls(name), name, metric),
        )
        for name, metric in _METRICS[scorer].items()
    ]


def _means(answers: pl.DataFrame, name: str, metric: _Metric) -> dict[str, EvalMetric]:
    """The means of a value, of all and of groups, under the keys that inspect-ai gives them."""
    from inspect_ai.log import EvalMetric

    mean = pl.col(name).mean()
    of_all = (
        {} if metric.name is None else {metric.name: EvalMetric(name=metric.name, value=answers.select(mean).item())}
    )
    means = [answers.group_by(key, maintain_order=True).agg(mean).rows() for key in metric.groups]
    return of_all | {
        f"{metric.by}_{group}": EvalMetric(name=group, group=metric.by.removeprefix("probe4d/"), value=value)
        for of_key in means
        for group, value in of_key
    }
