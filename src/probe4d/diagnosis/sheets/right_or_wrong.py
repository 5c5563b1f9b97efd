"""What sheets are of which each answer is right or wrong, so that one can be repaired or lost."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.sheets.answer_sheet import AnswerSheet
from probe4d.diagnosis.sheets.grouping import Group

__all__ = ["RightOrWrongSheet"]


@dataclass(frozen=True, eq=False, kw_only=True)
class RightOrWrongSheet(AnswerSheet, ABC):
    """Questions each answer to which is right or wrong."""

    @property
    @abstractmethod
    def correct(self) -> npt.NDArray[np.bool_]:
        """(answerers, questions) whether the answer is right; what was not read is not."""

    @property
    @abstractmethod
    def groups(self) -> tuple[Group, ...]:
        """The groups that figures are about."""

    @abstractmethod
    def differ(self, ones: Sequence[str], others: Sequence[str]) -> npt.NDArray[np.bool_]:
        """(pairs, questions): whether the two answerers of each pair answer otherwise; what was not read is alike."""
