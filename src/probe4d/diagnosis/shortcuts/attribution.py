"""Which one feature of a question's text gives away what a model answers.

See design/shortcut-attribution.md for why a feature has to predict answers beyond what being right explains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.grouping import Group
from probe4d.diagnosis.sheets.labels import INVALID, LabelSheet
from probe4d.diagnosis.shortcuts.features import Feature, features_of
from probe4d.diagnosis.shortcuts.rules import rule_in_words
from probe4d.diagnosis.statistics.bootstrap import SceneSums, intervals, scene_sums
from probe4d.diagnosis.statistics.leave_one_out import Places, majority, preferred_option
from probe4d.diagnosis.tables import SHORTCUTS_SCHEMA

__all__ = ["NEARLY_ALL", "THRESHOLD", "add_shortcut_shares", "shortcuts_table", "stands_out"]

THRESHOLD = 0.10
"""Least excess over a constant answer, and least excess beyond the reference, of a named shortcut."""

_WIDTHS = 3.0
"""How many times its lower half-width an interval has to stay above 0: some hundred predictions are tried for each
run, and with few scenes intervals are too narrow."""

NEARLY_ALL = 0.95
"""Share of answers from which a feature that predicts them needs a plain interval alone: neither guessing nor knowing
comes near it while a constant answer and the reference each predict a tenth less, on however few questions."""

_EXCESS, _BEYOND = 2, 3


@dataclass(frozen=True, eq=False)
class _Finding:
    run: str
    cell: Group
    feature: Feature
    rule: str
    sums: SceneSums
    n: int


def shortcuts_table(
    sheet: LabelSheet, names: Sequence[str], *, cells: Sequence[Group] | None = None, words: Sequence[str] | None = None
) -> pl.DataFrame:
    """Measure every feature against the own answers of every answerer, and name what passes.

    A feature's share is how many valid answers the answerer's most frequent answer to the same feature value
    in other scenes agrees with; `constant` is the same for its most frequent answer of all (for the feature
    `letter`, which is a constant itself, for a letter drawn at random). `beyond` compares the same two
    predictions when both know the reference answer. `truth` is the share of who is always right.

    Args:
        sheet: Questions and answers.
        names: The answerers to look at.
        cells: Families and formats of the questions; null takes those of the sheet.
        words: What the label codes of answers say, where these are no labels.

    Returns:
        Columns of `SHORTCUTS_SCHEMA`: one row for each answerer, family, format and feature.
    """
    findings: list[_Finding] = []
    cells = sheet.cells if cells is None else cells
    features = {(cell.family, cell.format): features_of(sheet, cell) for cell in cells}
    for name in names:
        for cell in cells:
            answers = sheet.labels[sheet.row(name), cell.items]
            valid = answers != INVALID
            # One scene leaves nothing to predict from.
            if np.unique(sheet.scenes[cell.items[valid]]).size > 1:
                findings += [
                    _measure(sheet, name, cell, feature, answers, valid, words)
                    for feature in features[cell.family, cell.format]
                ]
    bounds = intervals([finding.sums for finding in findings])
    rows = [_row(finding, bound) for finding, bound in zip(findings, bounds, strict=True)]
    table = pl.DataFrame(rows, schema=SHORTCUTS_SCHEMA, orient="row")
    return table.with_columns(
        named=pl.Series(_best(table, [finding.feature for finding in findings]), dtype=pl.Boolean)
    )


def _measure(
    sheet: LabelSheet,
    name: str,
    cell: Group,
    feature: Feature,
    answers: npt.NDArray[np.integer],
    valid: npt.NDArray[np.bool_],
    words: Sequence[str] | None,
) -> _Finding:
    items = cell.items[valid]
    own, values = answers[valid], feature.values[valid]
    scenes, references = sheet.scenes[items], sheet.references[items]
    correct = own == references
    options = sheet.option_counts[items]
    if feature.kind == "key":
        hits = majority(Places(values, scenes), own) == own
        true = majority(Places(values, scenes), references) == references
        informed = Places(values * (int(references.max()) + 1) + references, scenes)
        known = majority(informed, own) == own
    else:
        is_reference = np.arange(values.shape[1])[None, :] == references[:, None]
        hits = preferred_option(Places(values, scenes), own) == own
        true = preferred_option(Places(values, scenes), references) == references
        informed = Places(np.where(values < 0, -1, values * 2 + is_reference), scenes)
        known = preferred_option(informed, own) == own
    unit = 1
    if feature.kind == "letter":
        # Numerators in a common unit of 1 / options and 1 / (options - 1), so that they stay integers.
        unit = int(np.lcm.reduce(np.unique([options, np.maximum(options - 1, 1)])))
        constant = unit // options
        # Without a taste for letters: right as often as it is, wrong answers spread evenly.
        spread = ~correct * (unit // np.maximum(options - 1, 1))
        expected = correct * unit if (correct * unit).sum() >= constant.sum() else spread
    else:
        constant = own == np.bincount(own).argmax()
        expected = _most_frequent_by(references, own) == own
    share, knowing = hits * unit, known * unit
    # In the order of `_row`.
    numerators = np.stack([share, constant, share - constant, knowing - expected, true * unit])
    sums = scene_sums(scenes, numerators, unit=unit)
    said = sheet.questions["options"][int(cell.items[0])] if words is None else words
    rule = rule_in_words(feature, values, own, cell.format, said)
    return _Finding(name, cell, feature, rule, sums, own.size)


def _most_frequent_by(groups: npt.NDArray[np.integer], own: npt.NDArray[np.integer]) -> npt.NDArray[np.intp]:
    counts = np.zeros((int(groups.max()) + 1, int(own.max()) + 1), dtype=np.int64)
    np.add.at(counts, (groups, own), 1)
    most: npt.NDArray[np.intp] = counts.argmax(axis=1)[groups]
    return most


def _row(finding: _Finding, bounds: npt.NDArray[np.float64]) -> tuple[object, ...]:
    total = finding.sums.denominators.sum()
    share, constant, excess, beyond, truth = (finding.sums.numerators.sum(axis=1) / total).tolist()
    low, high = bounds[_EXCESS].tolist()
    beyond_low, beyond_high = bounds[_BEYOND].tolist()
    widths = 1.0 if share >= NEARLY_ALL else _WIDTHS
    passes = stands_out(excess, low, widths) and stands_out(beyond, beyond_low, widths)
    cell = finding.cell
    text = (finding.run, cell.family, cell.format, finding.feature.name, finding.rule)
    return (*text, share, constant, excess, low, high, passes, finding.n, beyond, beyond_low, beyond_high, truth)


def stands_out(value: float, low: float, widths: float = _WIDTHS) -> bool:
    """Whether a gain is as large, and as far above 0 for its interval, as a named shortcut's has to be."""
    return value >= THRESHOLD and value - widths * (value - low) > 0


