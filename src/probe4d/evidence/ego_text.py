"""The ego vehicle's motion in words, as a LiDAR language model is trained with it and asked with it.

Two texts: `question` is that of LiDAR-Hallu's B4DL-Ego (`probe4d.evidence.ego_motion`), `paper` that of the B4DL
paper (section 4.1, appendix C). Both name frames that the question names or, where it names none, the ends of what
is shown; neither has ever seen an answer. (Appendix C takes the frames "referenced in the QA pair"; of a question
that asks when something happens, those would be its answer.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import polars as pl

from probe4d.errors import InputError
from probe4d.evidence.ego_motion import (
    SIDE_RATIO,
    STILL_M,
    ego_motion,
    frames_named,
    nearest_frame,
    scene_phrases,
    scene_poses,
    steps_of,
)

__all__ = ["EgoTexts"]

SLIGHTLY_M = 2.0
FLAT_SLOPE = 0.03
START = "The ego vehicle is at the start of the sequence, with no previous frame to compare with."


class EgoTexts:
    """Words the ego motion of scenes.

    The paper prints neither thresholds nor the rounding of its text; those here are Probe4D's own: a step is "slight"
    below 2 m, the ground flat below a slope of 3 %, and numbers are rounded to whole ones.

    Args:
        keyframes: Columns of `KEYFRAMES_SCHEMA`.
        kind: `question` or `paper`.
    """

    def __init__(self, keyframes: pl.DataFrame, kind: Literal["question", "paper"]) -> None:
        self._kind = kind
        if kind == "question":
            self._phrases: Mapping[str, Mapping[int, str | None]] = scene_phrases(keyframes)
        else:
            self._phrases = {scene: _paper_phrases(poses) for scene, poses in scene_poses(keyframes).items()}

    def of(self, scene: str, question: str, frames: Sequence[int] | None = None) -> str:
        """The text that goes with a question.

        Args:
            scene: Name of its scene.
            question: Its whole text, with options and directive.
            frames: Key frames that are shown with it; null shows the whole scene. The text `question` always takes
                the whole scene, as the release does.

        Raises:
            InputError: There is no such scene, or no such frame in it.
        """
        phrases = self._phrases.get(scene)
        if phrases is None:
            raise InputError(
                f"there is no scene {scene!r} whose ego motion could be told.",
                remedy="Give the dataset that the scenes of the rows come from (scenes=, --data DATAROOT).",
            )
        if self._kind == "question":
            return ego_motion(question, phrases).text
        shown = list(phrases) if frames is None else sorted(frames)
        if unknown := [frame for frame in shown if frame not in phrases]:
            raise InputError(f"the scene {scene!r} has {len(phrases)} key frames, and none is {unknown[0]}.")
        first, last = _ends(question, shown)
        told = [phrases[frame] or START for frame in (first, last)]
        if first == last:
            return f"The metadata of the frame is '{told[0]}'"
        return f"The metadata of the first frame is '{told[0]}' and the metadata of the last frame is '{told[1]}'"


def _ends(question: str, shown: Sequence[int]) -> tuple[int, int]:
    """First and last frame that a question names, among those shown; where it names none, all that are shown."""
    named = frames_named(question)
    if named is None:
        return shown[0], shown[-1]
    first, last = named if isinstance(named, tuple) else (named, named)
    return nearest_frame(first, shown), nearest_frame(last, shown)


def _paper_phrases(poses: pl.DataFrame) -> dict[int, str | None]:
    """The step to each key frame of a scene in the style of the paper's figure 6; null for the first."""
    frames = poses["frame"].to_list()
    if len(frames) < 2:
        return dict.fromkeys(frames)
    steps = steps_of(poses)
    rise_m = poses["pose_z"].diff().drop_nulls().to_list()
    words = [
        _paper_phrase(*step, rise_m=rise)
        for rise, *step in zip(rise_m, *(terms.tolist() for terms in steps), strict=True)
    ]
    return dict(zip(frames, [None, *words], strict=True))


def _paper_phrase(
    forward_m: float,
    left_m: float,
    displacement_m: float,
    speed_mps: float,
    turn_deg: float,
    acceleration_mps2: float,
    *,
    rise_m: float,
) -> str:
    return (
        f"The ego vehicle is {_place(forward_m, left_m, displacement_m)} {_ground(rise_m, displacement_m)}, "
        f"moving at about {speed_mps:.0f} meters per second, {_turn(turn_deg)}, "
        f"with an acceleration of about {round(acceleration_mps2)} meters per second squared."
    )


def _place(forward_m: float, left_m: float, displacement_m: float) -> str:
    """Where the ego vehicle is as seen from the previous frame."""
    if displacement_m < STILL_M:
        return "at the same place"
    along = "ahead" if forward_m >= 0 else "behind"
    across = "to the left" if left_m >= 0 else "to the right"
    sides = [along] if abs(forward_m) >= SIDE_RATIO * abs(left_m) else []
    sides += [across] if abs(left_m) >= SIDE_RATIO * abs(forward_m) else []
    return f"{'slightly ' if displacement_m < SLIGHTLY_M else ''}{' and '.join(sides)}"


def _ground(rise_m: float, displacement_m: float) -> str:
    if abs(rise_m) <= FLAT_SLOPE * max(displacement_m, STILL_M):
        return "on flat ground"
    return "uphill" if rise_m > 0 else "downhill"


def _turn(turn_deg: float) -> str:
    if round(turn_deg) == 0:
        return "keeping its heading"
    return f"performing a {'left' if turn_deg > 0 else 'right'} turn by about {abs(turn_deg):.0f} degrees"
