"""How answers are judged, said once for judging and for a look without judging."""

from __future__ import annotations

from typing import Any

import msgspec

from probe4d.errors import InputError
from probe4d.models.generation import Generation
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.run import Run

__all__ = ["MOST_FRAMES", "JudgePlan", "evidence_shown_by"]

MOST_FRAMES = 8
"""Frames that a judge is shown at most, as the paper has it of long clips (STRIDE, App. C.4)."""


class JudgePlan(msgspec.Struct, frozen=True, kw_only=True):
    """How answers are judged.

    Attributes:
        rubric: Name of a rubric (see `probe4d.diagnosis.judging.rubrics`).
        evidence: What the judge is shown; null takes what the run showed (see `evidence_shown_by`).
        generation: Generation options; the seed draws the delimiters of the quoted answers, too.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
    """

    rubric: str = "stride"
    evidence: EvidencePlan | None = None
    generation: Generation = Generation(temperature=0.0, seed=42, max_tokens=4096)
    base_url: str | None = None
    arguments: dict[str, Any] = {}


def evidence_shown_by(run: Run, *, max_frames: int = MOST_FRAMES) -> EvidencePlan:
    """The evidence of a run, as its judge is shown it.

    These are the question's own frames in the run's view and size. A run that showed black, shuffled or other scenes'
    pictures is judged by the true ones, for what it should have said is true of these; one that showed nothing is
    judged without pictures. Frames beyond `max_frames` are thinned as runs do it.

    Raises:
        InputError: The run's record does not say what was shown, or it was LiDAR features, which no judge can read.
    """
    shown = run.record.evidence
    other = "Say what the judge is shown (--evidence none, cameras, birds-eye or one-camera)."
    if shown is None:
        raise InputError("does not say what its model was shown.", path=run.path or run.name, remedy=other)
    if shown.kind == "none":
        return EvidencePlan()
    if shown.view == "lidar":
        raise InputError("showed LiDAR features, which no judge can read.", path=run.path or run.name, remedy=other)
    return msgspec.structs.replace(shown, kind="own", max_frames=min(shown.max_frames, max_frames)).of_effect
