"""Answerers that see no sensor: what a model has to beat before its accuracy means anything."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.leave_one_out import majority, median, preferred_option
from probe4d.diagnosis.number_sheet import NumberSheet
from probe4d.diagnosis.sheet import NO, Group, Sheet

__all__ = [
    "CONTENT",
    "FIXED",
    "MEDIAN",
    "content_control",
    "fixed_control",
    "is_control",
    "median_control",
    "option_codes",
    "text_codes",
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
            labels[cell.items] = majority(contexts, scenes, references)
        else:
            labels[cell.items] = preferred_option(option_codes(sheet, cell, in_context=True), scenes, references)
    return labels


def median_control(sheet: NumberSheet) -> npt.NDArray[np.float64]:
    """Answer every question for a number with the median reference of its template in all other scenes.

    Returns:
        (questions,) values; NaN where the template occurs in no other scene.
    """
    templates = text_codes(sheet.questions["family"] + "\x1f" + sheet.questions["template"])
    return median(templates, sheet.scenes, sheet.references)


def text_codes(texts: pl.Series) -> npt.NDArray[np.intp]:
    """Number the distinct texts of a series from 0."""
    return texts.fill_null("").rank("dense").to_numpy().astype(np.intp) - 1


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
    keys = ["context", "features"] if in_context else ["features"]
    options = options.filter(pl.col("features").is_not_null()).with_columns(code=pl.struct(keys).rank("dense") - 1)
    codes = np.full((table.height, int(sheet.option_counts[cell.items].max())), -1, dtype=np.intp)
    codes[options["item"].to_numpy(), options["option"].to_numpy()] = options["code"].to_numpy()
    return codes
