"""The few figures that say how a diagnosis came out, without its files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.question import NUMBER, TEXT
from probe4d.diagnosis.free_text.scores import MACRO
from probe4d.diagnosis.intervals.scores import OVERLAP_METRICS
from probe4d.diagnosis.labels.examination import PARSER_CHANGED
from probe4d.diagnosis.parsing.units import UNITS
from probe4d.diagnosis.sheets.grouping import TEMPLATE
from probe4d.diagnosis.sheets.labels import SCORED_FORMATS
from probe4d.diagnosis.side_by_side import control_beside, in_order
from probe4d.diagnosis.tables import Diagnosis
from probe4d.diagnosis.waypoints.scores import ADE, FDE, PARSE_RATE

__all__ = [
    "ParserChange",
    "accuracies",
    "averages",
    "by_model",
    "displacements",
    "judge_means",
    "nearness",
    "nearness_asked",
    "numbers_asked",
    "overlaps",
    "parser_changes",
    "text_scores",
]

_NEARNESS = ("tolerance_accuracy", "mean_absolute_error", "mean_absolute_error_wrapped", "valid_rate")

_JUDGE_MEANS = ("judge_mean_all", "judge_mean_valid", "judge_mean_all_macro")


_DISPLACEMENTS = (
    PARSE_RATE,
    *(f"{metric}_{convention}" for convention in ("penalised", "valid") for metric in (ADE, FDE)),
)


class ParserChange(NamedTuple):
    """How many answers of a run another parser reads otherwise, of how many."""

    run: str
    parser: str
    changed: int
    n: int


def accuracies(diagnosis: Diagnosis) -> pl.DataFrame:
    """Accuracy by family and format.

    Returns:
        Columns family, format, and one for each run and control, in this order; null where a run was not asked any.
        Those of a control are about the most questions of the group that some run was asked.
        The total, of what each was asked, comes last, with family `all`.
    """
    return _by_group(diagnosis, "value")


def numbers_asked(diagnosis: Diagnosis) -> pl.DataFrame:
    """Of how many questions each figure of `accuracies` is the share, in the same rows and columns."""
    return _by_group(diagnosis, "n")


def nearness(diagnosis: Diagnosis) -> pl.DataFrame:
    """How near answers that are numbers come to the truth, and how many of them could be read.

    Returns:
        Columns family, part (a template, a unit, or `all`), unit (null of both together), metric
        (tolerance_accuracy; mean_absolute_error and, of angles, mean_absolute_error_wrapped; valid_rate), and one for
        each run and control, as in `accuracies`. Templates come first, family by family, then the totals of all: of a
        unit, where several templates have it, and of everything.
    """
    return _of_numbers(diagnosis, "value")


def nearness_asked(diagnosis: Diagnosis) -> pl.DataFrame:
    """Of how many questions each figure of `nearness` is, in the same rows and columns."""
    return _of_numbers(diagnosis, "n")


def judge_means(diagnosis: Diagnosis) -> pl.DataFrame:
    """The mean scores that judges gave, on the scale of each run's rubric.

    Returns:
        Columns family, metric (judge_mean_all, judge_mean_valid; of all also judge_mean_all_macro, where there are
        several families), and one for each run in `Diagnosis.judges`. The total comes last, with family `all`.
    """
    figures = diagnosis.figures.filter(
        pl.col("metric").is_in(_JUDGE_MEANS), pl.col("run").is_in(list(diagnosis.judges)), format=TEXT, relation="all"
    )
    table = in_order(_pivoted(figures, diagnosis, ["family", "metric"], "value"), "metric", _JUDGE_MEANS)
    return table.sort(_place_of_family(diagnosis), maintain_order=True)


def text_scores(diagnosis: Diagnosis) -> pl.DataFrame:
    """How much free answers have in common with references, by metrics of words.

    Returns:
        Columns metric (as in `Diagnosis.text_fingerprints`), family, and one for each run and control, as in
        `accuracies`. Of a metric the plain mean over families comes last, with family `mean`.
    """
    metrics = list(diagnosis.text_fingerprints)
    macro = {metric + MACRO: metric for metric in metrics}
    is_mean = pl.col("metric").is_in(list(macro))
    of_family = pl.col("metric").is_in(metrics) & (pl.col("family") != "all")
    figures = diagnosis.figures.filter(is_mean | of_family, pl.col("relation") == "all").with_columns(
        pl.col("metric").replace(macro), family=pl.when(is_mean).then(pl.lit("mean")).otherwise("family")
    )
    table = _pivoted(figures, diagnosis, ["metric", "family"], "value").sort(
        _place_of_family(diagnosis), maintain_order=True
    )
    return in_order(table, "metric", metrics)


def overlaps(diagnosis: Diagnosis) -> pl.DataFrame:
    """How much answers that are intervals overlap the truth, and how many of them could be read.

    Returns:
        Columns family, metric (mIoU, then recall by threshold, each by both conventions; the share read; the share
        that is the whole window), and one for each run and control, as in `accuracies`. The total comes last, with
        family `all`, where there are several families.
    """
    figures = diagnosis.figures.filter(pl.col("metric").is_in(OVERLAP_METRICS), pl.col("relation") == "all")
    if figures["family"].n_unique() == 2:
        figures = figures.filter(pl.col("family") != "all")
    table = in_order(_pivoted(figures, diagnosis, ["family", "metric"], "value"), "metric", OVERLAP_METRICS)
    return table.sort(_place_of_family(diagnosis), maintain_order=True)


def averages(diagnosis: Diagnosis) -> pl.DataFrame:
    """The averages that the paper of the suite prints, as far as the questions asked have them.

    Returns:
        Columns average, of (the metric that it is of), and one for each run and control, as in `accuracies`.
    """
    of = {one.name: one.of for one in diagnosis.averages}
    figures = diagnosis.figures.filter(pl.col("metric").is_in(of), pl.col("relation") == "all")
    figures = figures.with_columns(average="metric", of=pl.col("metric").replace_strict(of, return_dtype=pl.String()))
    return in_order(_pivoted(figures, diagnosis, ["average", "of"], "value"), "average", list(of))


def displacements(diagnosis: Diagnosis) -> pl.DataFrame:
    """How far waypoints are off, and how many answers could be read; past and future apart.

    Returns:
        Columns family, relation, metric (the share read, then ADE and FDE with every answer counted, then over those
        read), and one for each run and control, as in `accuracies`.
    """
    figures = diagnosis.figures.filter(pl.col("metric").is_in(_DISPLACEMENTS))
    table = _pivoted(figures, diagnosis, ["family", "relation", "metric"], "value")
    metrics = {metric: place for place, metric in enumerate(_DISPLACEMENTS)}
    metric = pl.col("metric").replace_strict(metrics, return_dtype=pl.Int64)
    return table.sort(_place_of_family(diagnosis), "relation", metric, maintain_order=True)


def by_model(diagnosis: Diagnosis) -> pl.DataFrame:
    """How right every run is in each family of questions, beside the family and size of its model.

    Returns:
        Columns model_family, parameters, run, and one for each family: accuracy, and of numbers (named
        `FAMILY numbers` where a family asks for both) tolerance accuracy. Rows in the order of `Diagnosis.models`.
    """
    parts = [("accuracy", "all", ""), ("tolerance_accuracy", NUMBER, " numbers")]
    columns: dict[str, pl.DataFrame] = {}
    for family in diagnosis.benchmark.record.counts:
        for metric, kind, ending in parts:
            found = diagnosis.figures.filter(family=family, format=kind, metric=metric, relation="all")
            name = family + ending if family in columns else family
            found = found.select("run", pl.col("value").alias(name)).join(diagnosis.models, on="run", how="semi")
            if found.height:
                columns[name] = found
    table = diagnosis.models.select("model_family", "parameters", "run")
    for column in columns.values():
        table = table.join(column, on="run", how="left", maintain_order="left")
    return table


def parser_changes(diagnosis: Diagnosis) -> list[ParserChange]:
    """How many answers each other parser would have read otherwise, by run."""
    figures = diagnosis.figures.filter(pl.col("metric").str.starts_with(PARSER_CHANGED))
    return [
        ParserChange(run, metric.removeprefix(PARSER_CHANGED), round(value * n), n)
        for run, metric, value, n in figures.select("run", "metric", "value", "n").iter_rows()
    ]


def _by_group(diagnosis: Diagnosis, values: str) -> pl.DataFrame:
    figures = diagnosis.figures.filter(
        (pl.col("metric") == "accuracy")
        & (pl.col("relation") == "all")
        & ((pl.col("format") != "all") | (pl.col("family") == "all"))
    )
    table = _pivoted(figures, diagnosis, ["family", "format"], values)
    formats = {kind: place for place, kind in enumerate(SCORED_FORMATS)}
    kind = pl.col("format").replace_strict(formats, default=len(formats), return_dtype=pl.Int64)
    return table.sort(_place_of_family(diagnosis), kind, maintain_order=True)


def _of_numbers(diagnosis: Diagnosis, values: str) -> pl.DataFrame:
    questions = diagnosis.benchmark.columns("family", "template", "id").rename({"id": "question"})
    asked = diagnosis.numbers.select("question", "unit").unique().join(questions, on="question")
    of_template = asked.group_by("family", relation=TEMPLATE + pl.col("template")).agg(
        unit=pl.when(pl.col("unit").n_unique() == 1).then(pl.col("unit").first())
    )
    units = [unit for unit in UNITS if of_template.filter(unit=unit).height > 1]
    of_all = pl.DataFrame({"family": "all", "relation": [*units, "all"], "unit": [*units, None]})
    parts = pl.concat([of_template, of_all.select(of_template.columns)])
    figures = diagnosis.figures.filter(pl.col("metric").is_in(_NEARNESS), format=NUMBER).join(
        parts, on=["family", "relation"], maintain_order="left"
    )
    figures = figures.with_columns(part=pl.col("relation").str.strip_prefix(TEMPLATE))
    table = _pivoted(figures, diagnosis, ["family", "part", "unit", "metric"], values)
    metrics = {metric: place for place, metric in enumerate(_NEARNESS)}
    return table.sort(
        _place_of_family(diagnosis),
        pl.col("part") == "all",
        pl.col("part"),
        pl.col("metric").replace_strict(metrics, return_dtype=pl.Int64),
        maintain_order=True,
    )


def _place_of_family(diagnosis: Diagnosis) -> pl.Expr:
    """Place of a row's family in the benchmark, `all` and `mean` behind them.

    A run that was asked a part comes with the families of that part, so the order of the rows is not that of all.
    """
    families = {family: place for place, family in enumerate(diagnosis.benchmark.record.counts)}
    families |= dict.fromkeys(("all", "mean"), len(families) + 1)
    return pl.col("family").replace_strict(families, default=len(families) - 1, return_dtype=pl.Int64)


def _pivoted(figures: pl.DataFrame, diagnosis: Diagnosis, index: Sequence[str], values: str) -> pl.DataFrame:
    """A row for each value of the index, a column for each run and control that has figures.

    A run that is called like a column of the index has the column `run NAME`.
    """
    names, runs = diagnosis.answerers(), [run.name for run in diagnosis.runs]
    controls = [name for name in names if name not in runs]
    beside = {control_beside(control, run): control for control in controls for run in runs}
    figures = figures.with_columns(pl.col("run").replace(beside)).filter(pl.col("run").is_in(names))
    most = figures.filter(pl.col("n") == pl.col("n").max().over("run", *index))
    figures = in_order(most.unique(["run", *index], keep="first", maintain_order=True), "run", names)
    figures = figures.with_columns(
        run=pl.when(pl.col("run").is_in(index)).then("run " + pl.col("run")).otherwise("run")
    )
    return figures.pivot(on="run", index=list(index), values=values, maintain_order=True)
