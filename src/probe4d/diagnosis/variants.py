"""How far the answers to one question agree when it is asked in several ways, or several times."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheet import INVALID, Sheet

__all__ = ["add_variants"]

_NOT_ASKED = INVALID - 1


def add_variants(figures: Figures, sheet: Sheet, name: str, records: pl.DataFrame) -> None:
    """Add the variant metrics of a run, over the questions that it was asked in more than one variant.

    Metrics: variants_accuracy, the mean over variants; variants_alike, where all answers are one;
    variants_pairs_alike, the mean share of pairs of variants with one answer; variants_all_right and
    variants_any_right. Unreadable answers are wrong, and alike among themselves. A run that asks every question
    once has no row.

    Args:
        figures: Receives the rows.
        sheet: The questions that the run was asked.
        name: The run.
        records: Columns question and code (label codes in the question's own letters): a row for each variant.
    """
    codes = _codes(sheet, records)
    times = (codes != _NOT_ASKED).sum(axis=0)
    if (times < 2).all():
        return
    pairs = np.maximum(times * (times - 1) // 2, 1)
    right = (codes == sheet.references).sum(axis=0)
    alike = np.zeros(times.size, dtype=np.int64)
    for code in range(INVALID, int(sheet.option_counts.max())):
        same = (codes == code).sum(axis=0)
        alike += same * (same - 1) // 2
    for group in sheet.groups:
        repeated = replace(group, items=group.items[times[group.items] > 1])
        for metric, counts, of in (
            ("variants_accuracy", right, times),
            ("variants_pairs_alike", alike, pairs),
        ):
            # Numerators in a common unit, so that they stay integers.
            unit = int(np.lcm.reduce(of[repeated.items], initial=1))
            shares = counts[repeated.items] * (unit // of[repeated.items])
            figures.add_ratios(metric, repeated, [name], shares[None, :], unit=unit)
        for metric, holds in (
            ("variants_alike", alike == pairs),
            ("variants_all_right", right == times),
            ("variants_any_right", right > 0),
        ):
            figures.add_ratios(metric, repeated, [name], holds[None, repeated.items])


def _codes(sheet: Sheet, records: pl.DataFrame) -> npt.NDArray[np.int8]:
    """(most variants of a question, questions of the sheet) label codes."""
    items = sheet.questions.select(question="id").with_row_index("place_in_sheet")
    placed = records.join(items, on="question", how="inner", maintain_order="left").with_columns(
        place=pl.int_range(pl.len()).over("question")
    )
    places = placed["place"].to_numpy()
    codes = np.full((int(places.max(initial=0)) + 1, sheet.scenes.size), _NOT_ASKED, dtype=np.int8)
    codes[places, placed["place_in_sheet"].to_numpy()] = placed["code"].to_numpy()
    return codes
