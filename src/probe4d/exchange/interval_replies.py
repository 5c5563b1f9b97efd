"""Replies to questions for an interval of key frames, read and scored as `diagnose` does."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from probe4d.benchmarks.intervals import reference_ends
from probe4d.diagnosis.intervals.scores import OVERLAP_METRICS, WHOLE, worth_of
from probe4d.diagnosis.parsing.intervals import parse_interval
from probe4d.diagnosis.sheets.intervals import UNREAD
from probe4d.errors import InputError

__all__ = ["INTERVAL_METRICS", "score_intervals"]

INTERVAL_METRICS = tuple(metric for metric in OVERLAP_METRICS if metric != WHOLE)
"""What a reply is worth by itself, whatever its question asks about."""


def score_intervals(
    replies: Sequence[str], references: Sequence[str], finish_reasons: Sequence[str | None]
) -> pl.DataFrame:
    """Read replies and compare them with the right intervals.

    Args:
        replies: The parts of the replies that are answers.
        references: The right answers, such as `3-9`, both key frames inside.
        finish_reasons: Why generation ended, as the provider says.

    Returns:
        Columns `state` and `label` (such as `3-9`; null unless the state is `valid`), and one for each of
        `INTERVAL_METRICS`, from 0 to 1; row for row.

    Raises:
        InputError: A right answer is no interval.
    """
    read = [parse_interval(text, finish_reason=why) for text, why in zip(replies, finish_reasons, strict=True)]
    said = np.array([one.interval or (UNREAD, UNREAD) for one in read], dtype=np.int64).reshape(-1, 2)
    true = np.array([_ends(reference) for reference in references], dtype=np.int64).reshape(-1, 2)
    worth = worth_of(said, true)
    return pl.DataFrame(
        {
            "state": pl.Series([one.state for one in read], dtype=pl.String),
            "label": pl.Series(
                [None if one.interval is None else f"{one.interval[0]}-{one.interval[1]}" for one in read],
                dtype=pl.String,
            ),
            **{metric: worth[metric] for metric in INTERVAL_METRICS},
        }
    )


def _ends(reference: str) -> tuple[int, int]:
    ends = reference_ends(reference)
    if ends is None:
        raise InputError(
            f"the right answer {reference!r} is no interval of key frames such as '3-9'.",
            remedy="Build or import the benchmark again.",
        )
    return ends
