"""What the answers to one set of questions depend on: the figures of all who were asked just these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.controls.answerers import LABEL_CONTROLS
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.labels.branches import add_branches
from probe4d.diagnosis.labels.contrasts import add_contrasts
from probe4d.diagnosis.labels.leads import add_yes_leads
from probe4d.diagnosis.labels.pairs import EGO, PLAIN, PromptPairs, add_pairs, fits_layout, prompt_pairs
from probe4d.diagnosis.labels.relations import add_relations
from probe4d.diagnosis.labels.scores import add_label_averages, add_scores
from probe4d.diagnosis.labels.shown_scene import add_shown_scene
from probe4d.diagnosis.labels.slices import slices_table
from probe4d.diagnosis.labels.variants import add_variants
from probe4d.diagnosis.sheets.labels import LabelSheet
from probe4d.diagnosis.shortcuts.attribution import add_shortcut_shares, shortcuts_table

__all__ = ["PARSER_CHANGED", "Examination", "examine"]

PARSER_CHANGED = "parser_changed_"
"""Beginning of the metrics that `overview.parser_changes` reads; the name of the other parser follows."""


@dataclass(frozen=True, eq=False)
class Examination:
    """One set of questions with the answers of all who were asked just these.

    Attributes:
        sheet: The questions with the answers of the runs and of the controls.
        pairs: The exact-prompt pairs, layout by layout.
        figures: Columns of `FIGURES_SCHEMA`, the controls among the runs; likewise the other tables.
        shortcuts: Columns of `SHORTCUTS_SCHEMA`.
        slices: Columns of `SLICES_SCHEMA`.
        unpaired: Runs whose prompts the benchmark does not know, so that they have no pairs.
    """

    sheet: LabelSheet
    pairs: tuple[PromptPairs, ...]
    figures: pl.DataFrame
    shortcuts: pl.DataFrame
    slices: pl.DataFrame
    unpaired: tuple[str, ...]


def examine(
    sheet: LabelSheet,
    layouts: Mapping[str, str],
    records: pl.DataFrame,
    branches: Mapping[str, pl.DataFrame],
    *,
    suite: str,
    averages: Sequence[Average] = (),
    controls: Mapping[str, npt.NDArray[np.int8]],
) -> Examination:
    """Examine the answers of runs beside those of the controls.

    Args:
        sheet: The questions, answered by the runs.
        layouts: Prompt layout of every run; the controls see what the first run sees.
        records: The runs' answers as read (see `read_labels`), perhaps among those of others.
        branches: What the kept logits of every run say (see `branches_of`).
        suite: Name of the suite.
        averages: Averages of its paper.
        controls: (questions,) what each control answers.
    """
    runs = sheet.names
    said = [controls[name] for name in LABEL_CONTROLS]
    sheet = sheet.answered([*runs, *LABEL_CONTROLS], [*sheet.labels, *said])
    layout_of_first = layouts[runs[0]] if runs else PLAIN
    layout_of = dict.fromkeys(LABEL_CONTROLS, layout_of_first) | {name: layouts[name] for name in runs}
    pairs = tuple(
        prompt_pairs(sheet, layout)
        for layout in (PLAIN, EGO)
        if layout in layout_of.values() and fits_layout(sheet, layout)
    )
    figures = Figures(sheet, suite)
    add_scores(figures, sheet)
    add_label_averages(figures, sheet, averages, sheet.names, sheet.correct)
    add_relations(figures, sheet)
    for one in pairs:
        add_pairs(figures, sheet, one, [name for name in sheet.names if layout_of[name] == one.layout])
    add_yes_leads(figures, sheet)
    add_contrasts(figures, sheet)
    shortcuts = shortcuts_table(sheet, sheet.names)
    for name in runs:
        own = records.filter(pl.col("run") == name)
        _add_parser_changes(figures, sheet, name, own.filter("main"))
        add_variants(figures, sheet, name, own)
        add_shown_scene(figures, sheet, name, own.filter("main"))
        add_branches(figures, sheet, name, branches[name])
    add_shortcut_shares(figures, sheet.cells, shortcuts)
    return Examination(
        sheet,
        pairs,
        figures.table(),
        shortcuts,
        slices_table(sheet),
        tuple(name for name in runs if not fits_layout(sheet, layout_of[name])),
    )


def _add_parser_changes(figures: Figures, sheet: LabelSheet, run: str, records: pl.DataFrame) -> None:
    """Add parser_changed_<other>: how many records another parser would have read as another label."""
    for column in [name for name in records.columns if name.startswith("other_")]:
        changed = int(records["label"].ne_missing(records[column]).sum())
        metric = PARSER_CHANGED + column.removeprefix("other_")
        figures.add_values(metric, sheet.everything, [run], [changed / records.height], records.height)
