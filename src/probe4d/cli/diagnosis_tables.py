"""How figures of a diagnosis read on a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from probe4d.cli import output
from probe4d.wording import UNIT_SYMBOLS, counted

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

__all__ = [
    "differ",
    "table_of_templates",
    "tables_by_model",
    "tables_in_percent",
    "tables_of_averages",
    "tables_of_intervals",
    "tables_of_numbers",
    "tables_of_scores",
    "tables_of_texts",
    "tables_of_waypoints",
]


_DISPLACEMENTS = {
    "waypoint_parse_rate": "read, %",
    "waypoint_ade_m_penalised": "ADE penalised, m",
    "waypoint_fde_m_penalised": "FDE penalised, m",
    "waypoint_ade_m_valid": "ADE valid, m",
    "waypoint_fde_m_valid": "FDE valid, m",
}


def differ(numbers: Sequence[int | None]) -> bool:
    """Whether columns of a row are of different numbers of questions."""
    return len({n for n in numbers if n is not None}) > 1


def tables_in_percent(accuracies: pl.DataFrame, width: int, *, asked: pl.DataFrame | None = None) -> list[Table]:
    """A row for each family and format, a column for each run and control; empty where a run was not asked any.

    Where that is too wide, runs are the rows, in as many tables as it takes to show every family.

    Args:
        accuracies: Columns family, format, and one for each run and control.
        width: Characters on a line.
        asked: Of how many questions each figure is, in the same rows and columns; told where these differ in a row.
    """
    names = [output.harmless(name) for name in accuracies.columns[2:]]
    groups = [(output.harmless(family), kind) for family, kind in accuracies.select("family", "format").iter_rows()]
    cells = [[_percent(value) for value in row] for row in accuracies.select(accuracies.columns[2:]).iter_rows()]
    for row, numbers in zip(cells, [] if asked is None else asked.select(asked.columns[2:]).iter_rows(), strict=False):
        row[:] = _with_numbers(row, numbers)
    upright = _tables(["accuracy, %", "format"], groups, names, cells, width)
    if len(upright) <= 1:
        return upright
    turned = [list(row) for row in zip(*cells, strict=True)]
    return _tables(["accuracy, %"], [(name,) for name in names], ["\n".join(group) for group in groups], turned, width)


def tables_of_numbers(nearness: pl.DataFrame, width: int, *, asked: pl.DataFrame) -> list[Table]:
    """How near numbers come: for each template, unit and all together the rows of its figures, a column for each run.

    How many could be read is left out of templates and units of which everybody's could be.

    Args:
        nearness: As `overview.nearness` gives it.
        width: Characters on a line.
        asked: As `overview.nearness_asked` gives it.
    """
    about = ["family", "part", "unit", "metric"]
    names = [name for name in nearness.columns if name not in about]
    families = set(nearness["family"]) - {"all"}
    labels, cells = [], []
    told = None
    rows = (table.select(names).iter_rows() for table in (nearness, asked))
    for (family, part, unit, metric), values, numbers in zip(nearness.select(about).iter_rows(), *rows, strict=True):
        if metric == "valid_rate" and part != "all" and all(value in (None, 1.0) for value in values):
            continue
        name = part if family == "all" or len(families) == 1 else f"{family}: {part}"
        labels.append(("" if (family, part) == told else output.harmless(name), _figure(metric, unit)))
        told = (family, part)
        if metric.startswith("mean_absolute_error"):
            cells.append([_amount(value) for value in values])
        else:
            shares = [_percent(value) for value in values]
            cells.append(_with_numbers(shares, numbers) if metric == "tolerance_accuracy" else shares)
    return _tables(["numbers", "figure"], labels, [output.harmless(name) for name in names], cells, width)


def tables_of_intervals(overlaps: pl.DataFrame, width: int) -> list[Table]:
    """How much intervals overlap the truth, for each family the rows of its figures, a column for each run and control.

    Args:
        overlaps: As `overview.overlaps` gives it.
        width: Characters on a line.
    """
    names = overlaps.columns[2:]
    labels, cells = [], []
    told = None
    for family, metric, *values in overlaps.iter_rows():
        name, _, convention = metric.removeprefix("interval_").partition("_")
        figure = {"miou": "mIoU", "recall": "R@", "parse": "read", "whole": "the whole window"}[name]
        threshold, _, ending = convention.partition("_") if name == "recall" else ("", "", convention)
        which = f" {ending.replace('_', '-')}" if name in ("miou", "recall") else ""
        labels.append(("" if family == told else output.harmless(family), f"{figure}{threshold}{which}, %"))
        told = family
        cells.append([_percent(value) for value in values])
    return _tables(["intervals", "figure"], labels, [output.harmless(name) for name in names], cells, width)


def tables_of_scores(means: pl.DataFrame, best: Mapping[str, int], width: int) -> list[Table]:
    """Mean scores of judges, two rows a family, a column for each run of which an answer was scored.

    Args:
        means: As `overview.judge_means` gives it.
        best: The best score by the rubric of each judged run.
        width: Characters on a line.
    """
    names = means.columns[2:]
    labels, cells = [], []
    told = None
    for family, metric, *values in means.iter_rows():
        answers = "mean of families" if metric.endswith("_macro") else metric.removeprefix("judge_mean_")
        labels.append(("" if family == told else output.harmless(family), answers))
        told = family
        cells.append([_amount(value) for value in values])
    heads = [f"{output.harmless(name)}, of {best[name]}" for name in names]
    return _tables(["judge's mean score", "answers"], labels, heads, cells, width)


def tables_of_texts(scores: pl.DataFrame, titles: Mapping[str, str], width: int) -> list[Table]:
    """Metrics of words, for each a row a family and their mean, a column for each run and control.

    Args:
        scores: As `overview.text_scores` gives it.
        titles: What each metric is called.
        width: Characters on a line.
    """
    names = scores.columns[2:]
    labels, cells = [], []
    told = None
    for metric, family, *values in scores.iter_rows():
        labels.append(("" if metric == told else titles[metric], output.harmless(family)))
        told = metric
        cells.append(["" if value is None else f"{value:.3f}" for value in values])
    return _tables(["free text, 0 to 1", "family"], labels, [output.harmless(name) for name in names], cells, width)


def tables_of_waypoints(displacements: pl.DataFrame, width: int) -> list[Table]:
    """How far waypoints are off: for each relation the rows of its figures, a column for each run and control.

    Args:
        displacements: As `overview.displacements` gives it.
        width: Characters on a line.
    """
    names = displacements.columns[3:]
    several = displacements["family"].n_unique() > 1
    labels, cells = [], []
    told = None
    for family, relation, metric, *values in displacements.iter_rows():
        name = f"{family}: {relation}" if several else relation
        labels.append(("" if (family, relation) == told else output.harmless(name), _DISPLACEMENTS[metric]))
        told = (family, relation)
        written = _percent if metric == "waypoint_parse_rate" else _amount
        cells.append([written(value) for value in values])
    return _tables(["waypoints", "figure"], labels, [output.harmless(name) for name in names], cells, width)


def tables_of_averages(averages: pl.DataFrame, width: int) -> list[Table]:
    """Averages as a paper prints them, a row each, a column for each run and control."""
    names = averages.columns[2:]
    mixed_units = " and ".join(UNIT_SYMBOLS.values())
    labels, cells = [], []
    for average, of, *values in averages.iter_rows():
        error = of == "mean_absolute_error"
        labels.append((output.harmless(average), f"mean error, {mixed_units}" if error else "%"))
        cells.append([_amount(value) if error else _percent(value) for value in values])
    return _tables(["average", "of"], labels, [output.harmless(name) for name in names], cells, width)


def tables_by_model(models: pl.DataFrame, width: int) -> list[Table]:
    """Runs by the family and size of their models, a column for each family of questions.

    Args:
        models: As `overview.by_model` gives it.
        width: Characters on a line.
    """
    from probe4d.diagnosis.comparing.model_names import size_in_words

    columns = models.columns[3:]
    labels, cells = [], []
    for family, parameters, run, *values in models.iter_rows():
        labels.append((output.harmless(family or ""), size_in_words(parameters), output.harmless(run)))
        cells.append([_percent(value) for value in values])
    corner = ["model, right in %", "size", "run"]
    return _tables(corner, labels, [output.harmless(name) for name in columns], cells, width)


def _percent(value: float | None) -> str:
    from probe4d.wording import in_percent

    return "" if value is None else in_percent(value)


def _amount(value: float | None) -> str:
    from probe4d.wording import amount

    return "" if value is None else amount(value)


def _figure(metric: str, unit: str | None) -> str:
    """What a figure of numbers is called, with its unit."""
    from probe4d.diagnosis.statistics.number_errors import TOLERANCE

    symbol = "" if unit is None else UNIT_SYMBOLS[unit]
    return {
        "tolerance_accuracy": f"within {100 * TOLERANCE:.0f} %, %",
        "mean_absolute_error": f"mean error, {symbol}",
        "mean_absolute_error_wrapped": f"shorter way round, {symbol}",
        "valid_rate": "read, %",
    }[metric]


def _with_numbers(cells: Sequence[str], numbers: Sequence[int | None]) -> list[str]:
    """Cells with the numbers of their questions behind them, where these differ."""
    if not differ(numbers):
        return list(cells)
    return [f"{cell} ({n:,})" if cell else "" for cell, n in zip(cells, numbers, strict=True)]


def table_of_templates(words: pl.DataFrame) -> Table:
    """A row for each template: what words alone get right, its interval, guessing, what is learnable, and of how many.

    Of few scenes their number stands in the place of the interval, and a caption says why.

    Args:
        words: Columns of `WORDS_ALONE_SCHEMA`.
    """
    from rich.markup import escape
    from rich.table import Table

    from probe4d.diagnosis.statistics.bootstrap import FEW_SCENES

    few = words.filter(words["scenes"] < FEW_SCENES).height
    caption = f"An interval would be too narrow where fewer than {FEW_SCENES} scenes are drawn from." if few else None
    table = Table(caption=caption, caption_justify="left")
    for name in ("from words alone, %", "format"):
        table.add_column(name, overflow="fold")
    for name in ("right", "95 % interval", "chance", "learnable", "n"):
        table.add_column(name, justify="right", overflow="fold")
    for one in words.iter_rows(named=True):
        bounds = "" if one["low"] is None else f"{_percent(one['low'])} to {_percent(one['high'])}"
        if one["scenes"] < FEW_SCENES:
            bounds = counted(one["scenes"], "scene")
        numbers = (_percent(one["value"]), bounds, _percent(one["chance"]), _percent(one["known"]), f"{one['n']:,}")
        table.add_row(escape(output.harmless(one["template"])), one["format"], *numbers)
    return table


def _tables(
    corner: Sequence[str],
    labels: Sequence[tuple[str, ...]],
    columns: Sequence[str],
    cells: Sequence[Sequence[str]],
    width: int,
) -> list[Table]:
    """The cells under their columns, with the labels at the beginning of each row, in tables of at most this width."""
    from rich.cells import cell_len
    from rich.markup import escape
    from rich.table import Table

    border, gap, longest = 1, 3, max(16, width // 3)

    def taken(texts: Sequence[str]) -> int:
        return max(cell_len(line) for text in texts for line in text.split("\n")) + gap

    left = width - border - sum(min(taken(texts), longest + gap) for texts in zip(corner, *labels, strict=True))
    room = 0
    blocks: list[list[int]] = []
    for place, column in enumerate(columns):
        needed = taken([column, *(row[place] for row in cells)])
        if not blocks or needed > room:
            blocks.append([])
            room = left
        blocks[-1].append(place)
        room -= needed
    tables = []
    for block in blocks:
        table = Table()
        for text in corner:
            table.add_column(text, overflow="fold", max_width=longest)
        for place in block:
            table.add_column(escape(columns[place]), justify="right", overflow="fold")
        for label, row in zip(labels, cells, strict=True):
            table.add_row(*map(escape, label), *(row[place] for place in block))
        tables.append(table)
    return tables
