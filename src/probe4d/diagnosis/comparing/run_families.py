"""Finds the runs of one model that differ in one thing alone: what it saw, or the setting it was asked in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import NamedTuple

import msgspec

from probe4d.diagnosis.comparing.comparisons import FamilyComparison
from probe4d.models.generation import Generation
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.run import Run, RunRecord
from probe4d.runs.settings import recorded_setting
from probe4d.wording import listed

__all__ = ["RunFamilies", "find_run_families", "one_evidence", "one_model"]

_DEFAULT = "default"
_NOT_OF_THE_MODEL = ("base_url", "keep_logits")
"""Parameters that say where a model was reached, or what was kept of its answers."""
_CHECKPOINT, _BASE = "checkpoint", "base"
"""Parameters with the fingerprint of a LiDAR language model, and with where its base was."""
_FEATURES = "features"
"""Parameter that says which LiDAR features a model was shown; a run that was shown none has none."""


class RunFamilies(NamedTuple):
    """What runs say of one another.

    Attributes:
        comparisons: Those of evidence, then those of settings, each in the order of the runs.
        warnings: Runs that would be compared but for what their servers said, as sentences.
    """

    comparisons: tuple[FamilyComparison, ...]
    warnings: tuple[str, ...]


def find_run_families(runs: Sequence[Run], in_common: Callable[[str, str], int]) -> RunFamilies:
    """Find, from records and logs alone, which runs show what one change did (the controls that LiDAR-Hallu asks for).

    Both runs are of one model, with the same generation options and parameters. Evidence: the question's own is
    held against none; black, shuffled and other-scene evidence against the question's own of the same view, span and
    size; in one setting. Setting: any is held against `default`, with the same evidence or, as in imported runs,
    evidence that no record tells of.

    A name is no checkpoint: two servers may both call theirs `local/model`. Where the servers named what answered,
    and not alike in both runs, these are not compared, which a warning says.

    Args:
        runs: The runs.
        in_common: How many questions two runs, by their names, were both asked.
    """
    comparisons, warnings = [], {}
    for kind, fits in (("evidence", _other_evidence), ("setting", _other_setting)):
        for run, against in product(runs, runs):
            if not _recorded_as_one(run.record, against.record) or not fits(run.record, against.record):
                continue
            if one_model(run, against):
                comparisons.append(_comparison(kind, run, against, in_common(run.name, against.name)))
            else:
                warnings[frozenset((run.name, against.name))] = _not_alike(run, against)
    return RunFamilies(tuple(comparisons), tuple(warnings.values()))


def one_model(run: Run, other: Run) -> bool:
    """Whether two runs are of one model, asked with the same options, as far as records and servers tell.

    Their records name one model, with the same generation options and parameters, wherever it was reached; and where
    servers named what answered, they did so alike in both runs.
    """
    served, elsewhere = _served(run), _served(other)
    contradicted = bool(served and elsewhere) and served != elsewhere
    return _recorded_as_one(run.record, other.record) and not contradicted


def one_evidence(record: RunRecord, other: RunRecord) -> bool:
    """Whether two runs saw the same, whatever in a plan has no effect on it; or no record tells of either."""
    return _told(record.evidence) == _told(other.evidence)


def _served(run: Run) -> tuple[str, ...]:
    """What servers called the model that answered a run, sorted; empty where none said."""
    return tuple(run.answers["model"].drop_nulls().unique().sort())


def _not_alike(run: Run, against: Run) -> str:
    return (
        f"{run.name} and {against.name} have one model by their records, but their servers named "
        f"{listed(_served(run))} in {run.name} and {listed(_served(against))} in {against.name}: what their one "
        "difference did is not told from them."
    )


def _comparison(kind: str, run: Run, against: Run, questions: int) -> FamilyComparison:
    return FamilyComparison(
        kind="evidence" if kind == "evidence" else "setting",
        run=run.name,
        against=against.name,
        evidence=(_in_words(run.record.evidence), _in_words(against.record.evidence)),
        settings=(run.record.setting, against.record.setting),
        questions=questions,
        model=run.record.model,
    )


def _recorded_as_one(record: RunRecord, other: RunRecord) -> bool:
    ours, theirs = record.parameters.get(_FEATURES), other.parameters.get(_FEATURES)
    if ours is not None and theirs is not None and ours != theirs:
        return False
    one = (_identity(record), _parameters(record)) == (_identity(other), _parameters(other))
    return one and _generated_alike(record, other)


def _identity(record: RunRecord) -> object:
    """Fingerprint of a checkpoint, wherever it lay, or else the model's name."""
    return record.parameters.get(_CHECKPOINT, record.model)


def _parameters(record: RunRecord) -> dict[str, object]:
    elsewhere = (*_NOT_OF_THE_MODEL, _FEATURES, *((_BASE,) if _CHECKPOINT in record.parameters else ()))
    return {name: value for name, value in record.parameters.items() if name not in elsewhere}


def _generated_alike(record: RunRecord, other: RunRecord) -> bool:
    """Whether generation options came to the same, but for those that nobody chose and a setting gave."""
    if record.generation is None or other.generation is None:
        return record.generation == other.generation
    given = [_given(one.generation) for one in (record, other)]
    of_settings = {name for one in (record, other) for name in recorded_setting(one.setting).hints}
    of_settings -= set().union(*given)
    ours, theirs = (
        {name: value for name, value in (one.hints | chosen).items() if name not in of_settings}
        for one, chosen in zip((record, other), given, strict=True)
    )
    return ours == theirs


def _given(generation: Generation | None) -> dict[str, object]:
    options = {} if generation is None else msgspec.structs.asdict(generation)
    return {name: value for name, value in options.items() if value not in (None, {})}


def _other_evidence(record: RunRecord, against: RunRecord) -> bool:
    shown, other = record.evidence, against.evidence
    if shown is None or other is None or record.setting != against.setting:
        return False
    if other.kind == "none":
        return shown.is_own
    return other.is_own and not shown.is_own and shown.kind != "none" and _own(shown) == _own(other)


def _other_setting(record: RunRecord, against: RunRecord) -> bool:
    return one_evidence(record, against) and against.setting == _DEFAULT and record.setting != _DEFAULT


def _own(plan: EvidencePlan) -> EvidencePlan | None:
    return _told(msgspec.structs.replace(plan, kind="own"))


def _told(plan: EvidencePlan | None) -> EvidencePlan | None:
    """A plan without what has no effect on it."""
    if plan is None or plan.is_drawn:
        return plan
    if plan.kind == "none":
        return EvidencePlan()
    return msgspec.structs.replace(plan, seed=EvidencePlan().seed)


def _in_words(plan: EvidencePlan | None) -> str:
    if plan is None:
        return "unknown"
    return plan.name if plan.kind == "none" or plan.span == "question" else f"{plan.name} of the whole {plan.span}"
