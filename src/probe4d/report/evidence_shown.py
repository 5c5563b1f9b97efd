"""What a run was shown, in words, and what a verdict may make of answers to something else than the truth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.statement import RunStatement, Statement
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.run import Run

__all__ = ["in_light_of_evidence", "is_control_run", "sees_its_scene", "shown_in_words", "with_names"]

_VIEWS = {
    "cameras": "camera pictures",
    "birds-eye": "bird's-eye views",
    "one-camera": "images of one camera",
    "lidar": "LiDAR features",
}


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


def is_control_run(diagnosis: Diagnosis, run: Run) -> bool:
    """Whether a run was asked to see what another of its model does without true evidence, or with false one."""
    plan = run.record.evidence
    if plan is None or plan.is_own:
        return False
    if plan.kind != "none":
        return True
    return any(one.kind == "evidence" and one.against == run.name for one in diagnosis.run_families)


def sees_its_scene(plan: EvidencePlan | None) -> bool:
    """Whether a run saw the scene that it was asked about, in whatever order, as far as its record tells."""
    return plan is None or plan.kind in ("own", "shuffled")


def in_light_of_evidence(diagnosis: Diagnosis, run: Run, statements: Sequence[Statement]) -> list[Statement]:
    """The verdict of a run in the light of what it saw, which is said first where it was not its own scene."""
    plan = run.record.evidence
    if plan is None or plan.is_own:
        return list(statements)
    if plan.kind == "none":
        note = "It was shown nothing: what it gets right, it gets right without looking."
    elif plan.kind == "shuffled":
        note = f"It was shown {shown_in_words(plan)}."
    else:
        note = f"It was shown {shown_in_words(plan)}: what it gets right does not come from the scene asked about."
    if is_control_run(diagnosis, run):
        note += " A control: what it gets wrong does not speak against the model."
    return [Statement("note", note), *(_muted(diagnosis, run.name, one) for one in statements)]


def _muted(diagnosis: Diagnosis, run: str, one: Statement) -> Statement:
    """A statement on a run in the light of what the run saw, wherever it is printed.

    Nothing speaks for a run that did not see its scene, and what it gets right beyond what words allow is an alarm.
    Failing speaks against no control: shown nothing or a lie, a model that looks has to fail.
    """
    about = next(known for known in diagnosis.runs if known.name == run)
    plan = about.record.evidence
    if plan is None or plan.is_own:
        return one
    if one.alarm and not sees_its_scene(plan):
        alarm = (
            "Without the scene it is right more often than words allow: its questions or answers may be known to it."
        )
        return Statement("bad", f"{alarm} {one.text}")
    if one.tone == "good" or is_control_run(diagnosis, about):
        return Statement("note", one.text)
    return one


def with_names(diagnosis: Diagnosis, said: Iterable[RunStatement | None]) -> list[Statement]:
    """What a section says of runs, each by its name, in the tones of their verdicts; null where nothing is said."""
    return [_muted(diagnosis, one.run, one.with_name) for one in said if one is not None]
