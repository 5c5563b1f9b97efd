"""What a template is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S

__all__ = ["CODES", "FAMILIES", "Need", "Template", "Verdict", "moment_words"]

Need = Literal[
    "boxes",
    "visibility",
    "future",
    "weather",
    "time_of_day",
    "road_type",
    "lane",
    "estimated box",
    "estimated objects",
    "ego states",
    "ratings",
    "cluster",
]
"""What an answer rests on; weather to lane come from a file of labels, since no box tells them. The last five are of
Waymo's end-to-end data; a target's box, which its question holds, is told from all other estimates."""

Verdict = Literal["retained", "removed", "ours"]

CODES: dict[str, str] = {
    "SC": "scene-context",
    "SP": "spatial-perception",
    "SU": "spatial-understanding",
    "TM": "temporal-memory",
    "TE": "temporal-extrapolation",
    "TRJ": "trajectory",
}
"""Families by the letters that the paper's template numbers begin with."""

FAMILIES: tuple[str, ...] = tuple(CODES.values())


@dataclass(frozen=True, kw_only=True)
class Template:
    """A template.

    Attributes:
        id: The paper's number, such as `SP-3`.
        relation: What it asks about, in words.
        measure: How its answer is measured; empty where it is composed of the answers of others.
        format: Form of the answer.
        question: Its wording; `{target}` stands for the words for the object in the red box, `{trajectory}` for a
            list of positions, `{moment}` for the query frame where that is not the last one shown.
        options: Texts of the options in their natural order; empty where they are made for each question.
        option_count: How many options a choice question has; 0 for other forms.
        statement: The answer as a sentence of a reference, with `{answer}` and perhaps `{target}`; empty where it
            is part of none.
        needs: Annotations that it rests on.
        has_target: Whether it asks about an object, which is shown in a red box.
        future_frames: Key frames after the query frame that its answer is measured in.
        shows_scene: Whether it shows its scene from the first key frame on, and to the last one if its answer is
            measured in later ones.
        asks_for_past: Whether where the ego vehicle was is its answer, so that it is never told.
        parts: Templates whose answers an open reference is composed of.
        wording: Whether the paper prints the wording, prints it and we add a sentence, or it is ours.
        verdict: What the paper's reviewers decided on nuScenes (App. A.6); on Waymo whether the paper names it
            there, or it is ours to fill up the number that the paper counts.
        removed_because: Why they removed it, as the paper says; empty where it was retained.
    """

    id: str
    relation: str
    measure: str = ""
    format: Literal["choice", "text", "waypoints"] = "choice"
    question: str
    options: tuple[str, ...] = ()
    option_count: int = 0
    statement: str = ""
    needs: tuple[Need, ...] = ("boxes",)
    has_target: bool = False
    future_frames: int = 0
    shows_scene: bool = False
    asks_for_past: bool = False
    parts: tuple[str, ...] = ()
    wording: Literal["paper", "paper, extended", "ours"] = "ours"
    verdict: Verdict = "retained"
    removed_because: str = ""

    @property
    def family(self) -> str:
        """The family that its number names."""
        return CODES[self.id.split("-")[0]]

    @property
    def may_tell_past(self) -> bool:
        """Whether its questions can say where the ego vehicle was and how fast it is."""
        return self.family == CODES["TRJ"] and not self.asks_for_past

    @property
    def is_estimated(self) -> bool:
        """Whether its answers rest on estimates: on objects that were detected and not annotated."""
        return bool({"estimated box", "estimated objects"} & {*self.needs})


def moment_words(frame: int) -> str:
    """The query frame in words, numbered as pictures are, for a template that shows its whole scene."""
    return f"frame {frame:03d}, {frame * FRAME_SPACING_S:g} s after the first"
