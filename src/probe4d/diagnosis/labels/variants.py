"""How far the answers to one question agree when it is asked in several ways, or several times.

That answers differ when options change places accuses nobody: who guesses answers otherwise each time. What does is
a letter that is given more often than the options given put under it. See design/report.md.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.labels import INVALID, LabelSheet

__all__ = ["add_variants"]

_NOT_ASKED = INVALID - 1


def add_variants(figures: Figures, sheet: LabelSheet, name: str, records: pl.DataFrame) -> None:
    """Add the variant metrics of a run, over the questions that it was asked in more than one variant.

    Metrics: variants_accuracy, the mean over variants; variants_alike, where all answers are one;
    variants_pairs_alike, the mean share of pairs of variants with one answer; variants_all_right and
    variants_any_right. Unreadable answers are wrong, and alike among themselves. variants_alike_by_chance is what
    one gets in variants_alike who draws every answer. Where options change places: variants_letter, how often each
    letter (in the column relation) is given as shown, and variants_letter_excess, by how much more often than it would
    be if the same options were given in any order: each letter, and in the relation `all` the one preferred in the
    other scenes. The interval of the latter takes the letter as given, though it was chosen as the most frequent:
    judge by twice its width below the value.

    A run that asks every question once has no row.

    Args:
        figures: Receives the rows.
        sheet: The questions that the run was asked.
        name: The run.
        records: Columns question, rotation and code (label codes in the question's own letters): a row for each
            variant.
    """
    codes, rotations = _codes(sheet, records)
    times = (codes != _NOT_ASKED).sum(axis=0)
    if (times < 2).all():
        return
    pairs = np.maximum(times * (times - 1) // 2, 1)
    right = (codes == sheet.references).sum(axis=0)
    alike = np.zeros(times.size, dtype=np.int64)
    for code in range(INVALID, int(sheet.option_counts.max())):
        same = (codes == code).sum(axis=0)
        alike += same * (same - 1) // 2
    for group in sheet.groups:
        repeated = replace(group, items=group.items[times[group.items] > 1])
        for metric, counts, of in (
            ("variants_accuracy", right, times),
            ("variants_pairs_alike", alike, pairs),
        ):
            # Numerators in a common unit, so that they stay integers.
            unit = int(np.lcm.reduce(of[repeated.items], initial=1))
            shares = counts[repeated.items] * (unit // of[repeated.items])
            figures.add_ratios(metric, repeated, [name], shares[None, :], unit=unit)
        for metric, holds in (
            ("variants_alike", alike == pairs),
            ("variants_all_right", right == times),
            ("variants_any_right", right > 0),
        ):
            figures.add_ratios(metric, repeated, [name], holds[None, repeated.items])
        if repeated.items.size:
            drawn = (1.0 / sheet.option_counts[repeated.items]) ** (times[repeated.items] - 1)
            figures.add_values("variants_alike_by_chance", repeated, [name], [drawn.mean()], repeated.items.size)
    if rotations.any():
        _add_letters(figures, sheet, name, _letters_given(codes, rotations, sheet.option_counts))


class _Letters(NamedTuple):
    """Letters as they were shown, of the readable answers to each question.

    Attributes:
        given: (letters, questions) how often each letter was given.
        expected: (letters, questions) how often it would be on average, if the same options were given to the same
            orders in any other assignment; times the number of readable answers.
        readable: (questions,) number of readable answers.
    """

    given: npt.NDArray[np.int64]
    expected: npt.NDArray[np.int64]
    readable: npt.NDArray[np.int64]


def _letters_given(
    codes: npt.NDArray[np.int8], rotations: npt.NDArray[np.int64], options: npt.NDArray[np.int64]
) -> _Letters:
    valid = codes >= 0
    shape = (int(options.max()), codes.shape[1])
    given, expected = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    items = np.arange(codes.shape[1])
    for answer in range(codes.shape[0]):
        for order in range(codes.shape[0]):
            both = valid[answer] & valid[order]
            letters = (codes[answer] - rotations[order]) % options
            np.add.at(expected, (letters[both], items[both]), 1)
            if answer == order:
                np.add.at(given, (letters[both], items[both]), 1)
    return _Letters(given, expected, valid.sum(axis=0))


def _add_letters(figures: Figures, sheet: LabelSheet, name: str, letters: _Letters) -> None:
    """Add variants_letter and variants_letter_excess, over the questions with two readable answers or more."""
    choice = sheet.questions["format"].to_numpy() == "choice"
    for group in sheet.groups:
        if group.format != "choice" or group.relation != "all":
            continue
        items = group.items[choice[group.items] & (letters.readable[group.items] > 1)]
        if not items.size:
            continue
        answered = replace(group, items=items)
        readable = letters.readable[items]
        unit = int(np.lcm.reduce(readable)) ** 2
        given = letters.given[:, items] * (unit // readable)
        excess = given - letters.expected[:, items] * (unit // readable**2)
        for metric, rows in (("variants_letter", given), ("variants_letter_excess", excess)):
            for letter, row in zip(LETTERS, rows, strict=False):
                figures.add_ratios(metric, replace(answered, relation=letter), [name], row[None, :], unit=unit)
        scenes = sheet.scenes[items]
        by_scene = np.zeros((excess.shape[0], int(scenes.max()) + 1), dtype=np.int64)
        np.add.at(by_scene.T, scenes, excess.T)
        elsewhere = excess.sum(axis=1, keepdims=True) - by_scene
        preferred = excess[elsewhere.argmax(axis=0)[scenes], np.arange(items.size)]
        figures.add_ratios("variants_letter_excess", answered, [name], preferred[None, :], unit=unit)


def _codes(sheet: LabelSheet, records: pl.DataFrame) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.int64]]:
    """(most variants of a question, questions of the sheet) label codes, and by how much the options were rotated."""
    items = sheet.questions.select(question="id").with_row_index("place_in_sheet")
    placed = records.join(items, on="question", how="inner", maintain_order="left").with_columns(
        place=pl.int_range(pl.len()).over("question")
    )
    places = placed["place"].to_numpy()
    codes = np.full((int(places.max(initial=0)) + 1, sheet.scenes.size), _NOT_ASKED, dtype=np.int8)
    items_placed = placed["place_in_sheet"].to_numpy()
    codes[places, items_placed] = placed["code"].to_numpy()
    rotations = np.zeros(codes.shape, dtype=np.int64)
    rotations[places, items_placed] = placed["rotation"].to_numpy()
    return codes, rotations
