"""What those answer to questions for an interval who see no sensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from probe4d.diagnosis.controls.answerers import CONTENT, FIXED, keys_of, places_of
from probe4d.diagnosis.sheets.intervals import UNREAD, Codes, IntervalSheet, ends_of, starts_of, to_codes
from probe4d.diagnosis.statistics.leave_one_out import most_frequent

__all__ = ["INTERVAL_CONTROLS", "IntervalAnswers", "interval_answers"]

INTERVAL_CONTROLS = (FIXED, CONTENT)
"""Controls that stand beside intervals."""


class IntervalAnswers(NamedTuple):
    """What controls answer to questions for an interval.

    Attributes:
        codes: By the name of the control, (questions,) codes of intervals.
        known: (questions,) whether what they learned from holds the context.
    """

    codes: dict[str, Codes]
    known: npt.NDArray[np.bool_]


class _Prior(NamedTuple):
    """The most frequent intervals elsewhere, and how often each is found there; none 0 times."""

    codes: Codes
    times: npt.NDArray[np.intp]


def interval_answers(sheet: IntervalSheet, learned: IntervalSheet | None = None) -> IntervalAnswers:
    """Answer every question for an interval from its text alone, fitted to the references of all other scenes.

    `control:fixed` gives the most frequent interval of the family and template. `control:content` gives that of the
    family, template and `context`, taken as it stands or from the first frame asked about (the whole window, its
    first half), whichever is found more often; where the context occurs in no other scene, what `control:fixed`
    gives. Ties go to the earlier, then to the shorter interval.

    Args:
        sheet: The questions.
        learned: Questions to learn from; null learns from these themselves.

    Returns:
        The answers; none where the template occurs in no other scene.
    """
    fixed = _prior(sheet, learned, ("family", "template"), relative=False)
    columns = ("family", "template", "context")
    absolute, relative = (_prior(sheet, learned, columns, relative=one) for one in (False, True))
    in_context = np.where(relative.times > absolute.times, relative.codes, absolute.codes)
    known = absolute.times > 0
    return IntervalAnswers({FIXED: fixed.codes, CONTENT: np.where(known, in_context, fixed.codes)}, known)


def _prior(sheet: IntervalSheet, learned: IntervalSheet | None, columns: Sequence[str], *, relative: bool) -> _Prior:
    """The most frequent interval of the questions with the same values of some columns in other scenes.

    Args:
        sheet: The questions.
        learned: Questions to learn from; null takes these.
        columns: Their columns.
        relative: Whether intervals count from the first frame that a question asks about.
    """
    source_sheet = learned or sheet
    names = ["scene", *columns]
    other = None if learned is None else learned.questions.select(names)
    asked, source = places_of(sheet.questions.select(names), other, lambda rows: keys_of(rows, columns=columns))
    references = ends_of(source_sheet.references) - (starts_of(source_sheet) if relative else 0)
    seen = references[:, 0] >= 0  # an interval before the frames asked about has no place relative to them
    source = source._replace(keys=source.keys[seen], scenes=source.scenes[seen])
    codes, times = most_frequent(source, to_codes(*references[seen].T), asked=asked)
    said = ends_of(codes) + (starts_of(sheet) if relative else 0)
    return _Prior(np.where(times > 0, to_codes(*said.T), UNREAD), times)
