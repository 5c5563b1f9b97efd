"""What a run was shown, in words, and what a verdict may make of answers to something else than the truth."""

from __future__ import annotations

from collections.abc import Sequence

from probe4d.report.statement import Statement
from probe4d.runs.evidence_plan import EvidencePlan

__all__ = ["in_light_of_evidence", "shown_in_words"]

_VIEWS = {"cameras": "camera pictures", "birds-eye": "bird's-eye views"}


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
