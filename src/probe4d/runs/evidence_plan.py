"""What a run shows its model, as options and `run.json` have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import msgspec

from probe4d.errors import InputError
from probe4d.evidence.pictures import VIEWS, PictureOptions, View
from probe4d.wording import listed

__all__ = [
    "EVIDENCE_KINDS",
    "SPANS",
    "EvidenceKind",
    "EvidencePlan",
    "EvidenceView",
    "Span",
    "evidence_named",
    "true_evidence_named",
]

EvidenceKind = Literal["none", "black", "own", "shuffled", "other-scene"]
EVIDENCE_KINDS: tuple[EvidenceKind, ...] = get_args(EvidenceKind)

EvidenceView = View | Literal["lidar"]
_VIEWS: tuple[EvidenceView, ...] = (*VIEWS, "lidar")

Span = Literal["question", "scene"]
SPANS: tuple[Span, ...] = get_args(Span)

_KINDS_OF_A_VIEW: tuple[tuple[EvidenceKind, tuple[EvidenceView, ...]], ...] = (
    ("black", VIEWS),  # rows of features have no black
    ("shuffled", _VIEWS),
    ("other-scene", _VIEWS),
)
_MOST_PICTURES = 16
_MOST_ROWS = 1_000
"""Frames shown as rows of features: a row costs what a word does, and a scene of nuScenes has 41 at most."""


class EvidencePlan(msgspec.Struct, frozen=True, kw_only=True):
    """What is shown with each question.

    Attributes:
        kind: Nothing (`none`); blank pictures (`black`); the question's own frames (`own`); these in a seeded wrong
            order under labels in the true order (`shuffled`); or the same frames of a seeded other scene
            (`other-scene`).
        view: How frames are shown: as pictures, or as the feature rows of a LiDAR language model (`lidar`); null for
            `none`.
        span: The frames that the question's `evidence` lists, or every key frame of the scene.
        max_frames: More frames are thinned evenly, first and last kept (see `probe4d.runs.frames`).
        seed: Seed of the wrong orders and of the other scenes.
        pictures: Size and quality.

    Raises:
        InputError: A value is none of those that there are, or a view is missing.
    """

    kind: EvidenceKind = "none"
    view: EvidenceView | None = None
    span: Span = "question"
    max_frames: int = _MOST_PICTURES
    seed: int = 42
    pictures: PictureOptions = PictureOptions()

    def __post_init__(self) -> None:
        """Refuse a plan that nobody could follow."""
        if self.kind not in EVIDENCE_KINDS:
            raise InputError(f"there is no evidence of kind {self.kind!r}; there are {', '.join(EVIDENCE_KINDS)}.")
        views = dict(_KINDS_OF_A_VIEW).get(self.kind, _VIEWS)
        if self.view not in ((None,) if self.kind == "none" else views):
            known = "takes no view" if self.kind == "none" else f"takes one of the views {', '.join(views)}"
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
    usual_view: EvidenceView = "cameras",
    span: Span | None = None,
    max_frames: int | None = None,
    seed: int = 42,
    pictures: PictureOptions | None = None,
) -> EvidencePlan:
    """Read the name of evidence as the command line has it.

    Args:
        text: `none`; `cameras`, `birds-eye`, `one-camera` or `lidar`, the question's own frames in that view; or
            `black`, `shuffled` or `other-scene`, with a view after a colon where it is not the usual one, as in
            `shuffled:birds-eye`.
        usual_view: View of `black`, `shuffled` and `other-scene` without one.
        span: See `EvidencePlan`, as for what follows; null takes the whole scene for `lidar`, as LiDAR-Hallu does,
            and the question's frames otherwise.
        max_frames: Most frames shown; null takes 16 pictures, or all feature rows.
        seed: Seed of the wrong orders and of the other scenes.
        pictures: Size and quality; null for the usual ones.

    Raises:
        InputError: There is no such evidence, or an option has a value that it cannot have.
    """
    plans: dict[str, tuple[EvidenceKind, EvidenceView | None]] = {"none": ("none", None)}
    plans |= {view: ("own", view) for view in _VIEWS}
    for of_a_view, views in _KINDS_OF_A_VIEW:
        plans |= {of_a_view: (of_a_view, usual_view)} if usual_view in views else {}
        plans |= {f"{of_a_view}:{view}": (of_a_view, view) for view in views}
    if text not in plans and text in dict(_KINDS_OF_A_VIEW):
        named = [f"{text}:{view}" for view in dict(_KINDS_OF_A_VIEW)[text]]
        raise InputError(
            f"there is no {text} evidence in the view {usual_view}.", remedy=f"Give {listed(named, 'or')}."
        )
    if text not in plans:
        known = ", ".join(["none", *_VIEWS, *(f"{of_a_view}[:VIEW]" for of_a_view, _ in _KINDS_OF_A_VIEW)])
        raise InputError(f"there is no evidence {text!r}; there is {known}, where VIEW is {listed(_VIEWS, 'or')}.")
    kind, view = plans[text]
    is_lidar = view == "lidar"
    return EvidencePlan(
        kind=kind,
        view=view,
        span=span or ("scene" if is_lidar else "question"),
        max_frames=max_frames if max_frames is not None else _MOST_ROWS if is_lidar else _MOST_PICTURES,
        seed=seed,
        pictures=pictures or PictureOptions(),
    )


def true_evidence_named(
    text: str, *, viewers: str, others: Sequence[str] = (), max_frames: int | None = None
) -> EvidencePlan:
    """Read the name of evidence that has to be true, or none, and to be looked at.

    Args:
        text: `none`, `cameras`, `birds-eye` or `one-camera`.
        viewers: Who is shown it with their verb, as an error says it.
        others: What else the caller knows by a name of its own.
        max_frames: Most frames shown; null takes 16.

    Raises:
        InputError: There is no such evidence, it is another scene's, shuffled or black, or it is no picture.
    """
    shown = evidence_named(text, max_frames=max_frames)
    if shown.view == "lidar" or shown.kind not in ("own", "none"):
        raise InputError(
            f"{viewers} shown the true pictures or none, not {text}.",
            remedy=f"Give {listed([*others, 'none', *VIEWS], 'or')}.",
        )
    return shown
