"""Who was asked what, and what everybody answered: not every run is asked every question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.sheet import INVALID, Sheet

__all__ = ["AnswerBook", "book_of"]


@dataclass(frozen=True, eq=False)
class AnswerBook:
    """Everybody's answers to the questions of a sheet.

    Attributes:
        sheet: The questions.
        names: The answerers.
        labels: (answerers, questions) label codes, INVALID where one was not asked.
        asked: (answerers, questions) whether one was asked.
    """

    sheet: Sheet
    names: tuple[str, ...]
    labels: npt.NDArray[np.int8]
    asked: npt.NDArray[np.bool_]

    def items(self, *names: str) -> npt.NDArray[np.intp]:
        """Positions in the sheet, ascending, of the questions that all of these were asked."""
        return np.flatnonzero(self.asked[[self.names.index(name) for name in names]].all(axis=0))

    def part(self, items: npt.NDArray[np.intp], names: Sequence[str]) -> Sheet:
        """The questions at these positions with the answers of these, who were asked all of them."""
        rows = [self.names.index(name) for name in names]
        return self.sheet.part(items).answered(names, list(self.labels[rows][:, items]))

    def with_answerer(self, name: str, items: npt.NDArray[np.intp], labels: npt.NDArray[np.int8]) -> AnswerBook:
        """The same book with one more answerer, who was asked the questions at these positions."""
        said = np.full((1, self.sheet.scenes.size), INVALID, dtype=np.int8)
        said[0, items] = labels
        asked = np.zeros(said.shape, dtype=bool)
        asked[0, items] = True
        return AnswerBook(
            self.sheet, (*self.names, name), np.vstack([self.labels, said]), np.vstack([self.asked, asked])
        )

    def sets(self) -> list[tuple[npt.NDArray[np.intp], list[str]]]:
        """The sets of questions that were asked, in the order of the first who was asked each, with all of these."""
        found: dict[bytes, list[str]] = {}
        for name, row in zip(self.names, self.asked, strict=True):
            found.setdefault(row.tobytes(), []).append(name)
        return [(self.items(names[0]), names) for names in found.values()]


def book_of(sheet: Sheet, names: Sequence[str], records: pl.DataFrame) -> AnswerBook:
    """The answers of runs.

    Args:
        sheet: The questions.
        names: The runs.
        records: Columns run, item (position in the sheet) and code, one row for each run and question asked.
    """
    book = AnswerBook(
        sheet,
        (),
        np.empty((0, sheet.scenes.size), dtype=np.int8),
        np.empty((0, sheet.scenes.size), dtype=bool),
    )
    for name in names:
        own = records.filter(pl.col("run") == name)
        book = book.with_answerer(name, own["item"].to_numpy().astype(np.intp), own["code"].to_numpy())
    return book
