"""Checks questions for labels. No table of the dataset has these: it is checked that they agree with one another."""

from __future__ import annotations

from typing import Any

from probe4d.benchmarks.stride.audit.batch import Batch
from probe4d.benchmarks.stride.audit.deriving import LABELS
from probe4d.benchmarks.stride.audit.measuring import NO_ROW
from probe4d.benchmarks.stride.templates import TEMPLATES

__all__ = ["LabelsTold"]


class LabelsTold:
    """What questions tell of labels, so far.

    Args:
        given: Whether the benchmark was built with a file of labels.
    """

    def __init__(self, *, given: bool) -> None:
        self._given = given
        self._told: dict[tuple[str, int, str | None], tuple[str, str]] = {}

    def check(self, batch: Batch) -> None:
        """Check questions that ask for a label."""
        for at, question in enumerate(batch.questions):
            batch.differ(at, "margin", question.fields["margin"], None)
            expected = self.facts(batch.template.id, int(batch.frame[at]), question.chosen)
            batch.check_facts(at, expected)
            self.note(batch, at, batch.template.id, question.chosen)

    def facts(self, template: str, frame: int, value: str) -> dict[str, Any]:
        """What the facts of an answer are."""
        later = TEMPLATES[template].future_frames
        return {"label": LABELS[template], "value": value, "labelled_frame": frame + later}

    def note(self, batch: Batch, at: int, template: str, value: str) -> None:
        """Take in a label, and see that it contradicts none before."""
        if not self._given:
            batch.add(at, "rests on a label, and the benchmark was built without a file of labels", rule="labels")
        row = int(batch.target[at])
        track = batch.drive.tracks[row] if TEMPLATES[template].has_target and row != NO_ROW else None
        frame = int(batch.frame[at]) + TEMPLATES[template].future_frames
        identity: str = batch.questions[at].fields["id"]
        said, before = self._told.setdefault((LABELS[template], frame, track), (value, identity))
        if said != value:
            batch.add(at, f"says that {LABELS[template]} is {value!r}, question {before} {said!r}", rule="labels")
