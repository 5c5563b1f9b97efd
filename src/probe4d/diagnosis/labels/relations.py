"""Positive recall and false alarms of yes-no questions, relation by relation (LiDAR-Hallu, Sec. IV-D, Eq. 7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.labels import NO, YES, LabelSheet

__all__ = ["add_relations"]


def add_relations(figures: Figures, sheet: LabelSheet) -> None:
    """Add tpr and fpr of every answerer, and fpr_below_threshold where such negatives exist.

    An invalid answer asserts nothing: it is neither a true nor a false positive. A negative is below the
    threshold if what it proposes does happen, only by less than the rule asks for ("closer" by 1.5 m);
    these are the negatives that the wording of a question does not decide.
    """
    near_misses = _below_threshold(sheet)
    for group in sheet.groups:
        if group.format != "yes-no":
            continue
        positive = sheet.references[group.items] == YES
        _add_yes_rate(figures, sheet, group, "tpr", positive)
        _add_yes_rate(figures, sheet, group, "fpr", ~positive)
        _add_yes_rate(figures, sheet, group, "fpr_below_threshold", ~positive & near_misses[group.items])


def _below_threshold(sheet: LabelSheet) -> npt.NDArray[np.bool_]:
    """(questions,) whether a question's answer is No because a value of the right sign is below the threshold."""
    said = sheet.details["facts"].str.json_path_match("$.below_threshold")
    near: npt.NDArray[np.bool_] = (said == "true").fill_null(False).to_numpy(writable=True)
    near &= sheet.references == NO
    return near


def _add_yes_rate(figures: Figures, sheet: LabelSheet, group: Group, metric: str, where: npt.NDArray[np.bool_]) -> None:
    subset = replace(group, items=group.items[where])
    figures.add_ratios(metric, subset, sheet.names, sheet.labels[:, subset.items] == YES)
