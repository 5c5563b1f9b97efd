"""The text features that shortcut attribution tries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.intervals import interval_in
from probe4d.benchmarks.question import INTERVAL, LETTERS
from probe4d.diagnosis.controls.answerers import option_codes
from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.labels import LabelSheet
from probe4d.scenes.geometry import SECTORS

__all__ = ["OPTION_LENGTH", "Feature", "features_of"]

OPTION_LENGTH = "option length"


@dataclass(frozen=True, eq=False)
class Feature:
    """One feature of the questions of a family and format.

    Attributes:
        name: `class`, `relation`, `frame`, `context`, `letter`, `option length`, `option`, or two of them.
        kind: `key`: one value a question; `option` and `letter`: one value an option.
        values: (questions,) or (questions, options) codes from 0; -1 where there is no such option.
        words: What each code says.
        joint: Whether it takes two features together.
        noun: What it is called in a rule.
        ordered: Whether codes ascend with a number, which words then say.
    """

    name: str
    kind: Literal["key", "option", "letter"]
    values: npt.NDArray[np.intp]
    words: tuple[str, ...]
    joint: bool = False
    noun: str = ""
    ordered: bool = False


def features_of(sheet: LabelSheet, cell: Group) -> list[Feature]:
    """The features of a cell's questions that take more than one value, single ones first.

    A feature that splits the questions as an earlier one does is left out. Questions for words have features where all
    of a cell share one vocabulary: words of several are no answers that could be compared.
    """
    questions = sheet.questions[cell.items]
    if cell.format == "text" and questions["options"].n_unique() > 1:
        return []
    details = sheet.details.select("frames", "entities")[cell.items]
    asked = questions.hstack(details).select(
        "relation",
        "context",
        frame=pl.col("frames").list.first(),
        **{"class": pl.col("entities").list.sort().list.join(", ")},
    )
    found: list[Feature] = []
    if cell.format == "choice":
        letters = np.arange(int(sheet.option_counts[cell.items].max()))
        values = np.where(letters[None, :] < sheet.option_counts[cell.items][:, None], letters[None, :], -1)
        found.append(Feature("letter", "letter", values.astype(np.intp), tuple(LETTERS[: letters.size])))
        found += _length_feature(sheet, cell)
        found.append(_option_feature(sheet, cell, "option", in_context=False))
    of_context = [("context",)] if cell.format == INTERVAL else []
    for names in (*of_context, ("class",), ("relation",), ("frame",), ("class", "relation")):
        said = asked[names[0]] if len(names) == 1 else asked.select(_together(names)).to_series()
        if said.null_count() or said.n_unique() < 2:
            continue
        words = tuple(said.unique().sort().cast(pl.String))
        values = said.rank("dense").to_numpy().astype(np.intp) - 1
        noun = " and ".join(_noun(name, asked["relation"]) for name in names)
        feature = Feature(" and ".join(names), "key", values, words, len(names) > 1, noun, said.dtype.is_integer())
        if not any(_same_split(feature, other) for other in found if other.kind == "key"):
            found.append(feature)
    if cell.format == "choice" and questions["context"].n_unique() > 1:
        found.append(_option_feature(sheet, cell, "class and option", in_context=True))
    return found


def _together(names: Sequence[str]) -> pl.Expr:
    return pl.format(f"({', '.join(['{}'] * len(names))})", *names)


def _noun(name: str, relations: pl.Series) -> str:
    if name == "relation":
        return "proposed sector" if relations.is_in(SECTORS).all() else "predicate"
    return {"frame": "first frame asked about"}.get(name, name)


def _option_feature(sheet: LabelSheet, cell: Group, name: str, *, in_context: bool) -> Feature:
    values = option_codes(sheet.questions[cell.items], in_context=in_context)
    questions = sheet.questions[cell.items]
    words = [""] * (int(values.max()) + 1)
    for row, texts, context in zip(values.tolist(), questions["features"], questions["context"], strict=True):
        # Beyond its own options a question's row holds -1.
        for code, text in zip(row[: len(texts)], texts, strict=True):
            words[code] = f"{text} ({context})" if in_context else text
    intervals = all(interval_in(text) for text in questions["options"].explode().unique())
    ordered = intervals and not in_context and all(word.isdecimal() for word in words)
    return Feature(name, "option", values, tuple(words), in_context, ordered=ordered)


def _length_feature(sheet: LabelSheet, cell: Group) -> list[Feature]:
    """How long an option's text is among those of its question: code 0 for the longest, one code for equal lengths.

    Lengths are compared inside a question, since whoever picks the longest option there knows no other.

    Returns:
        One feature, or none where no question has options of different lengths.
    """
    table = sheet.questions[cell.items].select(pl.col("options").alias("text")).with_row_index("item")
    options = table.explode("text").select(
        "item",
        place=pl.int_range(pl.len()).over("item"),
        code=pl.col("text").str.len_chars().rank("dense", descending=True).over("item") - 1,
    )
    codes = np.full((table.height, int(sheet.option_counts[cell.items].max())), -1, dtype=np.intp)
    codes[options["item"].to_numpy(), options["place"].to_numpy()] = options["code"].to_numpy()
    words = tuple(str(rank) for rank in range(1, int(codes.max()) + 2))
    return [Feature(OPTION_LENGTH, "option", codes, words, ordered=True)] if len(words) > 1 else []


def _same_split(first: Feature, second: Feature) -> bool:
    together = np.unique(first.values * len(second.words) + second.values).size
    return together == np.unique(first.values).size == np.unique(second.values).size
