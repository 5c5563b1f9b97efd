"""What a run shows its model, as options and `run.json` have it."""

from __future__ import annotations

from typing import Literal, get_args

import msgspec

from probe4d.errors import InputError
from probe4d.evidence.pictures import VIEWS, PictureOptions, View

__all__ = ["EVIDENCE_KINDS", "SPANS", "EvidenceKind", "EvidencePlan", "Span", "evidence_named"]

EvidenceKind = Literal["none", "black", "own", "shuffled", "other-scene"]
EVIDENCE_KINDS: tuple[EvidenceKind, ...] = get_args(EvidenceKind)

Span = Literal["question", "scene"]
SPANS: tuple[Span, ...] = get_args(Span)

_OF_A_VIEW: tuple[EvidenceKind, ...] = ("black", "shuffled", "other-scene")


class EvidencePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown with each question.

    Attributes:
        kind: Nothing (`none`); blank pictures (`black`); the question's own frames (`own`); these in a seeded wrong
            order under labels in the true order (`shuffled`); or the same frames of a seeded other scene
            (`other-scene`).
        view: How frames are shown; null for `none`.
        span: The frames that the question's `evidence` lists, or every key frame of the scene.
        max_frames: More frames are thinned evenly, first and last kept (see `probe4d.runs.frames`).
        seed: Seed of the wrong orders and of the other scenes.
        pictures: Size and quality.

    Raises:
        InputError: A value is none of those that there are, or a view is missing.
    """

    kind: EvidenceKind = "none"
    view: View | None = None
    span: Span = "question"
    max_frames: int = 16
    seed: int = 42
    pictures: PictureOptions = PictureOptions()

    def __post_init__(self) -> None:
        """Refuse a plan that nobody could follow."""
        if self.kind not in EVIDENCE_KINDS:
            raise InputError(f"there is no evidence of kind {self.kind!r}; there are {', '.join(EVIDENCE_KINDS)}.")
        if self.view not in ((None,) if self.kind == "none" else VIEWS):
            known = "takes no view" if self.kind == "none" else f"takes one of the views {', '.join(VIEWS)}"
            raise InputError(f"evidence of kind {self.kind!r} {known}, not {self.view!r}.")
        if self.span not in SPANS:
            raise InputError(f"evidence has no span {self.span!r}; there are {', '.join(SPANS)}.")
        if self.max_frames < 1:
            raise InputError(f"the most frames shown must be at least 1, not {self.max_frames}.")

    @property
    def name(self) -> str:
        """What `evidence_named` makes this kind and view of: `none`, `cameras`, `shuffled:birds-eye`."""
        if self.view is None:
            return self.kind
        return self.view if self.is_own else f"{self.kind}:{self.view}"

    @property
    def is_own(self) -> bool:
        """Whether the question's own frames are shown, as they are."""
        return self.kind == "own"

    @property
    def is_drawn(self) -> bool:
        """Whether what is shown depends on the seed."""
        return self.kind in ("shuffled", "other-scene")

    @property
    def of_effect(self) -> EvidencePlan:
        """The same without what changes nothing: all where nothing is shown, a seed by which nothing is drawn."""
        if self.kind == "none":
            return EvidencePlan()
        return self if self.is_drawn else msgspec.structs.replace(self, seed=EvidencePlan().seed)


def evidence_named(
    text: str,
    *,
    span: Span = "question",
    max_frames: int = 16,
    seed: int = 42,
    pictures: PictureOptions | None = None,
) -> EvidencePlan:
    """Read the name of evidence as the command line has it.

    Args:
        text: `none`; `cameras` or `birds-eye`, the question's own frames in that view; or `black`, `shuffled` or
            `other-scene`, with a view after a colon where it is not `cameras`, as in `shuffled:birds-eye`.
        span: See `EvidencePlan`, as for what follows.
        max_frames: Most frames shown.
        seed: Seed of the wrong orders and of the other scenes.
        pictures: Size and quality; null for the usual ones.

    Raises:
        InputError: There is no such evidence, or an option has a value that it cannot have.
    """
    plans: dict[str, tuple[EvidenceKind, View | None]] = {"none": ("none", None)}
    plans |= {view: ("own", view) for view in VIEWS}
    for kind in _OF_A_VIEW:
        plans |= {kind: (kind, VIEWS[0])} | {f"{kind}:{view}": (kind, view) for view in VIEWS}
    if text not in plans:
        known = ", ".join(["none", *VIEWS, *(f"{kind}[:VIEW]" for kind in _OF_A_VIEW)])
        raise InputError(f"there is no evidence {text!r}; there is {known}, where VIEW is {' or '.join(VIEWS)}.")
    kind, view = plans[text]
    return EvidencePlan(
        kind=kind,
        view=view,
        span=span,
        max_frames=max_frames,
        seed=seed,
        pictures=pictures or PictureOptions(),
    )
