"""Questions asked more than once in one run: permutations of the options, and repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from probe4d.diagnosis.sheets.labels import SCORED_FORMATS
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.evidence_shown import with_names
from probe4d.report.few_scenes import figures_to_judge_by
from probe4d.report.lookup import Lookup, percent
from probe4d.report.sections.part import (
    Key,
    Section,
    Table,
    bounds,
    cells,
    count,
    number_columns,
    share,
    title_of,
    word_columns,
)
from probe4d.report.variants import of_variants, way_of_asking

__all__ = ["variants"]


def variants(diagnosis: Diagnosis, lookup: Lookup, names: Sequence[str]) -> Section:
    """Chart, for each run that asked questions in variants, how many are right in the first and how many in all.

    Args:
        diagnosis: The runs.
        lookup: The figures.
        names: Runs and controls, in order.
    """
    colours = charts.run_colours(names)
    judged = figures_to_judge_by(diagnosis)
    drawn, rows, said = [], [], []
    for run in diagnosis.runs:
        lines = list(_variant_lines(lookup, run.name))
        if not lines:
            continue
        rows += [(run.name, run.record.setting, *line) for _, line in lines]
        table = pl.DataFrame([point for point, _ in lines], schema=["name", "false", "true", "told"], orient="row")
        words = "; ".join(
            f"{name} right {percent(true)}, in all {percent(false)}, {alike}"
            for name, false, true, alike in table.iter_rows()
        )
        title = f"{run.name}: {way_of_asking(run.record).lower()}"
        drawn.append(charts.ranges(title, words, table, colours.get(run.name, "ink")))
        said.append(of_variants(run, diagnosis.runs, judged))
    return Section(
        "variants",
        "The same question, asked again",
        "Questions asked more than once: with their options in another order, or with another seed. Filled is the "
        "share of right answers over all variants, hollow the share of questions that are right in every variant; "
        "beside it stands how many questions get one and the same answer throughout, right or wrong. A model that "
        "knows has both at one place.",
        drawn,
        Table(
            "Questions asked in variants",
            (
                *word_columns("Run", "Setting", "Questions"),
                *number_columns("Alike in all", "95 % interval", "Pairs alike", "Right", "95 % interval"),
                *number_columns("Right at first", "Right in all", "95 % interval", "Right in any", "n"),
            ),
            rows,
        ),
        [Key("dot", "ink", "right, mean of the variants"), Key("ring", "ink", "right in every variant")],
        with_names(diagnosis, said),
    )


Point = tuple[str, float, float, str]
"""A row of a chart: name, hollow and filled value, the words beside them."""


def _variant_lines(lookup: Lookup, run: str) -> Iterator[tuple[Point, tuple[str, ...]]]:
    """The figures of a run's variants by family and format, as a row of the chart and as cells of the table."""
    formats = [kind for kind in SCORED_FORMATS if lookup.get(run, "variants_alike", "all", kind) is not None]
    for cell in cells(lookup, "variants_alike"):
        alike, pairs, every, some, mean = (
            lookup.get(run, f"variants_{metric}", *cell)
            for metric in ("alike", "pairs_alike", "all_right", "any_right", "accuracy")
        )
        # Where one format alone has variants, its total is that of all, and says what it is the total of.
        one_format = cell == ("all", "all") and len(formats) == 1
        if alike is None or every is None or mean is None or one_format:
            continue
        first = lookup.get(run, "accuracy", *cell)
        title = title_of(*cell)
        yield (
            (title, every.value, mean.value, f"{percent(alike.value)} alike"),
            (
                *(title, percent(alike.value), bounds(alike), share(pairs), percent(mean.value), bounds(mean)),
                *(share(first), percent(every.value), bounds(every), share(some), count(alike)),
            ),
        )
