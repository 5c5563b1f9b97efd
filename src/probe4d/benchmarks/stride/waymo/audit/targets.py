"""Checks the target of a question of Waymo's data: its words, its red box, and that its place is where that stands.

Objects are no part of the dataset. What is told of a target has to agree with itself and with the camera; that
something was found there is believed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from probe4d.benchmarks.auditing.comparing import TOLERANCE, differences
from probe4d.benchmarks.stride.audit.form import Fault
from probe4d.benchmarks.stride.templates import Template
from probe4d.benchmarks.stride.waymo.audit.drives import EndToEndDrive
from probe4d.benchmarks.stride.waymo.thresholds import LEAST_TARGET_PART, MOST_ESTIMATED_RANGE_M

__all__ = ["BOX_TOLERANCE_M", "called", "target_faults"]

BOX_TOLERANCE_M = 5e-3
"""The bounds of a box are rounded to a millionth of the image, which at 40 m are a few millimetres of ground."""

_CALLED = re.compile(r"the (\S.*) in the red box")
_KEPT_TAIL = 8
"""Characters of a track that tell an entity from another of the same words."""
_SIDES = 4

Row = dict[str, Any]


def called(facts: Row) -> str | None:
    """What a question calls its target, as its facts have it; null without one."""
    pointed = _pointed(facts)
    label = None if pointed is None else pointed.get("label")
    return label if isinstance(label, str) else None


def target_faults(
    row: Row, facts: Row, template: Template, drive: EndToEndDrive, channel: str | None
) -> Iterator[Fault]:
    """Check the target of a question, or that it has none.

    Args:
        row: The question, a value for each column.
        facts: Its facts.
        template: Its template.
        drive: The scene.
        channel: The camera in whose images objects were found, as the record says.
    """
    expected: Row = {"lidar_points": None, "entities": [], "context": template.id}
    if template.has_target:
        unusable = _unusable(facts)
        if unusable is not None:
            yield Fault(unusable, "target", settles=True)
            return
        pointed, (query,) = facts["objects"][0], row["frames"]
        words = _CALLED.fullmatch(pointed["label"])
        if words is None:
            yield Fault(f"facts.objects[0].label: stored {pointed['label']!r}, which names no red box", "target", True)
            return
        expected["context"] = f"{template.id}|{words[1]}"
        # Whether others of the clip have the same words is not known here.
        tail = f" ({pointed['track'][-_KEPT_TAIL:]})"
        entity = pointed["label"] + (tail if row["entities"] == [pointed["label"] + tail] else "")
        expected["entities"] = [entity]
        for what in (*_placed(facts, query, drive, channel), *_bounded(facts["target"]["bounds"])):
            yield Fault(what, "target")
    else:
        for name in ("objects", "target"):
            if name in facts:
                yield Fault(f"facts.{name}: tells of a target, and {template.id} has none", "target")
    for name, value in expected.items():
        for what in differences(name, row[name], value):
            yield Fault(what, "target")


def _pointed(facts: Row) -> Row | None:
    objects = facts.get("objects")
    only = objects[0] if isinstance(objects, list) and len(objects) == 1 else None
    return only if isinstance(only, dict) else None


def _unusable(facts: Row) -> str | None:
    """What keeps a target from being measured."""
    pointed, target = _pointed(facts), facts.get("target")
    if pointed is None or not all(isinstance(pointed.get(name), str) for name in ("label", "track")):
        return f"facts.objects: stored {facts.get('objects')!r}, which is not one object with its words and track"
    bounds = target.get("bounds") if isinstance(target, dict) else None
    if not isinstance(bounds, list) or len(bounds) != _SIDES or not all(_is_number(bound) for bound in bounds):
        return f"facts.target: stored {target!r}, which is no red box"
    return None


def _placed(facts: Row, query: int, drive: EndToEndDrive, channel: str | None) -> Iterator[str]:
    """See that the target is where the lower edge of its red box meets the ground, and near enough."""
    pointed, target = facts["objects"][0], facts["target"]
    yield from differences("facts.target", {**target, "bounds": None}, _box(query, channel))
    place = None if channel is None else drive.on_ground(query, channel, target["bounds"])
    if place is None:
        yield f"facts.target: the key frame has no camera {channel!r}"
        return
    whole = {
        "label": pointed["label"],
        "frame": query,
        "box": None,
        "track": pointed["track"],
        "x": place.real,
        "y": place.imag,
        "distance_m": abs(place),
        "lidar_points": None,
    }
    yield from differences("facts.objects[0]", pointed, whole, tolerance=BOX_TOLERANCE_M)
    x, y, distance_m = (pointed.get(name) for name in ("x", "y", "distance_m"))
    if _is_number(x) and _is_number(y):
        yield from differences("facts.objects[0].distance_m", distance_m, math.hypot(x, y), tolerance=2 * TOLERANCE)
    if abs(place) > MOST_ESTIMATED_RANGE_M + BOX_TOLERANCE_M or place.real <= 0:
        yield f"the target is {abs(place):.1f} m away, and at most {MOST_ESTIMATED_RANGE_M:g} m ahead may it be"


def _box(query: int, channel: str | None) -> Row:
    """What a red box is besides its bounds."""
    return {"frame": query, "channel": channel, "bounds": None}


def _bounded(bounds: list[float]) -> Iterator[str]:
    """See that a red box lies within its image, and is high enough."""
    left, top, right, bottom = bounds
    if not (0 <= left < right <= 1 and 0 <= top < bottom <= 1):
        yield f"facts.target.bounds: stored {bounds}, which is no box within its image"
    elif bottom - top < LEAST_TARGET_PART - 2 * TOLERANCE:
        yield f"facts.target.bounds: stored {bounds}, which is too low to be a target"


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
