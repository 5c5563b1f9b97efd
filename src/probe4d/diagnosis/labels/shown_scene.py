"""Whether answers follow the scene that was shown, where it was not the question's own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.labels import INVALID, LabelSheet

__all__ = ["add_shown_scene"]


def add_shown_scene(figures: Figures, sheet: LabelSheet, name: str, records: pl.DataFrame) -> None:
    """Add follows_shown and keeps_own of a run that was shown other scenes.

    Both are shares of the questions whose answer in the scene shown is known and differs from that in their own:
    of answers that are true of the scene shown, and of answers that are true of the question's own. A run that was
    shown nothing else than its own scenes has no row.

    Args:
        figures: Receives the rows.
        sheet: The questions that the run was asked, with its answers.
        name: The run.
        records: Columns question and shown_code (label code of the answer true of the scene shown, or null), a row
            for each question.
    """
    items = sheet.questions.select(question="id").join(records, on="question", how="left", maintain_order="left")
    shown = items["shown_code"].fill_null(INVALID).to_numpy()
    telling = (shown != INVALID) & (shown != sheet.references)
    labels = sheet.labels[sheet.row(name)]
    for group in sheet.groups:
        other = replace(group, items=group.items[telling[group.items]])
        for metric, true in (("follows_shown", shown), ("keeps_own", sheet.references)):
            figures.add_ratios(metric, other, [name], np.equal(labels, true)[None, other.items])
