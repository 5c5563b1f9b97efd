"""What a run shows its model, as options and `run.json` have it."""

from __future__ import annotations

from typing import Literal

import msgspec

from probe4d.evidence.pictures import PictureOptions, View

__all__ = ["EVIDENCE_KINDS", "EvidenceKind", "EvidencePlan"]

EvidenceKind = Literal["none", "black", "own", "shuffled", "other-scene"]
EVIDENCE_KINDS: tuple[EvidenceKind, ...] = ("none", "black", "own", "shuffled", "other-scene")


class EvidencePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown with each question.

    Attributes:
        kind: Nothing; blank pictures; the question's own frames; these in a seeded wrong order under labels in the
            true order; or the same frames of a seeded other scene.
        view: How frames are shown; null for `none`.
        span: The frames that the question's `evidence` lists, or every key frame of the scene.
        max_frames: More frames are thinned evenly, first and last kept.
        seed: Seed of the wrong orders and of the other scenes.
        pictures: Size and quality.
    """

    kind: EvidenceKind = "none"
    view: View | None = None
    span: Literal["question", "scene"] = "question"
    max_frames: int = 16
    seed: int = 42
    pictures: PictureOptions = PictureOptions()
