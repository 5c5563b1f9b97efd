"""Questions of free text and what judges gave for everybody's answers as arrays."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from probe4d.benchmarks.question import TEXT
from probe4d.diagnosis.sheets.answer_sheet import AnswerSheet
from probe4d.diagnosis.sheets.grouping import Group, groups_of_format

__all__ = ["UNFIT", "JudgedSheet"]

Values = npt.NDArray[np.float64]

UNFIT = -1.0
"""The code of an answer that holds nothing to judge: one that is empty, cut or missing."""


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgedSheet(AnswerSheet):
    """Questions of free text, and for each run that was judged the scores on the scale of its rubric.

    Where a judge gave none the code is NaN, where there was nothing to judge `UNFIT`.
    """

    unanswered: ClassVar[np.generic] = np.float64(np.nan)

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Templates and relations of each family, then each family and everything."""
        return groups_of_format(self.questions, self.families, self.scenes, format=TEXT)

    @cached_property
    def amounts(self) -> Values:
        """(runs, questions) what counts in the mean of all: a score, or 0 where there was nothing to judge."""
        return np.where(self.codes == UNFIT, 0.0, self.codes)

    @cached_property
    def scores(self) -> Values:
        """(runs, questions) the scores alone."""
        return np.where(self.codes == UNFIT, np.nan, self.codes)
