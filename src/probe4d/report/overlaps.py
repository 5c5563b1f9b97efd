"""What a verdict says of answers that are intervals of key frames (B4DL, Sec. 3.1)."""

from __future__ import annotations

from collections.abc import Iterator

from probe4d.benchmarks.question import INTERVAL
from probe4d.diagnosis.controls.answerers import CONTENT, FIXED
from probe4d.diagnosis.intervals.scores import MIOU, PARSE_RATE, WHOLE
from probe4d.diagnosis.side_by_side import control_beside
from probe4d.diagnosis.statistics.interval_overlaps import CONVENTIONS
from probe4d.report.lookup import Figure, Lookup, interval, percent
from probe4d.report.statement import FEW, Statement, Tone, excludes_chance

__all__ = ["of_intervals"]

_READ = 0.99  # share of intervals read from which it goes without saying
_OFTEN = 0.5  # share of answers that are the whole window from which it is said


def of_intervals(lookup: Lookup, run: str) -> Iterator[Statement]:
    """Say how much a run's intervals overlap the truth, beside frequent ones; nothing where it was asked too few.

    Args:
        lookup: The figures to judge by.
        run: The run.
    """
    own, other = (lookup.get(run, MIOU + convention, kind=INTERVAL) for convention in CONVENTIONS)
    if own is None or other is None or own.n < FEW:
        return
    text = (
        f"Its {own.n:,} intervals overlap the truth by {percent(own.value)} on average with frames counted "
        f"({interval(own) or 'no interval'}), by {percent(other.value)} with lengths as last less first."
    )
    tone: Tone = "note"
    controls = [_beside(lookup, control, run) for control in (FIXED, CONTENT)]
    if all(one is not None for one in controls):
        fixed, content = (one.value for one in controls if one is not None)
        text += (
            f" Without the scene, the most frequent interval gets {percent(fixed)}, that of the words "
            f"{percent(content)}."
        )
        if own.high is not None and own.high < max(fixed, content):
            tone = "bad"
        if excludes_chance(own, max(fixed, content)):
            tone = "good"
    whole = lookup.get(run, WHOLE, kind=INTERVAL)
    if whole is not None and whole.value >= _OFTEN:
        text += f" {percent(whole.value)} of its answers are all that is asked about."
    read = lookup.get(run, PARSE_RATE, kind=INTERVAL)
    if read is not None and read.value < _READ:
        text += f" In {percent(1 - read.value)} of the answers no interval can be read; these overlap nothing."
    yield Statement(tone, text, alarm=tone == "good")


def _beside(lookup: Lookup, control: str, run: str) -> Figure | None:
    """What a control gets of the intervals that a run was asked for."""
    metric = MIOU + CONVENTIONS[0]
    beside = lookup.get(control_beside(control, run), metric, kind=INTERVAL)
    return beside or lookup.get(control, metric, kind=INTERVAL)
