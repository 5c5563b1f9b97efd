"""Laser labels: boxes with their tracks and types."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import numpy as np

from probe4d.scenes.geometry import SE3
from probe4d.scenes.waymo.frames import CATEGORIES, LaserLabel
from probe4d.scenes.waymo_format.values import Unfit, known

__all__ = ["read_labels"]

_NUMBERS = ("center_x", "center_y", "center_z", "length", "width", "height", "heading")


def read_labels(messages: Iterable[Any]) -> tuple[LaserLabel, ...]:
    """Labels of a frame, sorted by track.

    Raises:
        Unfit: A label has no id, or that of another one, a type that is not known, or no box that can be used.
    """
    labels = sorted(map(_label, messages), key=lambda label: label.track)
    for earlier, later in pairwise(labels):
        if earlier.track == later.track:
            raise Unfit(f"has two laser labels of the object {later.track!r}")
    return tuple(labels)


def _label(message: Any) -> LaserLabel:
    try:
        track = message.id.decode()
    except UnicodeDecodeError as error:
        raise Unfit("has a laser label whose id is no text") from error
    if not track:
        raise Unfit("has a laser label without an id")
    numbers = [getattr(message.box, name) if message.box.HasField(name) else np.nan for name in _NUMBERS]
    if not np.isfinite(numbers).all() or min(numbers[3:6]) <= 0:
        raise Unfit(f"has no box that can be used of the object {track!r}")
    x, y, z, length, width, height, heading = numbers
    cosine, sine = np.cos(heading), np.sin(heading)
    upright = np.array([[cosine, -sine, 0.0], [sine, cosine, 0.0], [0.0, 0.0, 1.0]])
    return LaserLabel(
        track=track,
        category=known(CATEGORIES, message.type, "type"),
        ego_SE3_box=SE3(upright, np.array([x, y, z])),
        size=(length, width, height),
        lidar_points=message.num_lidar_points_in_box if message.HasField("num_lidar_points_in_box") else None,
    )
