"""What a verdict says of runs of one model that differ in one thing, what they were shown or the setting."""

from __future__ import annotations

from typing import NamedTuple

from probe4d.benchmarks.question import INTERVAL, NUMBER
from probe4d.diagnosis.comparing.comparisons import FamilyComparison
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.evidence_shown import shown_in_words
from probe4d.report.lookup import Figure, Lookup, how_right, interval, percent, points
from probe4d.report.statement import FEW, TELLING, RunStatement, Statement, Tone, excludes_chance
from probe4d.runs.settings import recorded_setting

__all__ = ["Effect", "asks_the_same", "of_comparison"]

_INSTEAD = {
    "black": ("Shown black pictures instead", "what its pictures show"),
    "shuffled": ("With its frames in a wrong order", "the order of its frames"),
    "other-scene": ("Shown another scene instead", "which scene it sees"),
}
"""Evidence that tells nothing true: how a sentence with its figures begins, and what its effect would depend on."""


class Effect(NamedTuple):
    """What one change did to the answers to a group of questions that were asked both ways.

    Attributes:
        first: Accuracy of the run.
        second: Accuracy of the run that it is held against.
        change: The first less the second.
        alike: Share of the questions that both answer the same.
    """

    first: Figure
    second: Figure
    change: Figure
    alike: Figure

    @classmethod
    def of(cls, lookup: Lookup, comparison: FamilyComparison, family: str = "all", kind: str = "all") -> Effect | None:
        """The figures of a family and format, null where some are missing.

        Numbers are right within the tolerance, and intervals as far as they overlap.
        """
        accuracy = how_right(kind)
        first, second, change, alike = (
            lookup.get(comparison.name, metric, family, kind)
            for metric in (*(f"{accuracy}_{part}" for part in ("of_first", "of_second", "change")), "answers_alike")
        )
        if first is None or second is None or change is None or alike is None:
            return None
        return cls(first, second, change, alike)

    @property
    def untold(self) -> bool:
        """Whether there is no interval, so that the change is a value and no more."""
        return self.change.low is None or self.change.high is None

    @property
    def none_told(self) -> bool:
        """Whether the change cannot be told from chance."""
        low, high = self.change.low, self.change.high
        return low is not None and high is not None and low <= 0 <= high

    @property
    def difference(self) -> str:
        """The change with its interval, in words."""
        return f"{points(self.change.value)}; {interval(self.change, signed=True) or 'no interval'}"


def asks_the_same(comparison: FamilyComparison) -> bool:
    """Whether two runs sent the same requests: the first order or try of a setting of variants is the default."""
    return comparison.kind == "setting" and recorded_setting(comparison.settings[0]).varies is not None


def of_comparison(diagnosis: Diagnosis, lookup: Lookup, comparison: FamilyComparison) -> RunStatement | None:
    """Say what one change did; null where too few questions were asked both ways.

    What evidence adds, and what a setting does, is said of the run with it; what false evidence does, of the run that
    saw its own. Of runs that were asked numbers alone it is said of these.
    """
    found = (Effect.of(lookup, comparison, kind=kind) for kind in ("all", NUMBER, INTERVAL))
    effect = next(filter(None, found), None)
    if effect is None or effect.change.n < FEW or asks_the_same(comparison):
        return None
    if comparison.kind == "setting":
        return RunStatement(comparison.run, False, _of_setting(comparison, effect))
    shown = next(run.record.evidence for run in diagnosis.runs if run.name == comparison.run)
    if shown is not None and shown.kind in _INSTEAD:
        return _of_false_evidence(lookup, comparison, shown.kind, effect)
    return _of_evidence(comparison.run, shown_in_words(shown), effect)


def _of_evidence(run: str, shown: str, effect: Effect) -> RunStatement:
    text = (
        f"{percent(effect.first.value)} of {effect.first.n:,} answers are right with them, "
        f"{percent(effect.second.value)} without ({effect.difference}). Asked without them, "
        f"{percent(effect.alike.value)} of its answers stay the same."
    )
    if effect.untold:
        return RunStatement(run, False, Statement("note", f"Its {shown}: {text}"))
    if effect.none_told:
        tone: Tone = "bad" if effect.change.high is not None and effect.change.high < TELLING else "note"
        none = f"Its {shown} add nothing that can be told from chance: {text}"
        return RunStatement(run, True, Statement(tone, none))
    if effect.change.value < 0:
        return RunStatement(run, True, Statement("bad", f"Its {shown} do harm: {text}"))
    tone = "good" if excludes_chance(effect.change) else "note"
    return RunStatement(run, False, Statement(tone, f"Its {shown} add to what it gets right: {text}"))


def _of_false_evidence(lookup: Lookup, comparison: FamilyComparison, kind: str, effect: Effect) -> RunStatement:
    own, change = comparison.against, effect.change
    beginning, dependence = _INSTEAD[kind]
    text = (
        f"{beginning}, it is right in {percent(effect.first.value)} of {effect.first.n:,} questions rather than in "
        f"{percent(effect.second.value)} ({effect.difference}), "
        f"{'no difference that can be told from chance; ' if effect.none_told else 'and '}"
        f"{percent(effect.alike.value)} of its answers stay the same."
    )
    follows, keeps = (lookup.get(comparison.run, metric) for metric in ("follows_shown", "keeps_own"))
    if follows is not None and keeps is not None and follows.n >= FEW:
        text += (
            f" Where the scene shown has another answer ({follows.n:,} questions), it gives that one in "
            f"{percent(follows.value)} and the one of its own scene in {percent(keeps.value)}."
        )
    if effect.none_told:
        against = kind != "shuffled" and change.low is not None and change.low > -TELLING
        return RunStatement(own, kind != "shuffled", Statement("bad" if against else "note", text))
    lost = Figure(-change.value, None if change.high is None else -change.high, None, change.n)
    if excludes_chance(lost):
        return RunStatement(own, False, Statement("good", f"What it gets right depends on {dependence}. {text}"))
    return RunStatement(own, False, Statement("note", text))


def _of_setting(comparison: FamilyComparison, effect: Effect) -> Statement:
    setting, other = comparison.settings
    text = (
        f"In the setting {setting} it is right in {percent(effect.first.value)} of {effect.first.n:,} questions, in "
        f"the setting {other} in {percent(effect.second.value)} ({effect.difference}"
    )
    tone: Tone = "note"
    if effect.none_told:
        text += ", no change that can be told from chance"
    elif not effect.untold:
        tone = "good" if effect.change.value > 0 else "bad"
    return Statement(tone, f"{text}); {percent(effect.alike.value)} of its answers are the same in both.")
