"""Derives what happens first in front of the ego vehicle after a query frame: TE-5."""

from __future__ import annotations

import numpy as np

from probe4d.benchmarks.stride.audit.counts import is_road_user
from probe4d.benchmarks.stride.audit.derived import Derived
from probe4d.benchmarks.stride.audit.later import Later, tracks_later
from probe4d.benchmarks.stride.audit.measuring import Array, Drive, Flags, Rows
from probe4d.benchmarks.stride.audit.zones import ahead, on_the_left, on_the_right, separations
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    DIRECTION_DEG,
    FREE_AHEAD_M,
    PATH_AHEAD_M,
    SPEED_CHANGE_MPS,
    STILL_MPS,
)

__all__ = ["next_event"]


def next_event(drive: Drive, frame: Rows, _target: Rows) -> Derived:
    """TE-5: of the events of the first key frame that has one, the first in the order of the options."""
    *events, nothing = TEMPLATES["TE-5"].options
    strips = [strip(-FREE_AHEAD_M, FREE_AHEAD_M) for strip in (on_the_left, on_the_right)]
    beside = np.min([separations(strip, drive.outlines) for strip in strips], axis=0) <= 0
    taking_part, speeds = is_road_user(drive), np.hypot(*drive.velocity.T)
    answers: list[str | None] = []
    steps: list[int | None] = []
    deciding: list[int | None] = []
    for at in frame.tolist():
        later = tracks_later(drive, at)
        happens = _happens(drive, later, speeds, beside, taking_part)
        # Tracks are in the order of their tokens, which decides between two of one kind at one step.
        order = [(step, event, track) for event, track, step in np.argwhere(happens).tolist()]
        step, event, track = min(order, default=(None, None, None))
        answers.append(nothing if event is None else events[event])
        steps.append(None if step is None else step + 1)
        deciding.append(None if track is None or step is None else int(later.rows[track, step + 1]))
    facts = {
        "step": steps,
        "words": [None if row is None else drive.words[row] for row in deciding],
        "decided_by": [None if row is None else drive.tracks[row] for row in deciding],
    }
    return Derived(answers, facts)


def _happens(drive: Drive, later: Later, speeds: Array, beside: Flags, taking_part: Flags) -> Flags:
    """Whether each event happens to each track at each later step, shape (4, T, S - 1)."""
    there = later.there & (later.of_boxes(taking_part) == 1)
    in_way = there & (separations(ahead(PATH_AHEAD_M), later.outlines.reshape(-1, 4)).reshape(there.shape) <= 0)
    now, before = there[:, 1:], there[:, :-1]
    course = np.abs(np.angle(later.centres[:, 1:] - later.centres[:, :-1], deg=True))
    across = (course > DIRECTION_DEG) & (course < 180 - DIRECTION_DEG)
    speed = later.of_boxes(speeds)
    moves, stands = speed[:, 1:] >= STILL_MPS, speed[:, 1:] < STILL_MPS
    comes_in = now & before & in_way[:, 1:] & ~in_way[:, :-1] & moves
    at_first = there[:, :1]
    slower = speed[:, :1] - speed[:, 1:] > SPEED_CHANGE_MPS
    along = later.of_boxes(drive.ego[:, 0])
    falls_behind = now & before & (along[:, :-1] > 0) & (along[:, 1:] < 0)
    return np.array(
        [
            comes_in & across,
            now & in_way[:, :1] & slower,
            comes_in & ~across & at_first & ~in_way[:, :1],
            falls_behind & stands & (later.of_boxes(beside)[:, 1:] == 1),
        ]
    )
