"""Questions whose answer is a label and everybody's answers as arrays: what the statistics work on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS, has_vocabulary
from probe4d.diagnosis.sheets.answer_sheet import COLUMNS
from probe4d.diagnosis.sheets.grouping import TEMPLATE, Coded, Group, coded, split_groups
from probe4d.diagnosis.sheets.right_or_wrong import RightOrWrongSheet
from probe4d.errors import InputError

__all__ = [
    "INVALID",
    "NO",
    "SCORED_FORMATS",
    "YES",
    "LabelSheet",
    "code_labels",
    "has_label",
    "label_of",
    "make_label_sheet",
]

INVALID, NO, YES = -1, 0, 1
"""Label codes of yes-no questions; letters of options and words of a vocabulary are 0, 1, …; INVALID is unreadable."""

SCORED_FORMATS = ("yes-no", "choice", "text")
"""Formats of questions whose answer is a label, in the order of reports; `text` only with a vocabulary."""

MOST_WORDS = 100
"""Words that a vocabulary may hold."""


_LABEL_COLUMNS = (*COLUMNS, "keyframes", "margin", "lidar_points", "links", "order")


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelSheet(RightOrWrongSheet):
    """Questions whose answer is a label, and a row of labels for each answerer.

    Attributes:
        references: (questions,) label codes of the reference answers.
    """

    references: npt.NDArray[np.signedinteger]

    unanswered: ClassVar[np.generic] = np.int8(INVALID)
    of_questions: ClassVar[tuple[str, ...]] = ("references",)

    @property
    def labels(self) -> npt.NDArray[np.signedinteger]:
        """(answerers, questions) label codes."""
        return self.codes

    @cached_property
    def correct(self) -> npt.NDArray[np.bool_]:
        """(answerers, questions): valid and equal to the reference; invalid counts as wrong."""
        correct: npt.NDArray[np.bool_] = np.equal(self.labels, self.references)
        return correct

    def differ(self, ones: Sequence[str], others: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(pairs, questions): whether the two answerers of each pair answer otherwise; invalid answers are alike."""
        rows = [[self.row(name) for name in names] for names in (ones, others)]
        moved: npt.NDArray[np.bool_] = np.not_equal(*(self.labels[own] for own in rows))
        return moved

    @cached_property
    def cells(self) -> tuple[Group, ...]:
        """One group for each family and format."""
        masks = {
            (family, kind): self._families.are(family) & self._formats.are(kind)
            for family in self.families
            for kind in SCORED_FORMATS
        }
        return tuple(self._group(where, family, kind) for (family, kind), where in masks.items() if where.any())

    @cached_property
    def relations(self) -> tuple[Group, ...]:
        """One group for each family, format and relation, where questions have one."""
        return split_groups(self.cells, coded(self.questions["relation"]))

    @cached_property
    def templates(self) -> tuple[Group, ...]:
        """One group for each template, where questions of a family and format are of several."""
        templates = coded(self.questions["template"])
        split = [split_groups([cell], templates, prefix=TEMPLATE) for cell in self.cells]
        return tuple(group for groups in split if len(groups) > 1 for group in groups)

    @cached_property
    def everything(self) -> Group:
        """All questions."""
        return self._group(np.ones(self.scenes.size, dtype=bool), "all", "all")

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Cells, relations, templates, and totals: each family, each format, everything."""
        families = [self._group(self._families.are(family), family, "all") for family in self.families]
        kinds = [kind for kind in SCORED_FORMATS if kind in self._formats.names]
        formats = [self._group(self._formats.are(kind), "all", kind) for kind in kinds]
        return (*self.cells, *self.relations, *self.templates, *families, *formats, self.everything)

    @cached_property
    def option_counts(self) -> npt.NDArray[np.int64]:
        """(questions,) number of options or words; 2 for yes-no."""
        lengths = self.questions["options"].list.len().fill_null(0).to_numpy().astype(np.int64)
        return np.where(self._formats.are("yes-no"), 2, lengths)

    def _group(self, where: npt.NDArray[np.bool_], family: str, kind: str) -> Group:
        return Group(family, kind, "all", self._by_scene[where[self._by_scene]])

    @cached_property
    def _by_scene(self) -> npt.NDArray[np.intp]:
        return np.argsort(self.scenes, kind="stable")

    @cached_property
    def _families(self) -> Coded:
        return coded(self.questions["family"])

    @cached_property
    def _formats(self) -> Coded:
        return coded(self.questions["format"])


def has_label(options: str = "options") -> pl.Expr:
    """Whether the answer to a question is a label: yes or no, a letter, or a word of a vocabulary.

    Args:
        options: Name of the column of options.
    """
    return pl.col("format").is_in(["yes-no", "choice"]) | has_vocabulary(options)


def make_label_sheet(benchmark: Benchmark) -> LabelSheet:
    """Take the questions whose answer is a label out of a benchmark, which may hold none; nobody has answered yet.

    Where a choice question comes without features, as in benchmarks from elsewhere, its options' texts are these.

    Raises:
        InputError: A reference answer is no label of its question, a vocabulary has more than `MOST_WORDS` words or one
            of them twice, or a choice question has features, but not one an option.
    """
    table = benchmark.columns(*_LABEL_COLUMNS).filter(has_label())
    _refuse_vocabulary(table, benchmark)
    references = code_labels(table["answer"], table)
    if (references == INVALID).any():
        wrong = table.row(int(np.argmin(references)), named=True)
        raise InputError(
            f"question {wrong['id']} of format {wrong['format']} has the reference {wrong['answer']!r}, "
            "which is none of its answers.",
            path=benchmark.path,
            remedy="Build or import the benchmark again.",
        )
    table = table.with_columns(features=_features())
    features, options = (pl.col(name).list.len() for name in ("features", "options"))
    uneven = table.filter((pl.col("format") == "choice") & (features != options)).select("id", features, options)
    for identity, given, needed in uneven.head(1).iter_rows():
        raise InputError(
            f"question {identity} has {needed} options but {given} features.",
            path=benchmark.path,
            remedy="Build or import the benchmark again.",
        )
    return LabelSheet.of(benchmark, table, references=references)


def _refuse_vocabulary(table: pl.DataFrame, benchmark: Benchmark) -> None:
    """Refuse a vocabulary whose words cannot be told apart, or that is none."""
    words = pl.col("options").list.eval(pl.element().str.to_lowercase().str.strip_chars())
    faults = {
        f"more than {MOST_WORDS} words": words.list.len() > MOST_WORDS,
        "a word twice": words.list.n_unique() < words.list.len(),
    }
    for what, is_faulty in faults.items():
        for identity in table.filter(has_vocabulary(), is_faulty)["id"].head(1):
            raise InputError(
                f"question {identity} has {what} in its vocabulary.",
                path=benchmark.path,
                remedy="Build or import the benchmark again.",
            )


def _features() -> pl.Expr:
    texts = pl.col("options").list.eval(pl.element().str.to_lowercase().str.strip_chars())
    return pl.when(pl.col("features").list.len() == 0).then(texts).otherwise("features")


def code_labels(labels: pl.Series, questions: pl.DataFrame) -> npt.NDArray[np.int8]:
    """Turn `Yes`, `No`, letters and words into label codes; what is no label of its question becomes INVALID.

    Args:
        labels: One label a question, null where there is none.
        questions: The questions, columns of `QUESTION_SCHEMA`.
    """
    codes = pl.DataFrame({"label": labels, "format": questions["format"], "options": questions["options"]}).select(
        pl.when(pl.col("format") == "yes-no")
        .then(pl.col("label").replace_strict({"No": NO, "Yes": YES}, default=INVALID, return_dtype=pl.Int8))
        .when(has_vocabulary())
        .then(_word_codes(labels, questions))
        .otherwise(_letter_code())
        .fill_null(INVALID)
    )
    return codes.to_series().to_numpy().astype(np.int8)


def label_of(code: int, kind: str, options: Sequence[str] = ()) -> str | None:
    """The label of a code, null for INVALID.

    Args:
        code: The label code.
        kind: Format of the question.
        options: What codes say where they are neither yes or no nor letters, such as its vocabulary.
    """
    if code == INVALID:
        return None
    if kind == "yes-no":
        return ("No", "Yes")[code]
    return LETTERS[code] if kind == "choice" else options[code]


def _word_codes(labels: pl.Series, questions: pl.DataFrame) -> pl.Series:
    """Where words stand in the vocabularies of their questions; null where they do not, and of other questions."""
    asked = pl.DataFrame({"label": labels, "options": questions["options"]}).with_row_index("item")
    words = asked.filter(questions.select(has_vocabulary()).to_series())
    places = [
        options.index(label) if label in options else None
        for label, options in words.select("label", "options").iter_rows()
    ]
    found = words.select("item", code=pl.Series(places, dtype=pl.Int8))
    return asked.select("item").join(found, on="item", how="left", maintain_order="left")["code"]


def _letter_code() -> pl.Expr:
    letters = {letter: code for code, letter in enumerate(LETTERS)}
    code = pl.col("label").replace_strict(letters, default=INVALID, return_dtype=pl.Int8)
    return pl.when(code < pl.col("options").list.len().cast(pl.Int8)).then(code).otherwise(INVALID)
