"""What a verdict says of answers that are numbers (NuScenes-SpatialQA, Sec. 4)."""

from __future__ import annotations

from collections.abc import Iterator

from probe4d.benchmarks.question import NUMBER
from probe4d.diagnosis.controls.answerers import FIXED, MEDIAN
from probe4d.diagnosis.side_by_side import control_beside
from probe4d.report.lookup import NARROW, WITHIN, Figure, Lookup, interval, percent
from probe4d.report.statement import FEW, Statement, Tone, excludes_chance
from probe4d.wording import UNIT_SYMBOLS, amount, listed

__all__ = ["error_in_words", "of_numbers"]

_READ = 0.99  # share of numbers read from which it goes without saying


def error_in_words(value: float, unit: str | None) -> str:
    """An error with its unit, where it has one."""
    if unit is None:
        return amount(value)
    return f"{amount(value)}{'' if unit == 'degrees' else NARROW}{UNIT_SYMBOLS[unit]}"


def of_numbers(lookup: Lookup, run: str) -> Iterator[Statement]:
    """Say how near a run's numbers come, beside medians that never saw a scene; nothing where it was asked too few.

    Args:
        lookup: The figures to judge by.
        run: The run.
    """
    own = lookup.get(run, "tolerance_accuracy", kind=NUMBER)
    if own is None or own.n < FEW:
        return
    text = f"{percent(own.value)} of {own.n:,} numbers are {WITHIN} of the truth"
    text += f" ({interval(own) or 'no interval'})."
    tone: Tone = "note"
    by_template, by_words = (_without_scene(lookup, control, run) for control in (FIXED, MEDIAN))
    if by_template is not None and by_words is not None:
        best = max(by_template.value, by_words.value)
        text += (
            f" Without the scene, the median of each template gives {percent(by_template.value)}, that of its words "
            f"{percent(by_words.value)}."
        )
        if own.high is not None and own.high < best:
            tone = "bad"
        if excludes_chance(own, best):
            tone = "good"
    errors = {unit: lookup.get(run, "mean_absolute_error", kind=NUMBER, relation=unit) for unit in UNIT_SYMBOLS}
    told = [error_in_words(error.value, unit) for unit, error in errors.items() if error is not None]
    if told:
        text += f" On average they miss it by {listed(told)}."
    read = lookup.get(run, "valid_rate", kind=NUMBER)
    if read is not None and read.value < _READ:
        text += (
            f" In {percent(1 - read.value)} of the answers no number can be read; these count as wrong, in no average."
        )
    yield Statement(tone, text, alarm=tone == "good")


def _without_scene(lookup: Lookup, control: str, run: str) -> Figure | None:
    """What a control gets of the numbers that a run was asked."""
    beside = lookup.get(control_beside(control, run), "tolerance_accuracy", kind=NUMBER)
    return beside or lookup.get(control, "tolerance_accuracy", kind=NUMBER)
