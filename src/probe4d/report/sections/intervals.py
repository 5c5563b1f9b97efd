"""How much answers that are intervals of key frames overlap the truth."""

from __future__ import annotations

from probe4d.benchmarks.question import INTERVAL
from probe4d.diagnosis.intervals.scores import MIOU, PARSE_RATE, RECALL, THRESHOLDS, WHOLE
from probe4d.diagnosis.statistics.interval_overlaps import CONVENTIONS
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.lookup import NARROW, Lookup, in_words, percent
from probe4d.report.sections.part import (
    Key,
    Section,
    Table,
    bounds,
    count,
    dot_chart,
    number_columns,
    share,
    word_columns,
)

__all__ = ["intervals"]


def intervals(diagnosis: Diagnosis, lookup: Lookup) -> Section:
    """Chart mIoU, a chart for each family; the table adds the other convention, recall and what was read.

    Args:
        diagnosis: The answers.
        lookup: The figures.
    """
    names = diagnosis.answerers("intervals")
    cells = lookup.cells(MIOU + CONVENTIONS[0], (INTERVAL,))
    families = [family for family, _ in cells if family != "all" or len(cells) > 2]
    drawn, rows = [], []
    for family in families:
        title = "All intervals" if family == "all" else in_words(family).capitalize()
        found = [(name, lookup.get(name, MIOU + CONVENTIONS[0], family, INTERVAL)) for name in names]
        some = [(name, figure) for name, figure in found if figure is not None]
        told = [(name, figure, percent(figure.value)) for name, figure in some]
        drawn.append(dot_chart(f"{title}: mIoU", "Mean overlap with the truth, frames counted", told, names))
        rows += [(title, name, *_cells(lookup, name, family)) for name, _ in some]
    recalls = [f"R@{threshold}" for threshold in THRESHOLDS]
    return Section(
        "intervals",
        "How much intervals overlap the truth",
        "A dot is mIoU, the mean share of key frames that answer and truth have in common of those that either has, "
        f"both ends counted; an answer that cannot be read has 0. The bar is the 95{NARROW}% interval (whole-scene "
        "bootstrap). The table has the same with lengths as last less first, in which an event of one frame is lost, "
        "the share of answers that overlap by at least 0.3, 0.5 and 0.7, and how many are simply all that is asked "
        "about. The controls never see a scene: control:fixed gives the interval most frequent in other scenes, "
        "control:content that of the words, from the first frame asked about where that is found more often.",
        drawn,
        Table(
            "Intervals",
            (
                *word_columns("Questions", "Run"),
                *number_columns("mIoU, frames counted", f"95{NARROW}% interval", *recalls),
                *number_columns("mIoU, last less first", f"95{NARROW}% interval", *recalls),
                *number_columns("Read", "Whole window", "n"),
            ),
            rows,
        ),
        [Key("dot", colour, name) for name, colour in charts.run_colours(names).items()],
    )


def _cells(lookup: Lookup, name: str, family: str) -> list[str]:
    """The figures of one answerer, in the order of the table."""

    def figure(metric: str) -> str:
        return share(lookup.get(name, metric, family, INTERVAL))

    told = []
    for convention in CONVENTIONS:
        told += [figure(MIOU + convention), bounds(lookup.get(name, MIOU + convention, family, INTERVAL))]
        told += [figure(f"{RECALL}{threshold}_{convention}") for threshold in THRESHOLDS]
    asked = lookup.get(name, PARSE_RATE, family, INTERVAL)
    return [*told, figure(PARSE_RATE), figure(WHOLE), count(asked)]
