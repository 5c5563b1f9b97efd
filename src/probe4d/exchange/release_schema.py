"""The records of the LiDAR-Hallu release, as its files hold them; fields that are not read are left out."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

__all__ = ["FAMILIES", "IntervalRow", "Prediction", "ReleasedQuestion", "SceneRow"]

FAMILIES = {
    "object_existence": "existence",
    "ego_relative_spatial": "position",
    "motion_action": "motion",
    "distance_depth": "distance",
    "temporal_grounding": "temporal",
}
"""The release's categories, in the order of reports, and our families."""


class SceneRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `scenes.csv` (`keyframes`), or an object of B4DL's `scene_metadata.json` (`num_frames`)."""

    scene_id: str
    scene_token: str | None = None
    keyframes: int | None = None
    num_frames: int | None = None


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `{category}_predictions.csv` or `.jsonl`, without the columns of the older scoring."""

    index: Annotated[int, msgspec.Meta(ge=0)]
    category: str
    question_type: str
    scene_id: str
    question: str
    reference_answer: str
    frame: int | None = None
    start_frame: int | None = None
    end_frame: int | None = None
    object_class: str | None = None
    correct_answer: str | None = None
    correct_option: str | None = None
    options: dict[str, str] | str | None = None
    prompt: str | None = None
    prediction: str = ""
    error: str | None = None
    mitigation: str | None = None
    contrastive_alpha: float | None = None
    shuffle_seed: int | None = None
    shuffle_permutation: str | list[int] | None = None

    @property
    def permutation(self) -> list[int]:
        """The recorded order of frames; -1 for what is no frame number."""
        if isinstance(self.shuffle_permutation, list):
            return self.shuffle_permutation
        return [int(cell) if cell.isdecimal() else -1 for cell in (self.shuffle_permutation or "").split()]


class ReleasedQuestion(msgspec.Struct, frozen=True, kw_only=True):
    """An object of a question file `{category}.json`."""

    category: str
    question_type: str
    scene_id: str
    question: str
    answer: str
    scene_token: str | None = None
    sample_token: str | None = None
    frame: int | None = None
    start_frame: int | None = None
    end_frame: int | None = None
    object_class: str | None = None
    position: str | None = None
    correct_position: str | None = None
    action: str | None = None
    distance_delta: float | None = None
    lateral_delta: float | None = None
    distance_meters: float | None = None
    options: dict[str, str] | None = None
    correct_option: str | None = None
    correct_answer: str | None = None
    gt_interval: tuple[int, int] | None = None
    source_index: int | None = None
    prompt: str | None = None
    metatoken: dict[str, Any] | None = None


class IntervalRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row of `temporal_grounding_intervals.csv`: candidate intervals as `start-end`, without the event's text."""

    index: Annotated[int, msgspec.Meta(ge=0)]
    scene_id: str
    A: str
    B: str
    C: str
    D: str
    correct_option: str
    prediction: str = ""
    error: str | None = None
