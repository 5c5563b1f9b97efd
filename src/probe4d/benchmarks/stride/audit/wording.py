"""Checks how questions are worded, and what they tell of the ego vehicle's past."""

from __future__ import annotations

import re

import numpy as np

from probe4d.benchmarks.stride.audit.batch import Batch
from probe4d.benchmarks.stride.audit.measuring import Array, Rows
from probe4d.benchmarks.stride.audit.waypoints import COURSE_DECIMALS, is_as_derived
from probe4d.benchmarks.stride.templates import moment_words
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S, PAST_POSITIONS

__all__ = ["check_wording", "trajectory_in"]

_TRAJECTORY = "{trajectory}"

_AT = r"(-?\d+\.\d)"
_AGO = [
    f"{re.escape(f'{FRAME_SPACING_S * back:g}')} s ago at \\[{_AT}, {_AT}\\]" for back in range(PAST_POSITIONS, 0, -1)
]
_HISTORY = re.compile(
    r"In the frame of the ego vehicle at the last picture \(x ahead, y to the left, metres\) the ego vehicle was "
    rf"{', '.join(_AGO[:-1])} and {_AGO[-1]}\. Its speed is {_AT} m/s\."
)


def check_wording(batch: Batch, *, with_history: bool) -> None:
    """Check the text of questions.

    Args:
        batch: The questions.
        with_history: Whether the build tells trajectory questions of the past.
    """
    told = with_history and batch.template.may_tell_past
    histories = _numbers_of_the_past(batch) if told else None
    for at, question in enumerate(batch.questions):
        text: str = question.fields["question"]
        if histories is not None:
            motion = question.facts.get("ego_motion")
            history = motion.get("text") if isinstance(motion, dict) else None
            _check_history(batch, at, history, histories[at])
            past = f"{history} "
            if not text.startswith(past):
                batch.add(at, "does not begin with what facts.ego_motion tells of the past", rule="wording")
            text = text.removeprefix(past)
        elif "ego_motion" in question.facts:
            batch.add(at, "facts.ego_motion: tells of the past, which the question does not", rule="ego-motion")
        if not _is_worded(batch, at, text):
            batch.add(at, f"{text!r} is not how {batch.template.id} is worded", rule="wording")


def trajectory_in(batch: Batch, at: int) -> str:
    """The trajectory that a question speaks of, as its text has it; empty where it has none."""
    before, _, after = batch.template.question.partition(_TRAJECTORY)
    text: str = batch.questions[at].fields["question"]
    start = text.find(before)
    return text[start + len(before) : len(text) - len(after)] if start >= 0 and text.endswith(after) else ""


def _is_worded(batch: Batch, at: int, text: str) -> bool:
    wanted = batch.template.question.replace("{target}", batch.called(at) or "")
    wanted = wanted.replace("{moment}", moment_words(int(batch.frame[at])))
    return text == wanted.replace(_TRAJECTORY, trajectory_in(batch, at))


def _numbers_of_the_past(batch: Batch) -> Array:
    """Past positions in the ego frame of the query frame, the oldest first, and the speed, shape (n, 9)."""
    drive, frame = batch.drive, batch.frame
    steps: Rows = np.arange(-PAST_POSITIONS, 0)
    places = drive.in_ego_frame(frame, drive.ego_places(frame, steps)).reshape(len(frame), -1)
    return np.hstack([places, drive.ego_speed[frame][:, None]])


def _check_history(batch: Batch, at: int, history: object, derived: Array) -> None:
    told = _HISTORY.fullmatch(history) if isinstance(history, str) else None
    numbers = None if told is None else np.array([float(number) for number in told.groups()])
    if not is_as_derived(numbers, derived, COURSE_DECIMALS):
        shown = np.round(derived, COURSE_DECIMALS).tolist()
        batch.add(at, f"facts.ego_motion: stored {history!r}, derived the numbers {shown}", rule="ego-motion")
