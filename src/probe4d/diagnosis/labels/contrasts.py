"""Same-object contrasts: one object, one interval, opposite answers, linked by the benchmark."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.labels.pairs import add_joint
from probe4d.diagnosis.sheets.labels import YES, LabelSheet

__all__ = ["add_contrasts"]


def add_contrasts(figures: Figures, sheet: LabelSheet) -> None:
    """Add contrasts, contrasts_both, contrasts_one, contrasts_neither, contrast_item_accuracy, contrast_same_answer.

    Here nothing but the proposed relation differs, so that knowing where the object is, or how it moves,
    answers both. A question takes part in every contrast that it is linked to.
    """
    positives, negatives = _contrast_items(sheet)
    for group in sheet.groups:
        # The two questions propose different relations, so contrasts are never split by relation.
        if group.format != "yes-no" or group.relation != "all":
            continue
        inside = np.isin(positives, group.items) & np.isin(negatives, group.items)
        if inside.any():
            add_joint(figures, sheet, group, sheet.names, positives[inside], negatives[inside], prefix="contrast")


def _contrast_items(sheet: LabelSheet) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Positions in the sheet of the Yes and the No question of each contrast; links out of the sheet are left out."""
    items = sheet.questions.select("id", "links", "format").with_row_index("item")
    items = items.with_columns(yes=pl.Series(sheet.references == YES)).filter(pl.col("format") == "yes-no")
    links = items.filter("yes").explode("links").drop_nulls("links")
    linked = links.join(
        items.filter(~pl.col("yes")), left_on="links", right_on="id", suffix="_no", maintain_order="left"
    )
    return linked["item"].to_numpy().astype(np.intp), linked["item_no"].to_numpy().astype(np.intp)
