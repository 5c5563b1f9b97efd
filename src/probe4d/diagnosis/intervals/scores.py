"""The figures of answers that are intervals: mIoU, recall, and how many could be read (B4DL, Sec. 3.1 and 5.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.intervals import UNREAD, Codes, IntervalSheet, ends_of
from probe4d.diagnosis.statistics.interval_overlaps import CONVENTIONS, OVERLAPS

__all__ = [
    "MIOU",
    "OVERLAP_METRICS",
    "PARSE_RATE",
    "RECALL",
    "THRESHOLDS",
    "WHOLE",
    "Amounts",
    "add_overlaps",
    "overlaps_of",
    "worth_of",
]

MIOU, RECALL = "interval_miou_", "interval_recall_"
"""Beginnings of metrics, each ended by a convention; between `RECALL` and it stands a threshold."""

PARSE_RATE = "interval_parse_rate"
WHOLE = "interval_whole_window"

THRESHOLDS = (0.3, 0.5, 0.7)
"""Overlaps from which on an answer counts as found."""

OVERLAP_METRICS = (
    *(MIOU + convention for convention in CONVENTIONS),
    *(f"{RECALL}{threshold}_{convention}" for convention in CONVENTIONS for threshold in THRESHOLDS),
    PARSE_RATE,
    WHOLE,
)
"""The metrics in the order of reports."""

Amounts = Mapping[str, npt.NDArray[np.float64]]
"""Metrics to (answerers, questions) what each answer is worth; NaN where a question has none."""


def worth_of(said: Codes, references: Codes) -> dict[str, npt.NDArray[np.float64]]:
    """What answers are worth, whatever their questions; an answer that cannot be read has 0.

    Metrics: interval_parse_rate; interval_miou_ and, with each threshold, interval_recall_, by both conventions.

    Args:
        said: (..., 2) first and last frame of the answers, both `UNREAD` where that could not be read.
        references: (..., 2) the same of the right ones.

    Returns:
        Metrics to values of that shape without its last axis.
    """
    found = {PARSE_RATE: np.not_equal(said[..., 0], UNREAD).astype(np.float64)}
    for convention, overlap in OVERLAPS.items():
        shares = overlap(said, references)
        found[MIOU + convention] = shares
        for threshold in THRESHOLDS:
            found[f"{RECALL}{threshold}_{convention}"] = (shares >= threshold).astype(np.float64)
    return found


def overlaps_of(sheet: IntervalSheet) -> dict[str, npt.NDArray[np.float64]]:
    """What every answer of a sheet is worth; an answer that cannot be read has 0.

    Metrics: those of `worth_of`, and interval_whole_window, whether an answer is all that is asked about, from the
    first of the question's frames to the last: NaN where a question does not say.
    """
    said = ends_of(sheet.codes)
    found = worth_of(said, ends_of(sheet.references))
    frames = sheet.details["frames"].list
    window = np.stack([one.cast(float).fill_null(np.nan).to_numpy() for one in (frames.min(), frames.max())], axis=-1)
    is_whole = (said == window).all(axis=-1)
    found[WHOLE] = np.where(np.isnan(window).any(axis=-1), np.nan, is_whole)
    return found


def add_overlaps(
    figures: Figures, sheet: IntervalSheet, names: Sequence[str], amounts: Amounts, *, suffix: str = ""
) -> None:
    """Add the mean of every metric of `overlaps_of`, with its interval, for every group.

    Args:
        figures: Receives the rows.
        sheet: The questions.
        names: Answerers, or comparisons.
        amounts: What their answers are worth, or by how much more.
        suffix: What tells these metrics from those of single answerers.
    """
    for group in sheet.groups:
        for metric, own in amounts.items():
            figures.add_means(metric + suffix, group, names, own[:, group.items])
