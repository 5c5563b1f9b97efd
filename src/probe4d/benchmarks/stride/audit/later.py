"""Objects at the key frames after a query frame, seen in the ego frame of that one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probe4d.benchmarks.auditing.gaps import footprint_corners
from probe4d.benchmarks.stride.audit.measuring import NO_ROW, Array, Drive, Flags, Places, Rows
from probe4d.benchmarks.stride.thresholds import FUTURE_POSITIONS

__all__ = ["Later", "tracks_later"]


class Later(NamedTuple):
    """Tracks at a query frame and the `FUTURE_POSITIONS` after it, T of them at S steps.

    Attributes:
        rows: Rows of their boxes, `NO_ROW` where there is none, shape (T, S).
        there: Where there is one, shape (T, S).
        centres: Places x + iy in the ego frame of the query frame, meaningless where there is none, shape (T, S).
        outlines: Corners of the footprints, likewise, shape (T, S, 4).
    """

    rows: Rows
    there: Flags
    centres: Places
    outlines: Places

    def of_boxes(self, of_box: Array | Flags) -> Array:
        """What boxes have, NaN where there is none, shape (T, S)."""
        found: Array = np.where(self.there, of_box[self.rows], np.nan)
        return found


def tracks_later(drive: Drive, frame: int) -> Later:
    """All tracks of a scene after a query frame with its future."""
    rows = drive.row_at[:, frame : frame + FUTURE_POSITIONS + 1]
    flat = rows.reshape(-1)
    places = drive.in_ego_frame(np.full(len(flat), frame), drive.centre[flat][:, None])[:, 0]
    headings = drive.yaw[flat] + drive.headings[drive.frame[flat]] - drive.headings[frame]
    corners = footprint_corners(places, drive.size[flat], headings)
    return Later(
        rows=rows,
        there=rows != NO_ROW,
        centres=(places @ np.array([1, 1j])).reshape(rows.shape),
        outlines=corners.reshape(*rows.shape, 4),
    )
