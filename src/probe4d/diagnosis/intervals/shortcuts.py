"""Which one feature of a question's text gives away the interval that a model answers."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.diagnosis.sheets.intervals import UNREAD, Codes, IntervalSheet, ends_of, starts_of, to_codes
from probe4d.diagnosis.sheets.labels import INVALID, LabelSheet
from probe4d.diagnosis.shortcuts.attribution import shortcuts_table
from probe4d.diagnosis.side_by_side import in_order
from probe4d.diagnosis.tables import SHORTCUTS_SCHEMA

__all__ = ["interval_shortcuts"]


def interval_shortcuts(sheet: IntervalSheet) -> pl.DataFrame:
    """Measure every feature against the own answers of every answerer, as `shortcuts_table` does of labels.

    Which answers are the same depends on what an answerer means: intervals as they stand (frames 0 to 8 whatever is
    asked), or as far from the first frame asked about, so that "the whole window" is one answer wherever a window of
    one length lies. Taken is the way in which its most frequent answer is the more frequent one.

    Args:
        sheet: Questions and answers.

    Returns:
        Columns of `SHORTCUTS_SCHEMA`, answerers in order.
    """
    relative = [_most_frequent(own, starts_of(sheet)) > _most_frequent(own, 0) for own in sheet.codes]
    tables = [pl.DataFrame(schema=SHORTCUTS_SCHEMA)]
    for is_relative in (False, True):
        names = [name for name, own in zip(sheet.names, relative, strict=True) if own == is_relative]
        if names:
            tables.append(_table(sheet, names, is_relative=is_relative))
    return in_order(pl.concat(tables), "run", sheet.names)


def _most_frequent(codes: Codes, origins: Codes | int) -> int:
    """How often the most frequent answer is given, frames counted from these origins."""
    read = codes != UNREAD
    ends = (ends_of(codes) - origins)[read]
    return int(np.unique(ends, axis=0, return_counts=True)[1].max(initial=0))


def _table(sheet: IntervalSheet, names: list[str], *, is_relative: bool) -> pl.DataFrame:
    """The shortcuts of some answerers, whose distinct answers become labels."""
    codes = np.vstack([sheet.codes[[sheet.row(name) for name in names]], sheet.references[None]])
    read = codes != UNREAD
    ends = ends_of(codes) - (starts_of(sheet) if is_relative else 0)
    least = int(ends[read].min(initial=0))  # frames before the first asked about are negative, and codes may not be
    distinct, of_read = np.unique(to_codes(*(ends[read] - least).T), return_inverse=True)
    labels = np.full(codes.shape, INVALID, dtype=np.int64)
    labels[read] = of_read
    ending = " from the first asked about" if is_relative else ""
    words = [f"frames {first} to {last}{ending}" for first, last in (ends_of(distinct) + least).tolist()]
    as_labels = LabelSheet(
        benchmark=sheet.benchmark,
        questions=sheet.questions,
        families=sheet.families,
        scenes=sheet.scenes,
        references=labels[-1],
        names=tuple(names),
        codes=labels[:-1],
    )
    cells = [group for group in sheet.groups if group.relation == "all" and group.family != "all"]
    return shortcuts_table(as_labels, names, cells=cells, words=words)
