"""What the answers to one set of questions depend on: the figures of all who were asked just these."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.suite import Average
from probe4d.diagnosis.averages import add_label_averages
from probe4d.diagnosis.branches import add_branches
from probe4d.diagnosis.contrasts import add_contrasts
from probe4d.diagnosis.controls import LABEL_CONTROLS
from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.leads import add_yes_leads
from probe4d.diagnosis.overview import PARSER_CHANGED
from probe4d.diagnosis.pairs import EGO, PLAIN, PromptPairs, add_pairs, fits_layout, prompt_pairs
from probe4d.diagnosis.relations import add_relations
from probe4d.diagnosis.scores import add_scores
from probe4d.diagnosis.sheet import Group, Sheet
from probe4d.diagnosis.shortcuts import shortcuts_table
from probe4d.diagnosis.shown_scene import add_shown_scene
from probe4d.diagnosis.slices import slices_table
from probe4d.diagnosis.variants import add_variants

__all__ = ["Examination", "add_shortcut_shares", "examine"]


@dataclass(frozen=True, eq=False)
class Examination:
    """One set of questions with the answers of all who were asked just these.

    Attributes:
        runs: The runs.
        pairs: The exact-prompt pairs, layout by layout.
        sheet: The questions with the answers of the runs and of the controls.
        figures: Columns of `FIGURES_SCHEMA`, the controls among the runs; likewise the other tables.
        shortcuts: Columns of `SHORTCUTS_SCHEMA`.
        slices: Columns of `SLICES_SCHEMA`.
        unpaired: Runs whose prompts the benchmark does not know, so that they have no pairs.
    """

    sheet: Sheet
    pairs: tuple[PromptPairs, ...]
    figures: pl.DataFrame
    shortcuts: pl.DataFrame
    slices: pl.DataFrame
    unpaired: tuple[str, ...]


def examine(
    sheet: Sheet,
    layouts: Mapping[str, str],
    records: pl.DataFrame,
    branches: Mapping[str, pl.DataFrame],
    *,
    suite: str,
    averages: Sequence[Average] = (),
    controls: Mapping[str, npt.NDArray[np.int8]] = MappingProxyType({}),
) -> Examination:
    """Examine the answers of runs beside those of the controls.

    Args:
        sheet: The questions, answered by the runs.
        layouts: Prompt layout of every run; the controls see what the first run sees.
        records: The runs' answers as read (see `read_labels`), perhaps among those of others.
        branches: What the kept logits of every run say (see `branches_of`).
        suite: Name of the suite.
        averages: Averages of its paper.
        controls: (questions,) what controls answer, as far as it is known; the others learn from these questions.
    """
    runs = sheet.names
    said = [controls[name] if name in controls else answer(sheet) for name, answer in LABEL_CONTROLS.items()]
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


def _add_parser_changes(figures: Figures, sheet: Sheet, run: str, records: pl.DataFrame) -> None:
    """Add parser_changed_<other>: how many records another parser would have read as another label."""
    for column in [name for name in records.columns if name.startswith("other_")]:
        changed = int(records["label"].ne_missing(records[column]).sum())
        metric = PARSER_CHANGED + column.removeprefix("other_")
        figures.add_values(metric, sheet.everything, [run], [changed / records.height], records.height)


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
