"""What all sheets of questions are: the questions of one kind of answer, and a row of codes for each answerer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.sheets.grouping import families_in_order, text_codes

__all__ = ["COLUMNS", "AnswerSheet"]

COLUMNS = ("id", "family", "template", "relation", "format", "scene", "options", "context", "features", "answer")
"""Columns of a benchmark that every sheet looks at."""

_DETAILS = ("question", "frames", "entities", "facts", "prompt")


@dataclass(frozen=True, eq=False, kw_only=True)
class AnswerSheet:
    """Questions, and a row of codes for each answerer.

    Attributes:
        benchmark: Where the questions are from.
        questions: The questions: `COLUMNS`, and what else scoring looks at.
        families: Families in the order of reports.
        scenes: (questions,) scene codes in the order of the sorted scene names.
        names: Answerers: runs in order, then controls.
        codes: (answerers, questions) what they answered, as each kind of sheet codes it.
        unanswered: The code of no answer, of the type of all codes.
        of_questions: Names of the fields, beside these, that hold a value for each question along their first axis.
    """

    benchmark: Benchmark
    questions: pl.DataFrame
    families: tuple[str, ...]
    scenes: npt.NDArray[np.intp]
    names: tuple[str, ...] = ()
    codes: npt.NDArray[Any] = field(default_factory=lambda: np.empty((0, 0)))
    _read: list[pl.DataFrame] = field(default_factory=list, repr=False)  # the details, once they were looked at

    unanswered: ClassVar[np.generic]
    of_questions: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def of(cls, benchmark: Benchmark, questions: pl.DataFrame, **own: Any) -> Self:
        """A sheet that nobody has answered yet.

        Args:
            benchmark: Where the questions are from.
            questions: As in the attribute.
            own: The further fields of the kind of sheet.
        """
        families = families_in_order(benchmark.record, questions["family"].unique())
        scenes = text_codes(questions["scene"])
        return cls(benchmark=benchmark, questions=questions, families=families, scenes=scenes, **own)

    @property
    def details(self) -> pl.DataFrame:
        """The columns question, frames, entities, facts and prompt of the questions, read when first looked at.

        They are longer than all else, and most figures need none of them. Sheets of the same questions share them.
        """
        if not self._read:
            self._read.append(self.benchmark.rows(self.questions["id"], *_DETAILS))
        return self._read[0]

    def row(self, name: str) -> int:
        """Row of an answerer."""
        return self.names.index(name)

    def answered(self, names: Sequence[str], codes: Sequence[npt.NDArray[Any]]) -> Self:
        """The same questions with these answerers and their codes."""
        shape = (len(names), self.scenes.size)
        return replace(self, names=tuple(names), codes=np.array(codes, dtype=self.unanswered.dtype).reshape(shape))

    def part(self, items: npt.NDArray[np.intp]) -> Self:
        """The questions at these ascending positions, answered by nobody yet."""
        questions = self.questions[items]
        present = set(questions["family"].unique())
        own: dict[str, Any] = {name: getattr(self, name)[items] for name in self.of_questions}
        return replace(
            self,
            questions=questions,
            families=tuple(family for family in self.families if family in present),
            scenes=np.unique(self.scenes[items], return_inverse=True)[1].astype(np.intp),
            names=(),
            codes=np.empty((0, items.size), dtype=self.unanswered.dtype),
            _read=[read[items] for read in self._read],
            **own,
        )