def _best(table: pl.DataFrame, features: Sequence[Feature]) -> list[bool]:
    """Of the features that pass, the one with the largest share; a joint one must gain `THRESHOLD` over single ones."""
    best: dict[tuple[str, ...], tuple[float, int]] = {}
    columns = table.select("run", "family", "format", "share", "named").iter_rows()
    for row, ((run, family, kind, share, passes), feature) in enumerate(zip(columns, features, strict=True)):
        key = (run, family, kind)
        needed = best[key][0] + (THRESHOLD if feature.joint else 0.0) if key in best else -1.0
        if passes and share > needed:
            best[key] = (share, row)
    chosen = {row for _, row in best.values()}
    return [row in chosen for row in range(len(features))]


def add_shortcut_shares(figures: Figures, groups: Iterable[Group], shortcuts: pl.DataFrame) -> None:
    """Add shortcut_share where a shortcut is named; its interval is that of the excess, in shortcuts.csv.

    Args:
        figures: Receives the rows.
        groups: Groups among which are the families and formats of the questions.
        shortcuts: Columns of `SHORTCUTS_SCHEMA`.
    """
    cells = {(group.family, group.format): group for group in groups if group.relation == "all"}
    for row in shortcuts.filter("named").iter_rows(named=True):
        figures.add_values(
            "shortcut_share", cells[row["family"], row["format"]], [row["run"]], [row["share"]], row["n"]
        )
