"""What a verdict says of a run that asked in variants: permutations of the options, and repeats."""

from __future__ import annotations

from collections.abc import Sequence

from probe4d.benchmarks.question import LETTERS
from probe4d.diagnosis.comparing.run_families import one_evidence, one_model
from probe4d.diagnosis.shortcuts.attribution import THRESHOLD
from probe4d.report.lookup import Figure, Lookup, interval, percent, points
from probe4d.report.statement import FEW, RunStatement, Statement, excludes_chance
from probe4d.runs.run import Run, RunRecord
from probe4d.runs.settings import recorded_setting

__all__ = ["of_variants", "way_of_asking"]


def of_variants(run: Run, runs: Sequence[Run], lookup: Lookup) -> RunStatement | None:
    """Say whether answers survive another order of the options, or another try; null for runs without variants.

    Answers that differ accuse nobody, since those of a guesser do: a letter that is preferred whatever stands under
    it does.

    Args:
        run: The run.
        runs: All runs: one of the same model that asked one order again and again says how much of this is noise.
        lookup: The figures.
    """
    alike, pairs, right, every, some, chance = (
        lookup.get(run.name, f"variants_{metric}", *_asked_so(run.record))
        for metric in ("alike", "pairs_alike", "accuracy", "all_right", "any_right", "alike_by_chance")
    )
    if alike is None or pairs is None or right is None or every is None or some is None or chance is None:
        return None
    if alike.n < FEW:
        return None
    text = (
        f"{way_of_asking(run.record)}, {percent(alike.value)} of {alike.n:,} questions get one and the same answer "
        f"throughout ({interval(alike) or 'no interval'}; who draws every answer: {percent(chance.value)}); "
        f"{percent(right.value)} of the answers are right, {percent(every.value)} of the questions every time, "
        f"{percent(some.value)} at least once."
    )
    if recorded_setting(run.record.setting).varies == "options":
        text += _noise(run, runs, lookup, pairs)
    excess = lookup.get(run.name, "variants_letter_excess", "all", "choice")
    if excess is not None and excludes_chance(excess):
        text += _preference(run.name, lookup, excess)
        if excess.value >= THRESHOLD:
            accusation = f"Its answers change with the order of the options. {text}"
            return RunStatement(run.name, True, Statement("bad", accusation))
    if alike.low is not None and not excludes_chance(alike, chance.value):
        text = f"Its answers hardly hold: it guesses, samples, or goes by the order. {text}"
    return RunStatement(run.name, False, Statement("note", text))


def _noise(run: Run, runs: Sequence[Run], lookup: Lookup, pairs: Figure) -> str:
    """How often two answers to one question agree in two orders, and in one order asked twice."""
    for other in runs:
        repeats = recorded_setting(other.record.setting).varies == "seed"
        if repeats and one_model(run, other) and one_evidence(run.record, other.record):
            again = lookup.get(other.name, "variants_pairs_alike", *_asked_so(run.record))
            if again is not None:
                return (
                    f" Two of its answers to a question agree in {percent(pairs.value)} of cases in two orders, in "
                    f"{percent(again.value)} in one order asked again ({other.name})."
                )
    return ""


def _preference(run: str, lookup: Lookup, excess: Figure) -> str:
    # The letter given most need not be it: in fewer orders than options, what options say comes under some more often.
    over = [(lookup.get(run, "variants_letter_excess", "all", "choice", letter), letter) for letter in LETTERS]
    _, letter = max((figure.value, letter) for figure, letter in over if figure is not None)
    given = lookup.get(run, "variants_letter", "all", "choice", letter)
    share = "" if given is None else f" in {percent(given.value)} of its answers"
    return (
        f" It gives the letter {letter}{share}: the letter that it prefers comes "
        f"{points(excess.value, signed=False)} more often than if the order did not matter ({interval(excess)})."
    )


def _asked_so(record: RunRecord) -> tuple[str, str]:
    """Family and format of the figures over all questions that have variants."""
    return ("all", "choice") if recorded_setting(record.setting).varies == "options" else ("all", "all")


def way_of_asking(record: RunRecord) -> str:
    """How the variants of a run differ, as the beginning of a sentence."""
    setting = recorded_setting(record.setting)
    if setting.varies == "options":
        return f"With the options in {setting.count} orders"
    return f"Asked {setting.count} times" if setting.varies == "seed" else "Asked in several variants"
