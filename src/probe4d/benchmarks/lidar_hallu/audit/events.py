"""Derives when an event takes place, by asking of every key frame by itself whether the condition holds."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Any

from probe4d.benchmarks.lidar_hallu.audit.answers import Derived, Unanswerable, nearest_told, told_boxes
from probe4d.benchmarks.lidar_hallu.audit.measuring import (
    CLASSES,
    SECTOR_CENTRES_DEG,
    MeasuredScene,
    Sight,
    nearest_of,
    sector_of,
)
from probe4d.benchmarks.lidar_hallu.audit.tables import KeyFrame
from probe4d.benchmarks.lidar_hallu.reading import Asked, read_interval
from probe4d.benchmarks.question import Question

__all__ = ["definition_fault", "derive_event", "distractor_faults"]

SPANS = range(5, 20)
FRAMES_OUTSIDE = 3
STILL_MPS = 0.2
_NOISE = 1e-9
_LARGEST_SHARE = 0.2


def derive_event(question: Question, asked: Asked, scene: MeasuredScene) -> Derived:
    """Derive the answer of a temporal question.

    An event from geometry has to happen once in its scene, over an unbroken run of 5 to 19 key-frame steps with
    at least three key frames outside. An event that B4DL tells of cannot be derived: what it says is taken, and
    only its bounds are checked.

    Args:
        question: The question.
        asked: What its text asks; `event` is null for one that B4DL tells of.
        scene: Its scene.

    Raises:
        Unanswerable: The event does not happen so, or an option is no interval of the scene.
    """
    options = _intervals(question)
    if asked.event is None:
        return _told_event(question, options, len(scene.key_frames))
    condition: dict[str, Any] = {"kind": asked.event, "label": asked.label, "detail": asked.detail}
    sights: list[Sight] = []
    if asked.label is None:
        start, end = _one_run(_steps(scene.key_frames, still=asked.event == "ego-still"), first_frame=-1)
    else:
        met = _witnesses(question, asked, scene)
        start, end = _one_run([sight is not None for sight in met], first_frame=0)
        sights = [sight for sight in met[start : end + 1] if sight is not None]
    if end - start not in SPANS:
        raise Unanswerable(f"the event spans {end - start} key-frame steps, not {SPANS[0]} to {SPANS[-1]}")
    if len(scene.key_frames) - (end - start + 1) < FRAMES_OUTSIDE:
        raise Unanswerable(f"fewer than {FRAMES_OUTSIDE} key frames lie outside the event")
    right = (start, end)
    return Derived(
        answer="ABCD"[options.index(right)] if right in options else f"no option, but {start}-{end}",
        rule=f"event:{asked.event}",
        facts={
            "interval": [start, end],
            "event": {name: value for name, value in condition.items() if value is not None},
        },
        sights=sights,
        measured_at=tuple(range(start, end + 1)),
        shown=tuple(range(len(scene.key_frames))),
        needs=("ego_poses",) if asked.label is None else ("boxes", "lidar_points"),
        features=tuple(str(last - first) for first, last in options),
    )


def distractor_faults(question: Question, *, published: bool, told: bool) -> list[str]:
    """Say which wrong options of a temporal question break the limits on overlap and span.

    Wrong intervals that are matched have the spans of events: 5 to 19 key-frame steps of those from geometry, any
    of those that B4DL tells of.

    Args:
        question: The question, its answer taken as stored.
        published: Whether the published rule drew them, which bounds the share of the hull, and the span always.
        told: Whether B4DL tells of the events.
    """
    options = _intervals(question)
    truth = options["ABCD".index(question.answer)]
    faults = []
    for option in options:
        if option == truth:
            continue
        shared = min(option[1], truth[1]) - max(option[0], truth[0]) + 1
        share = max(0, shared) / (option[1] - option[0] + 1)
        hull = max(option[1], truth[1]) - min(option[0], truth[0])
        if share > _LARGEST_SHARE + _NOISE:
            faults.append(
                f"the wrong interval {option[0]}-{option[1]} shares {share:.0%} of its key frames with the truth"
            )
        elif published and max(0, shared - 1) > _LARGEST_SHARE * hull + _NOISE:
            faults.append(
                f"the wrong interval {option[0]}-{option[1]} shares more than a fifth of the hull with the truth"
            )
        if (published or not told) and option[1] - option[0] not in SPANS:
            faults.append(f"the wrong interval {option[0]}-{option[1]} does not span 5 to 19 key-frame steps")
    return faults


def definition_fault(asked: Asked, definition: object) -> str | None:
    """Say what is wrong with the words that define an event from geometry; null if they hold its numbers."""
    numbers: tuple[float, ...] = (STILL_MPS,) if asked.label is None else ()
    if asked.detail in SECTOR_CENTRES_DEG:
        centre = SECTOR_CENTRES_DEG[asked.detail]
        numbers = tuple(math.remainder(centre + half, 360) for half in (-22.5, 22.5))
    words = definition if isinstance(definition, str) else ""
    told = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", words)]
    missing = [f"{number:g}" for number in numbers if number not in told]
    if missing or not words.strip():
        return f"facts.event.definition: stored {definition!r}, which lacks {' and '.join(missing) or 'words'}"
    return None


def _intervals(question: Question) -> list[tuple[int, int]]:
    try:
        options = [read_interval(option) for option in question.options]
    except ValueError as error:
        raise Unanswerable(str(error)) from None
    outside = [option for option in options if question.keyframes is None or option[1] >= question.keyframes]
    if outside:
        raise Unanswerable(
            f"the option {outside[0][0]}-{outside[0][1]} leaves the scene's {question.keyframes} key frames"
        )
    return options


def _told_event(question: Question, options: Sequence[tuple[int, int]], keyframes: int) -> Derived:
    start, end = options["ABCD".index(question.answer)]
    event = question.facts.get("event")
    row = event.get("source_row") if isinstance(event, dict) else None
    if not isinstance(row, int) or row < 0:
        raise Unanswerable("the facts do not name the row of the events file")
    return Derived(
        answer=question.answer,
        rule="event:b4dl",
        facts={"interval": [start, end], "event": {"kind": "b4dl", "source_row": row}},
        sights=(),
        measured_at=tuple(range(start, end + 1)),
        shown=tuple(range(keyframes)),
        needs=("events",),
        features=tuple(str(last - first) for first, last in options),
    )


def _one_run(holds: Sequence[bool], *, first_frame: int) -> tuple[int, int]:
    """First and last key frame of the one run of a condition.

    Args:
        holds: Whether it holds, a key frame each or, for steps, the step to the key frame each.
        first_frame: 0, or -1 for steps, whose run starts at the key frame before the first of them.
    """
    runs = [[frame for frame, _ in run] for met, run in groupby(enumerate(holds), key=lambda pair: pair[1]) if met]
    if len(runs) != 1:
        raise Unanswerable(f"the event happens {len(runs)} times in the scene, not once")
    return runs[0][0] + first_frame, runs[0][-1]


def _steps(key_frames: Sequence[KeyFrame], *, still: bool) -> list[bool]:
    """For each key frame, whether the ego vehicle stood still (or moved) on the step that led there."""
    slow = [False]
    for earlier, later in pairwise(key_frames):
        metres = math.dist(earlier.translation[:2], later.translation[:2])
        slow.append(metres / max((later.timestamp_us - earlier.timestamp_us) / 1_000_000, 1e-6) < STILL_MPS)
    return slow if still else [False, *(not step for step in slow[1:])]


def _witnesses(question: Question, asked: Asked, scene: MeasuredScene) -> list[Sight | None]:
    """For each key frame, the object by which the condition holds; null where it does not."""
    told = told_boxes(question)
    nearest = partial(nearest_told, question)
    label, detail = asked.label or "", asked.detail or ""
    for name in (label, detail) if asked.event == "class-closer" else (label,):
        if name not in CLASSES:
            raise Unanswerable(f"{name!r} is none of the ten classes")
    if asked.event in ("class-in-sector", "nearest-in-sector") and detail not in SECTOR_CENTRES_DEG:
        raise Unanswerable(f"{detail!r} is none of the eight sectors")

    def in_sector(sight: Sight) -> bool:
        return sector_of(sight.bearing_deg, told=detail if (sight.frame, sight.box) in told else None) == detail

    def closest_of_all(frame: int) -> Sight | None:
        mine = nearest(scene.annotated[frame].get(label, ()))
        for rank, other in enumerate(CLASSES):
            rival = nearest_of(scene.annotated[frame].get(other, ()))
            if mine is None or rival is None or other == label:
                continue
            ahead = rival.distance_m - mine.distance_m
            if ahead < -_NOISE or (ahead <= _NOISE and rank < CLASSES.index(label)):
                return None
        return mine

    def closer(frame: int) -> Sight | None:
        mine = nearest(scene.annotated[frame].get(label, ()))
        rival = nearest_of(scene.annotated[frame].get(detail, ()))
        return mine if mine and rival and mine.distance_m < rival.distance_m else None

    def kept(frame: int, keep: Callable[[Sight], bool]) -> Sight | None:
        mine = nearest(scene.annotated[frame].get(label, ()))
        return mine if mine and keep(mine) else None

    conditions: dict[str, Callable[[int], Sight | None]] = {
        "class-present": lambda frame: nearest(scene.annotated[frame].get(label, ())),
        "class-near": lambda frame: kept(frame, lambda sight: sight.distance_m <= float(detail)),
        "class-in-sector": lambda frame: nearest([s for s in scene.annotated[frame].get(label, ()) if in_sector(s)]),
        "nearest-in-sector": lambda frame: kept(frame, in_sector),
        "closest-class": closest_of_all,
        "class-closer": closer,
    }
    return [conditions[asked.event or ""](frame) for frame in range(len(scene.key_frames))]
