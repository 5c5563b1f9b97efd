"""What a verdict says of one model asked in more ways than one: with and without evidence, in other orders, again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe4d.diagnosis.tables import Diagnosis, Kinship
from probe4d.report.lookup import Figure, Lookup, interval, percent, points
from probe4d.report.statement import FEW, ONE_ANSWER, Statement, Tone, excludes_chance
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.run import RunRecord

__all__ = ["Told", "in_light_of_evidence", "of_kinship", "of_variants", "shown_in_words", "told_of", "way_of_asking"]

TELLING = 0.10
"""Difference in accuracy that an interval has to exclude before a lack of difference speaks against a model."""

_VIEWS = {"cameras": "camera pictures", "birds-eye": "bird's-eye views"}

_INSTEAD = {
    "black": ("Shown black pictures instead", "what its pictures show"),
    "shuffled": ("With its frames in a wrong order", "the order of its frames"),
    "other-scene": ("Shown another scene instead", "which scene it sees"),
}
"""Evidence that tells nothing true: how a sentence with its figures begins, and what its effect would depend on."""


@dataclass(frozen=True)
class Told:
    """A statement of a verdict.

    Attributes:
        run: The run whose verdict it belongs to.
        leads: Whether all else that is said of the run is to be read in its light.
        statement: The statement.
    """

    run: str
    leads: bool
    statement: Statement


def told_of(diagnosis: Diagnosis, lookup: Lookup, run: str) -> list[Told]:
    """What is said of a run and its family, evidence first."""
    found = [of_kinship(diagnosis, lookup, kinship) for kinship in diagnosis.kinships]
    found += [of_variants(record, lookup, name) for name, record in _records(diagnosis).items()]
    return [one for one in found if one is not None and one.run == run]


def of_kinship(diagnosis: Diagnosis, lookup: Lookup, kinship: Kinship) -> Told | None:
    """Say what one change did; null where too few questions were asked both ways.

    What evidence adds, and what a setting does, is said of the run with it; what false evidence does, of the run that
    saw its own.
    """
    first, second, change, alike = (
        lookup.get(kinship.name, metric)
        for metric in ("accuracy_of_first", "accuracy_of_second", "accuracy_change", "answers_alike")
    )
    if first is None or second is None or change is None or alike is None or change.n < FEW:
        return None
    shown = _records(diagnosis)[kinship.run].evidence
    if kinship.kind == "setting":
        return Told(kinship.run, False, _of_setting(kinship, first, second, change, alike))
    if shown is not None and shown.kind in _INSTEAD:
        return _of_false_evidence(lookup, kinship, shown.kind, (first, second, change, alike))
    return _of_evidence(kinship, shown_in_words(shown), (first, second, change, alike))


def in_light_of_evidence(plan: EvidencePlan | None, statements: Sequence[Statement]) -> list[Statement]:
    """The verdict of a run that did not see its own scene: that is said, and nothing it gets right speaks for it.

    Without evidence, a model may still be praised for what it knows; shown a lie, it may not.
    """
    if plan is None or plan.kind in ("own", "shuffled"):
        return list(statements)
    if plan.kind == "none":
        note = "It was shown nothing: what it gets right, it gets right without looking."
        return [Statement("note", note), *statements]
    note = f"It was shown {shown_in_words(plan)}: what it gets right does not come from the scene asked about."
    muted = [Statement("note", one.text) if one.tone == "good" else one for one in statements]
    return [Statement("note", note), *muted]


def _of_evidence(kinship: Kinship, shown: str, figures: tuple[Figure, Figure, Figure, Figure]) -> Told:
    first, second, change, alike = figures
    text = (
        f"{percent(first.value)} of {first.n:,} answers are right with them, {percent(second.value)} without "
        f"({_difference(change)}). Asked without them, {percent(alike.value)} of its answers stay the same."
    )
    if _crosses_zero(change):
        tone: Tone = "bad" if change.high is not None and change.high < TELLING else "note"
        return Told(kinship.run, True, Statement(tone, f"Its {shown} add nothing that can be told from chance: {text}"))
    if change.value < 0:
        return Told(kinship.run, True, Statement("bad", f"Its {shown} do harm: {text}"))
    tone = "good" if excludes_chance(change) else "note"
    return Told(kinship.run, False, Statement(tone, f"Its {shown} add to what it gets right: {text}"))


def _of_false_evidence(
    lookup: Lookup, kinship: Kinship, kind: str, figures: tuple[Figure, Figure, Figure, Figure]
) -> Told:
    first, second, change, alike = figures
    beginning, dependence = _INSTEAD[kind]
    no_effect = _crosses_zero(change)
    text = (
        f"{beginning}, it is right in {percent(first.value)} of {first.n:,} questions rather than in "
        f"{percent(second.value)} ({_difference(change)}), "
        f"{'no difference that can be told from chance; ' if no_effect else 'and '}"
        f"{percent(alike.value)} of its answers stay the same."
    )
    follows, keeps = (lookup.get(kinship.run, metric) for metric in ("follows_shown", "keeps_own"))
    if follows is not None and keeps is not None and follows.n >= FEW:
        text += (
            f" Where the scene shown has another answer ({follows.n:,} questions), it gives that one in "
            f"{percent(follows.value)} and the one of its own scene in {percent(keeps.value)}."
        )
    if no_effect:
        against = kind != "shuffled" and change.low is not None and change.low > -TELLING
        return Told(kinship.against, kind != "shuffled", Statement("bad" if against else "note", text))
    lost = Figure(-change.value, None if change.high is None else -change.high, None, change.n)
    if excludes_chance(lost):
        return Told(kinship.against, False, Statement("good", f"What it gets right depends on {dependence}. {text}"))
    return Told(kinship.against, False, Statement("note", text))


def _of_setting(kinship: Kinship, first: Figure, second: Figure, change: Figure, alike: Figure) -> Statement:
    text = (
        f"In the setting {kinship.settings[0]} it is right in {percent(first.value)} of {first.n:,} questions, in the "
        f"setting {kinship.settings[1]} in {percent(second.value)} ({_difference(change)}"
    )
    tone: Tone = "note"
    if _crosses_zero(change):
        text += ", no change that can be told from chance"
    else:
        tone = "good" if change.value > 0 else "bad"
    return Statement(tone, f"{text}); {percent(alike.value)} of its answers are the same in both.")


def of_variants(record: RunRecord, lookup: Lookup, run: str) -> Told | None:
    """Say whether answers survive another order of the options, or another try; null for runs without variants."""
    alike, every, some = (
        lookup.get(run, f"variants_{metric}", *_asked_so(record)) for metric in ("alike", "all_right", "any_right")
    )
    if alike is None or every is None or some is None or alike.n < FEW:
        return None
    first = lookup.get(run, "accuracy", *_asked_so(record))
    right = "" if first is None or first.n != alike.n else f"{percent(first.value)} are right in the first, "
    text = (
        f"{way_of_asking(record)}, {percent(alike.value)} of {alike.n:,} questions get one and the same answer "
        f"({interval(alike) or 'no interval'}); {right}{percent(every.value)} in all, {percent(some.value)} in at "
        "least one."
    )
    if not record.setting.startswith("permuted:"):
        return Told(run, False, Statement("note", text))
    if alike.high is not None and alike.high < ONE_ANSWER:
        return Told(run, True, Statement("bad", f"Its answers change with the order of the options. {text}"))
    return Told(run, False, Statement("note", text))


def _asked_so(record: RunRecord) -> tuple[str, str]:
    """Family and format of the figures over all questions that have variants."""
    return ("all", "choice") if record.setting.startswith("permuted:") else ("all", "all")


def way_of_asking(record: RunRecord) -> str:
    """How the variants of a run differ, as the beginning of a sentence."""
    kind, _, count = record.setting.partition(":")
    if kind == "permuted":
        return f"With the options in {count} orders"
    return f"Asked {count} times" if kind == "repeat" else "Asked in several variants"


def shown_in_words(plan: EvidencePlan | None) -> str:
    """What a run was shown, for a reader."""
    if plan is None:
        return "evidence"
    if plan.kind == "none":
        return "nothing"
    views = _VIEWS.get(str(plan.view), str(plan.view))
    words = {
        "black": f"black pictures for {views}",
        "shuffled": f"{views} in a wrong order",
        "other-scene": f"{views} of another scene",
    }.get(plan.kind, views)
    return f"{words}, the whole scene" if plan.span == "scene" else words


def _records(diagnosis: Diagnosis) -> dict[str, RunRecord]:
    return {run.name: run.record for run in diagnosis.runs}


def _difference(change: Figure) -> str:
    return f"{points(change.value)}; {interval(change, signed=True) or 'no interval'}"


def _crosses_zero(change: Figure) -> bool:
    return change.low is None or change.high is None or change.low <= 0 <= change.high
