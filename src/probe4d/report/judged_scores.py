"""What a verdict says of free answers that a judge scored."""

from __future__ import annotations

from collections.abc import Iterator

from probe4d.benchmarks.question import TEXT
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import NARROW, Lookup, percent
from probe4d.report.statement import Statement
from probe4d.wording import amount, counted

__all__ = ["of_scores"]

_MANY_UNSCORED = 0.05
"""Share of answers that a judge left unscored from which its means are of too few to pass over."""


def of_scores(diagnosis: Diagnosis, lookup: Lookup, run: str) -> Iterator[Statement]:
    """Say how high a run's free answers were scored and by whom, and where its judge was of little use."""
    mean, valid = (lookup.get(run, metric, kind=TEXT) for metric in ("judge_mean_all", "judge_mean_valid"))
    unscored = lookup.get(run, "unscored_share", kind=TEXT)
    if run not in diagnosis.judges or unscored is None:
        return
    record = diagnosis.judges[run]
    if unscored.value >= _MANY_UNSCORED:
        yield Statement(
            "note",
            f"Its judge, {record.model}, left {percent(unscored.value)} of {counted(unscored.n, 'free answer')} "
            "unscored: its mean is of the others.",
        )
    if mean is None:
        return
    best = record.highest
    bounds = (
        ""
        if mean.low is None or mean.high is None
        else f", 95{NARROW}% interval {amount(mean.low)} to {amount(mean.high)}"
    )
    others = ""
    if valid is not None and valid.n < mean.n:
        others = f"; {amount(valid.value)} over the {valid.n:,} that held something to judge"
    yield Statement(
        "note",
        f"{record.model} scores its {counted(mean.n, 'free answer')} {amount(mean.value)} of {best} on average"
        f"{bounds}{others}.",
    )
