"""Velocity of boxes by the nuScenes rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_GAP_S", "box_velocities"]

MAX_GAP_S = 1.5
"""Longest time between a box and its neighbour in the track over which a velocity is defined, seconds."""

_SLAB = 1 << 13


def box_velocities(
    positions: NDArray[np.float64],
    times_us: NDArray[np.int64],
    previous: NDArray[np.int64],
    following: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Velocity of every box from its neighbours in the track, as nuscenes-devkit's `box_velocity` has it.

    The difference between the following and the previous box; where one is missing the box itself takes
    its place. The time between the two may be `MAX_GAP_S`, and twice that where both exist.

    Args:
        positions: Box centres in the global frame, metres, shape (n, 3).
        times_us: Time of each box's key frame, shape (n,).
        previous: Row of the track's previous box, or -1, shape (n,).
        following: Row of the track's following box, or -1, shape (n,).

    Returns:
        Velocities in the global frame, m/s, shape (n, 3); NaN where undefined, never a made-up 0.
    """
    # Seconds as the devkit takes them, rounded before they are subtracted: its figures come out bit for bit.
    times_s = times_us * 1e-6
    velocities = np.full_like(positions, np.nan, dtype=np.float64)
    for start in range(0, len(positions), _SLAB):  # in slabs, so that what lies between stays small
        own = np.arange(start, min(start + _SLAB, len(positions)))
        has_previous, has_following = previous[own] >= 0, following[own] >= 0
        first = np.where(has_previous, previous[own], own)
        last = np.where(has_following, following[own], own)
        elapsed_s = times_s[last] - times_s[first]
        longest_s = np.where(has_previous & has_following, 2 * MAX_GAP_S, MAX_GAP_S)
        defined = (has_previous | has_following) & (elapsed_s > 0) & (elapsed_s <= longest_s)
        moved = positions[last[defined]] - positions[first[defined]]
        velocities[own[defined]] = moved / elapsed_s[defined, np.newaxis]
    return velocities
