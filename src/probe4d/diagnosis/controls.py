"""Answerers that see no sensor: what a model has to beat before its accuracy means anything."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.leave_one_out import Places, majority, median, preferred_option
from probe4d.diagnosis.number_sheet import NumberSheet, Values
from probe4d.diagnosis.sheet import NO, Group, Sheet, text_codes

__all__ = [
    "CONTENT",
    "FIXED",
    "MEDIAN",
    "NUMBER_CONTROLS",
    "constant_control",
    "content_control",
    "fixed_control",
    "is_control",
    "median_control",
    "option_codes",
]

_PREFIX = "control:"
FIXED = f"{_PREFIX}fixed"
CONTENT = f"{_PREFIX}content"
MEDIAN = f"{_PREFIX}median"


def is_control(name: str) -> bool:
    """Whether a name, of a model or in the tables of a diagnosis, is that of a control, known or not."""
    return name.startswith(_PREFIX)


def fixed_control(sheet: Sheet) -> npt.NDArray[np.int8]:
    """Answer A to every choice question and No to every yes-no question (LiDAR-Hallu, Sec. IV-A).

    Returns:
        (questions,) label codes.
    """
    return np.full(sheet.scenes.size, NO, dtype=np.int8)  # the code of A is that of No


def content_control(sheet: Sheet) -> npt.NDArray[np.int8]:
    """Answer from the question's text alone, fitted to the references of all other scenes (Sec. IV-B, Eq. 5).

    Yes-no: the majority answer among questions of the same family and `context`, ties and unseen contexts
    No. Choice: the option whose `features` value, within family and context, is most often the reference
    rather than a distractor.

    Returns:
        (questions,) label codes.
    """
    labels = np.empty(sheet.scenes.size, dtype=np.int8)
    for cell in sheet.cells:
        scenes, references = sheet.scenes[cell.items], sheet.references[cell.items]
        if cell.format == "yes-no":
            contexts = text_codes(sheet.questions["context"][cell.items])
            labels[cell.items] = majority(Places(contexts, scenes), references)
        else:
            options = option_codes(sheet, cell, in_context=True)
            labels[cell.items] = preferred_option(Places(options, scenes), references)
    return labels


def constant_control(sheet: NumberSheet) -> Values:
    """Answer every question for a number with the median reference of its family and template in all other scenes.

    Returns:
        (questions,) values; NaN where the template occurs in no other scene.
    """
    return _medians(sheet, "family", "template")


def median_control(sheet: NumberSheet) -> Values:
    """Answer every question for a number from its text alone, fitted to the references of all other scenes.

    Returns:
        (questions,) median references of the same family, template and `context` in all other scenes; where these
        occur in none, what `constant_control` answers.
    """
    values = _medians(sheet, "family", "template", "context")
    return np.where(np.isnan(values), constant_control(sheet), values)


NUMBER_CONTROLS = {FIXED: constant_control, MEDIAN: median_control}
"""What each control answers to questions for a number."""


def _medians(sheet: NumberSheet, *columns: str) -> Values:
    keys = text_codes(sheet.questions.select(pl.concat_str(columns, separator="\x1f")).to_series())
    return median(Places(keys, sheet.scenes), sheet.references)


def option_codes(sheet: Sheet, cell: Group, *, in_context: bool) -> npt.NDArray[np.intp]:
    """Number what the options of choice questions say.

    Args:
        sheet: The questions.
        cell: Choice questions of one family.
        in_context: Whether the same text under another `context` is another value.

    Returns:
        (questions of the cell, most options) codes from 0, -1 where a question has fewer options.
    """
    table = sheet.questions[cell.items].select("context", "features").with_row_index("item")
    options = table.explode("features").with_columns(option=pl.int_range(pl.len()).over("item"))
    options = options.filter(pl.col("features").is_not_null())
    said = text_codes(options["features"])
    if in_context:
        said = text_codes(options["context"]) * (1 + int(said.max())) + said
    codes = np.full((table.height, int(sheet.option_counts[cell.items].max())), -1, dtype=np.intp)
    codes[options["item"].to_numpy(), options["option"].to_numpy()] = np.unique(said, return_inverse=True)[1]
    return codes
