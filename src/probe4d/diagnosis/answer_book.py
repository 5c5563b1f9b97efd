"""Who was asked what, and what everybody answered: not every run is asked every question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.sheets.answer_sheet import AnswerSheet

__all__ = ["AnswerBook", "book_of"]


SheetT = TypeVar("SheetT", bound=AnswerSheet)


@dataclass(frozen=True, eq=False)
class AnswerBook(Generic[SheetT]):
    """Everybody's answers to the questions of a sheet.

    Attributes:
        sheet: The questions.
        names: The answerers.
        answers: (answerers, questions) codes of answers, `sheet.unanswered` where one was not asked.
        asked: (answerers, questions) whether one was asked.
    """

    sheet: SheetT
    names: tuple[str, ...]
    answers: npt.NDArray[Any]
    asked: npt.NDArray[np.bool_]

    def items(self, *names: str) -> npt.NDArray[np.intp]:
        """Positions in the sheet, ascending, of the questions that all of these were asked.

        Whoever is not in the book was asked none.
        """
        if not set(names) <= set(self.names):
            return np.empty(0, dtype=np.intp)
        return np.flatnonzero(self.asked[[self.names.index(name) for name in names]].all(axis=0))

    def part(self, items: npt.NDArray[np.intp], names: Sequence[str]) -> SheetT:
        """The questions at these positions with the answers of these, who were asked all of them."""
        rows = [self.names.index(name) for name in names]
        return self.sheet.part(items).answered(names, list(self.answers[rows][:, items]))

    def with_answerer(self, name: str, items: npt.NDArray[np.intp], answers: npt.NDArray[Any]) -> AnswerBook[SheetT]:
        """The same book with one more answerer, who was asked the questions at these positions."""
        said = np.full((1, self.sheet.scenes.size), self.sheet.unanswered)
        said[0, items] = answers
        asked = np.zeros(said.shape, dtype=bool)
        asked[0, items] = True
        return AnswerBook(
            self.sheet, (*self.names, name), np.vstack([self.answers, said]), np.vstack([self.asked, asked])
        )

    def sets(self) -> list[tuple[npt.NDArray[np.intp], list[str]]]:
        """The sets of questions that were asked, in the order of the first who was asked each, with all of these.

        Whoever was asked none is in no set. Where nobody of the book was, there is one empty set; where nobody is in
        the book, it is of all questions.
        """
        found: dict[bytes, list[str]] = {}
        for name, row in zip(self.names, self.asked, strict=True):
            if row.any():
                found.setdefault(row.tobytes(), []).append(name)
        sets = [(self.items(names[0]), names) for names in found.values()]
        return sets or [(np.arange(0 if self.names else self.sheet.scenes.size), [])]


def book_of(sheet: SheetT, names: Sequence[str], records: pl.DataFrame) -> AnswerBook[SheetT]:
    """The answers of runs.

    Args:
        sheet: The questions.
        names: The runs.
        records: Columns run, item (position in the sheet) and code (null where there is no answer), one row for each
            run and question asked.
    """
    nothing = np.full((0, sheet.scenes.size), sheet.unanswered)
    book = AnswerBook(sheet, (), nothing, nothing.astype(bool))
    for name in names:
        own = records.filter(pl.col("run") == name)
        codes = own["code"].fill_null(sheet.unanswered.item()).to_numpy()
        book = book.with_answerer(name, own["item"].to_numpy().astype(np.intp), codes)
    return book
