"""Replies to questions for a number of a known unit, read and scored as `diagnose` does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.parsing.numbers import parse_number
from probe4d.diagnosis.statistics.number_errors import absolute_errors, within_tolerance
from probe4d.errors import InputError

__all__ = ["ERROR_METRICS", "NUMBER_METRICS", "SHARE_METRICS", "are_numbers", "score_numbers"]

SHARE_METRICS = ("tolerance_accuracy", "valid_rate")
"""Of 0 and 1, whatever the unit: within 75 to 125 % of the truth, and whether a number could be read."""

ERROR_METRICS = ("mean_absolute_error", "mean_absolute_error_wrapped")
"""In the unit of the question, of what could be read; the latter of angles alone, the shorter way round."""

NUMBER_METRICS = (*SHARE_METRICS, *ERROR_METRICS)
"""What a reply is worth by itself, under the names that the means of them have in `figures.csv`."""


def score_numbers(
    replies: Sequence[str],
    references: Sequence[str],
    units: Sequence[str],
    finish_reasons: Sequence[str | None],
) -> pl.DataFrame:
    """Read replies and compare them with the right numbers.

    Args:
        replies: The parts of the replies that are answers.
        references: The right answers, each in the unit of its question.
        units: What each question asks for: `metres` or `degrees`.
        finish_reasons: Why generation ended, as the provider says.

    Returns:
        Columns `state`, `label` (the number in that unit, such as `12.5`; null unless the state is `valid`), and one
        for each of `NUMBER_METRICS`, those of errors null where there is none; row for row.

    Raises:
        InputError: A right answer is no number, or there is no such unit.
    """
    true = _numbers(references)
    for reference in (reference for reference, number in zip(references, true, strict=True) if not np.isfinite(number)):
        raise InputError(f"the right answer {reference!r} is no number.", remedy="Build or import the benchmark again.")
    given = zip(replies, units, finish_reasons, strict=True)
    read = [parse_number(text, unit=unit, finish_reason=why) for text, unit, why in given]
    said = np.array([one.value for one in read], dtype=np.float64)
    errors = {
        "mean_absolute_error": absolute_errors(said, true),
        "mean_absolute_error_wrapped": np.where(
            np.array(units) == "degrees", absolute_errors(said, true, wrapped=True), np.nan
        ),
    }
    return pl.DataFrame(
        {
            "state": pl.Series([one.state for one in read], dtype=pl.String),
            "label": pl.Series([None if one.value is None else f"{one.value:.10g}" for one in read], dtype=pl.String),
            "tolerance_accuracy": within_tolerance(said, true).astype(np.int64),
            "valid_rate": (~np.isnan(said)).astype(np.int64),
            **{metric: pl.Series(values, nan_to_null=True) for metric, values in errors.items()},
        }
    )


def are_numbers(answers: Sequence[str]) -> npt.NDArray[np.bool_]:
    """(answers,) whether each is one finite number, as a diagnosis takes right answers."""
    return np.isfinite(_numbers(answers))


def _numbers(answers: Sequence[str]) -> npt.NDArray[np.float64]:
    texts = pl.Series(answers, dtype=pl.String)
    return texts.cast(pl.Float64, strict=False).fill_null(np.nan).to_numpy().astype(np.float64)
