"""Whether one box comes to hide another from a camera that moves forward, tried out step by step (App. D)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.gaps import footprint_corners

__all__ = ["STEP_M", "UprightBoxes", "first_hidden_m"]

Array = NDArray[np.float64]

STEP_M = 0.25
_STEPS = 240
"""60 metres."""


class UprightBoxes(NamedTuple):
    """Boxes that stand upright in the ego frame: centre and length, width, height in metres, (n, 3), yaw in radians."""

    centre: Array
    size: Array
    yaw: Array

    def corners(self) -> Array:
        """Shape (n, 8, 3)."""
        around = footprint_corners(self.centre, self.size, self.yaw)
        low = self.centre[:, 2] - self.size[:, 2] / 2
        layers = [
            np.stack([around.real, around.imag, np.broadcast_to(z[:, None], around.shape)], axis=-1)
            for z in (low, low + self.size[:, 2])
        ]
        return np.concatenate(layers, axis=1)


def first_hidden_m(screen: UprightBoxes, target: UprightBoxes, eye: Array, *, slack_m: float) -> Array:
    """How far a camera has moved along x when boxes first hide all corners of others, metres, infinite for never, (n,).

    The camera moves in steps of 0.25 m up to 60 m, as long as it is not past the place where the screen begins.

    Args:
        screen: Boxes that may hide.
        target: Boxes that may be hidden.
        eye: Place of the camera before it moves, shape (n, 3).
        slack_m: By how much the screens are grown on all sides, so that both sides of a close call can be asked for.
    """
    hidden = np.full(len(eye), np.inf)
    begins = screen.corners()[..., 0].min(axis=1)
    corners = _turned(target.corners() - screen.centre[:, None], screen.yaw)
    half = screen.size / 2 + slack_m
    forward = np.array([1.0, 0.0, 0.0])
    for step in range(1, _STEPS + 1):
        moved = step * STEP_M
        trying = np.flatnonzero(np.isinf(hidden) & (moved + eye[:, 0] < begins + slack_m))
        if not trying.size:
            break
        camera = eye[trying] + moved * forward - screen.centre[trying]
        camera = _turned(camera[:, None], screen.yaw[trying])
        meets = _meets(camera, corners[trying], half[trying, None])
        hidden[trying[meets.all(axis=1)]] = moved
    return hidden


def _turned(points: Array, yaw: Array) -> Array:
    """Points, shape (n, k, 3), turned about z by the negative of an angle each."""
    flat = (points[..., 0] + 1j * points[..., 1]) * np.exp(-1j * yaw)[:, None]
    return np.stack([flat.real, flat.imag, points[..., 2]], axis=-1)


def _meets(start: Array, end: Array, half: Array) -> NDArray[np.bool_]:
    """Whether segments meet boxes about the origin, shape (n, k): all three slabs are crossed at one time."""
    along = end - start
    with np.errstate(divide="ignore", invalid="ignore"):
        bounds = np.stack([(-half - start) / along, (half - start) / along])
    enters, leaves = np.fmin(*bounds), np.fmax(*bounds)
    within = (along != 0) | (np.abs(start) <= half)  # a segment along a slab is in it throughout, or never
    enters, leaves = np.where(along == 0, -np.inf, enters), np.where(along == 0, np.inf, leaves)
    first, last = np.maximum(enters.max(axis=-1), 0), np.minimum(leaves.min(axis=-1), 1)
    met: NDArray[np.bool_] = within.all(axis=-1) & (first <= last)
    return met
