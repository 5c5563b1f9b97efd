"""Checks how questions are worded, and what they tell of the ego vehicle's past."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from probe4d.benchmarks.stride.audit.batch import Batch
from probe4d.benchmarks.stride.audit.form import Fault
from probe4d.benchmarks.stride.audit.measuring import Array, Rows
from probe4d.benchmarks.stride.audit.waypoints import COURSE_DECIMALS, is_as_derived
from probe4d.benchmarks.stride.templates import Template, moment_words
from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S, PAST_POSITIONS

__all__ = ["check_wording", "trajectory_in", "wording_faults"]

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
        past = None if histories is None else histories[at]
        for fault in wording_faults(
            batch.template, question.fields, question.facts, called=batch.called(at), past=past
        ):
            batch.add(at, fault.what, rule=fault.rule)


def wording_faults(
    template: Template, row: Mapping[str, Any], facts: Mapping[str, Any], *, called: str | None, past: Array | None
) -> Iterator[Fault]:
    """Check the text of a question.

    Args:
        template: Its template.
        row: The question, a value for each column.
        facts: Its facts.
        called: What it calls its target; null without one.
        past: Past positions in the ego frame of the query frame, the oldest first, and the speed, metres and m/s,
            shape (9,); null where it is not told of them.
    """
    text: str = row["question"]
    if past is not None:
        motion = facts.get("ego_motion")
        history = motion.get("text") if isinstance(motion, dict) else None
        if not _tells(history, past):
            shown = np.round(past, COURSE_DECIMALS).tolist()
            yield Fault(f"facts.ego_motion: stored {history!r}, derived the numbers {shown}", "ego-motion")
        if not text.startswith(f"{history} "):
            yield Fault("does not begin with what facts.ego_motion tells of the past", "wording")
        text = text.removeprefix(f"{history} ")
    elif "ego_motion" in facts:
        yield Fault("facts.ego_motion: tells of the past, which the question does not", "ego-motion")
    wanted = template.question.replace("{target}", called or "").replace("{moment}", moment_words(row["frames"][0]))
    if text != wanted.replace(_TRAJECTORY, trajectory_in(template, text)):
        yield Fault(f"{text!r} is not how {template.id} is worded", "wording")


def trajectory_in(template: Template, text: str) -> str:
    """The trajectory that a question speaks of, as its text has it; empty where it has none."""
    before, _, after = template.question.partition(_TRAJECTORY)
    start = text.find(before)
    return text[start + len(before) : len(text) - len(after)] if start >= 0 and text.endswith(after) else ""


def _numbers_of_the_past(batch: Batch) -> Array:
    """Past positions in the ego frame of the query frame, the oldest first, and the speed, shape (n, 9)."""
    drive, frame = batch.drive, batch.frame
    steps: Rows = np.arange(-PAST_POSITIONS, 0)
    places = drive.in_ego_frame(frame, drive.ego_places(frame, steps)).reshape(len(frame), -1)
    return np.hstack([places, drive.ego_speed[frame][:, None]])


def _tells(history: object, past: Array) -> bool:
    told = _HISTORY.fullmatch(history) if isinstance(history, str) else None
    numbers = None if told is None else np.array([float(number) for number in told.groups()])
    return is_as_derived(numbers, past, COURSE_DECIMALS)
