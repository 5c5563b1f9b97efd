"""Answerers that see no sensor: what a model has to beat before its accuracy means anything."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.sheets.grouping import Group, text_codes
from probe4d.diagnosis.sheets.labels import NO, LabelSheet
from probe4d.diagnosis.sheets.numbers import NumberSheet, Values
from probe4d.diagnosis.statistics.leave_one_out import (
    Places,
    counts_elsewhere,
    median,
    occurs_elsewhere,
    preferred_option,
)
from probe4d.errors import InputError
from probe4d.wording import listed

__all__ = [
    "CONSTANT_VELOCITY",
    "CONTENT",
    "CONTROLS",
    "FIXED",
    "LABEL_CONTROLS",
    "MEDIAN",
    "NUMBER_CONTROLS",
    "SETTLED",
    "SETTLED_BY",
    "STATIONARY",
    "FromWords",
    "constant_control",
    "content_answers",
    "fixed_control",
    "is_control",
    "keys_of",
    "median_control",
    "option_codes",
    "places_of",
    "refuse_unaskable",
]

_PREFIX = "control:"
FIXED = f"{_PREFIX}fixed"
CONTENT = f"{_PREFIX}content"
MEDIAN = f"{_PREFIX}median"
STATIONARY = f"{_PREFIX}stationary"
CONSTANT_VELOCITY = f"{_PREFIX}constant-velocity"
"""Controls of waypoints, which `probe4d.diagnosis.waypoints.diagnosis` answers with."""

SETTLED = 0.9
"""Share of the questions of a context with one answer, from which the context settles it."""

SETTLED_BY = 20
"""Questions of a context below which it settles nothing."""

Codes = npt.NDArray[np.intp]

_TEXT = ["scene", "family", "template", "context", "features"]
"""What controls look at, and the scene that they leave out."""


class FromWords(NamedTuple):
    """What `control:content` answers to questions.

    Attributes:
        labels: (questions,) label codes.
        known: (questions,) whether what it learned from holds the context, or one of the options in it.
        settled: (questions,) of yes-no questions, whether what it learned from holds `SETTLED_BY` questions or more
            of the context, and answers `SETTLED` of them or more alike.
    """

    labels: npt.NDArray[np.int8]
    known: npt.NDArray[np.bool_]
    settled: npt.NDArray[np.bool_]


def is_control(name: str) -> bool:
    """Whether a name, of a model or in the tables of a diagnosis, is that of a control, known or not."""
    return name.startswith(_PREFIX)


def fixed_control(sheet: LabelSheet, learned: LabelSheet | None = None) -> npt.NDArray[np.int8]:
    """Answer A to every choice question and No to every yes-no question (LiDAR-Hallu, Sec. IV-A).

    To a question for a word of a vocabulary it answers the most frequent reference of its family and template in all
    other scenes, and the first word where there is none.

    Args:
        sheet: The questions.
        learned: Questions to learn from; null learns from these themselves.

    Returns:
        (questions,) label codes.
    """
    labels = np.full(sheet.scenes.size, NO, dtype=np.int8)  # the code of A is that of No
    for cell in sheet.cells:
        if cell.format == "text":
            labels[cell.items] = _words(sheet, cell, learned, "template")[0]
    return labels


def content_answers(sheet: LabelSheet, learned: LabelSheet | None = None) -> FromWords:
    """Answer from the question's text alone, fitted to the references of other scenes (Sec. IV-B, Eq. 5).

    Yes-no: the majority answer among questions of the same family and `context`, ties and unseen contexts
    No. Words of a vocabulary: the most frequent one of the same family, template and `context`, in unseen contexts that
    of the template. Choice: the option whose `features` value, within family and context, is most often the reference
    rather than a distractor.

    Args:
        sheet: The questions. Where it learns from others, they are all that the benchmark asks.
        learned: Questions to learn from, none of them among those answered; null learns from these themselves.
            Of a context of yes-no questions it then learns from no scene in which the sheet asks about that context,
            so that it has one answer a context. If it learned from all scenes but that of the question, what is left
            of a context would lean to one side or the other with what the sheet took of it in that scene: an answer
            told by bookkeeping, and not by words.
    """
    asked_of = sheet.questions.select(_TEXT)
    labels = np.empty(sheet.scenes.size, dtype=np.int8)
    known, settled = np.zeros((2, sheet.scenes.size), dtype=np.bool_)
    for cell in sheet.cells:
        items = cell.items if learned is None else _same_cell(learned, cell)
        references = (learned or sheet).references[items]
        own, other = asked_of[cell.items], None if learned is None else learned.questions.select(_TEXT)[items]
        if cell.format == "yes-no":
            asked, source = places_of(own, other, lambda rows: text_codes(rows["context"]))
            if other is not None:
                kept = ~_asked_in(source, asked)
                source, references = Places(source.keys[kept], source.scenes[kept]), references[kept]
            counts = counts_elsewhere(source, references, asked=asked, kinds=2)
            n, most = counts.sum(axis=1), counts.max(axis=1)
            labels[cell.items], known[cell.items] = counts.argmax(axis=1), n > 0
            settled[cell.items] = (n >= SETTLED_BY) & (most >= SETTLED * n)
        elif cell.format == "text":
            labels[cell.items], known[cell.items] = _words(sheet, cell, learned, "template", "context")
        else:
            asked, source = places_of(own, other, partial(option_codes, in_context=True))
            labels[cell.items] = preferred_option(source, references, asked=asked)
            known[cell.items] = occurs_elsewhere(source, asked=asked)
    return FromWords(labels, known, settled)


def constant_control(sheet: NumberSheet, learned: NumberSheet | None = None) -> Values:
    """Answer every question for a number with the median reference of its family and template in all other scenes.

    Args:
        sheet: The questions.
        learned: Questions to learn from; null learns from these themselves.

    Returns:
        (questions,) values; NaN where the template occurs in no other scene.
    """
    return _medians(sheet, learned, "family", "template")


def median_control(sheet: NumberSheet, learned: NumberSheet | None = None) -> Values:
    """Answer every question for a number from its text alone, fitted to the references of all other scenes.

    Args:
        sheet: The questions.
        learned: Questions to learn from; null learns from these themselves.

    Returns:
        (questions,) median references of the same family, template and `context` in all other scenes; where these
        occur in none, what `constant_control` answers.
    """
    values = _medians(sheet, learned, "family", "template", "context")
    return np.where(np.isnan(values), constant_control(sheet, learned), values)


LABEL_CONTROLS = (FIXED, CONTENT)
"""The controls that answer questions whose answer is a label."""

NUMBER_CONTROLS: dict[str, Callable[[NumberSheet, NumberSheet | None], Values]] = {
    FIXED: constant_control,
    MEDIAN: median_control,
}
"""What the controls answer to questions for a number, learning from these or from others."""

CONTROLS = (FIXED, CONTENT, MEDIAN)
"""The controls that can be asked."""


def refuse_unaskable(name: str) -> None:
    """Refuse a control that cannot be asked.

    Raises:
        InputError: It is one of waypoints, which a diagnosis sets beside runs by itself, or there is none of that name.
    """
    if name in CONTROLS:
        return
    askable = listed(CONTROLS)
    if name in (STATIONARY, CONSTANT_VELOCITY):
        raise InputError(
            f"{name} is not asked: `probe4d diagnose` sets it beside every run of waypoints by itself.",
            remedy=f"Controls that can be asked are {askable}.",
        )
    raise InputError(f"there is no control {name!r}.", remedy=f"There are {askable}.")


def option_codes(questions: pl.DataFrame, *, in_context: bool) -> Codes:
    """Number what the options of choice questions say.

    Args:
        questions: The columns context and features of one family.
        in_context: Whether the same text under another `context` is another value.

    Returns:
        (questions, most options) codes from 0, -1 where a question has fewer options.
    """
    table = questions.select("context", "features").with_row_index("item")
    options = table.explode("features").with_columns(option=pl.int_range(pl.len()).over("item"))
    options = options.filter(pl.col("features").is_not_null())
    said = text_codes(options["features"])
    if in_context:
        said = text_codes(options["context"]) * (1 + int(said.max(initial=0))) + said
    places = options["option"].to_numpy()
    codes = np.full((table.height, 1 + int(places.max(initial=0))), -1, dtype=np.intp)
    codes[options["item"].to_numpy(), places] = np.unique(said, return_inverse=True)[1]
    return codes


def _words(
    sheet: LabelSheet, cell: Group, learned: LabelSheet | None, *columns: str
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.bool_]]:
    """The most frequent word of a cell's questions with the same values of some columns in other scenes.

    Ties, and values that occur in no other scene, are settled by the words of the template in other scenes, then by the
    order of the vocabulary. A word that a question does not offer is not answered to it.

    Returns:
        (questions of the cell,) label codes, and whether the values occur in another scene.
    """
    items = cell.items if learned is None else _same_cell(learned, cell)
    own, other = sheet.questions[cell.items], None if learned is None else learned.questions[items]
    every = own if other is None else pl.concat([own, other])
    offered = option_codes(every.select("context", features="options"), in_context=False)
    references = (learned or sheet).references[items]
    words = offered[-items.size :][np.arange(items.size), references] if items.size else references.astype(np.intp)
    kinds = 1 + int(offered.max(initial=0))
    counts = np.zeros((2, own.height, kinds))
    for place, keys in enumerate((columns, ("template",))):
        asked, source = places_of(
            own.select(_TEXT), None if other is None else other.select(_TEXT), partial(keys_of, columns=keys)
        )
        counts[place] = counts_elsewhere(source, words, asked=asked, kinds=kinds)
    of_template = counts[1] / (counts[1].sum(axis=1, keepdims=True) + 1.0)  # below one count in all: decides ties alone
    of_options = np.take_along_axis(counts[0] + of_template, np.maximum(offered[: own.height], 0), axis=1)
    best = np.where(offered[: own.height] >= 0, of_options, -1.0).argmax(axis=1)
    return best.astype(np.int8), counts[0].sum(axis=1) > 0


def keys_of(rows: pl.DataFrame, *, columns: Sequence[str]) -> Codes:
    """Number the values of some columns taken together."""
    return text_codes(rows.select(pl.concat_str(columns, separator="\x1f")).to_series())


def _medians(sheet: NumberSheet, learned: NumberSheet | None, *columns: str) -> Values:
    other = None if learned is None else learned.questions.select(_TEXT)
    asked, source = places_of(sheet.questions.select(_TEXT), other, partial(keys_of, columns=columns))
    return median(source, (learned or sheet).references, asked=asked)


def places_of(
    own: pl.DataFrame, other: pl.DataFrame | None, keys: Callable[[pl.DataFrame], Codes]
) -> tuple[Places, Places]:
    """Where the questions answered stand, and where those stand that are learned from, coded alike.

    Args:
        own: The questions answered: the column scene, and what `keys` looks at.
        other: The same of those learned from; null where they are these.
        keys: Numbers the keys of questions.
    """
    rows = own if other is None else pl.concat([own, other])
    codes, scenes = keys(rows), text_codes(rows["scene"])
    asked = Places(codes[: own.height], scenes[: own.height])
    return asked, asked if other is None else Places(codes[own.height :], scenes[own.height :])


def _same_cell(learned: LabelSheet, cell: Group) -> npt.NDArray[np.intp]:
    """The questions to learn from that are of a cell's family and format."""
    same = [one.items for one in learned.cells if (one.family, one.format) == (cell.family, cell.format)]
    return np.concatenate([*same, np.empty(0, dtype=np.intp)])


def _asked_in(source: Places, asked: Places) -> npt.NDArray[np.bool_]:
    """Which of the items to learn from are of a scene in which their key is asked about."""
    scenes = 1 + int(max(source.scenes.max(initial=0), asked.scenes.max(initial=0)))
    return np.isin(source.keys * scenes + source.scenes, asked.keys * scenes + asked.scenes)
