"""How much free answers have in common with their references, word by word, family by family."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probe4d.benchmarks.question import TEXT
from probe4d.diagnosis.controls.answerers import CONTENT
from probe4d.diagnosis.free_text.scores import MACRO
from probe4d.diagnosis.side_by_side import control_beside
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report import charts
from probe4d.report.free_texts import overall_text
from probe4d.report.lookup import Figure, Lookup, asked_freely
from probe4d.report.sections.part import Key, Section, Table, dot_chart, number_columns, word_columns
from probe4d.wording import amount

__all__ = ["text_metrics"]


def text_metrics(diagnosis: Diagnosis, lookup: Lookup) -> Section:
    """Chart each metric over everything; the table adds the families, and what a judge scored of the same answers.

    Args:
        diagnosis: The answers.
        lookup: The figures.
    """
    metrics = {metric: one.metric for metric, one in diagnosis.text_fingerprints.items()}
    names = diagnosis.answerers("texts") if metrics else []
    colours = charts.run_colours(names)
    drawn = [chart for metric, title in metrics.items() if (chart := _chart(metric, title, lookup, names)) is not None]
    beside = [control_beside(CONTENT, run.name) for run in diagnosis.runs]
    return Section(
        "text-metrics",
        "How free answers compare with references, word by word",
        "A dot is a metric from 0 to 1, the plain mean over families where there are several; the bar is its 95 % "
        "interval (whole-scene bootstrap). control:content never looks: it gives the reference of the most similar "
        "question in another scene, so that what it gets is how much of a score is manner of speaking. Words tell "
        "little of whether an answer is right: see what judges make of the same answers.",
        drawn,
        Table(
            "Metrics of words",
            (
                *word_columns("Questions", "Run"),
                *(column for title in metrics.values() for column in number_columns(title, "95 % interval")),
                *number_columns("Judge's mean", "n"),
            ),
            list(_rows(diagnosis, lookup, list(metrics), [*names, *beside])),
        ),
        [Key("dot", colour, name) for name, colour in colours.items()],
        more=[_computed_with(diagnosis)] if drawn else [],
    )


def _chart(metric: str, title: str, lookup: Lookup, names: Sequence[str]) -> charts.Chart | None:
    found = [(name, figure) for name in names if (figure := overall_text(lookup, name, metric)) is not None]
    if not found:
        return None
    return dot_chart(title, title, [(name, figure, f"{figure.value:.3f}") for name, figure in found], names)


def _rows(
    diagnosis: Diagnosis, lookup: Lookup, metrics: Sequence[str], names: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """First the plain means over families, then each family."""
    groups = [
        ("Mean of families", "all", MACRO),
        *((asked_freely(one).capitalize(), one, "") for one in lookup.families),
    ]
    for title, family, ending in groups:
        for name in names:
            found = [lookup.get(name, metric + ending, family, TEXT) for metric in metrics]
            if any(found):
                judge = lookup.get(name, f"judge_mean_all{ending}", family, TEXT)
                score = "" if judge is None else f"{amount(judge.value)} of {diagnosis.judges[name].highest}"
                n = next(figure.n for figure in found if figure is not None)
                yield (title, name, *(cell for figure in found for cell in _cells(figure)), score, f"{n:,}")


def _cells(figure: Figure | None) -> tuple[str, str]:
    if figure is None:
        return "", ""
    bounds = "" if figure.low is None or figure.high is None else f"{figure.low:.3f} to {figure.high:.3f}"
    return f"{figure.value:.3f}", bounds


def _computed_with(diagnosis: Diagnosis) -> Table:
    """The fingerprint of each metric: values of unlike ones do not compare."""
    rows = [(one.metric, str(one).removeprefix(f"{one.metric}: ")) for one in diagnosis.text_fingerprints.values()]
    return Table(
        "Computed with; values that were computed otherwise do not compare", word_columns("Metric", "By"), rows
    )
