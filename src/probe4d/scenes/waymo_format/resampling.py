"""Frames at another rate, chosen by time."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError

__all__ = ["RATE_HZ", "RESAMPLED_SCHEMA", "TOLERANCE_S", "resampled"]

RATE_HZ = 2.0
"""Rate of the frames that questions show: frames 0.5 s apart (STRIDE, Sec. 3)."""

TOLERANCE_S = 0.075
"""Longest time between a step and its frame, seconds.

Three quarters of the time between two frames at 10 Hz: between two neighbours the nearer one is always within
it, however steps and frames drift against each other, and a frame whose place is empty is not replaced by the
one a tenth of a second away.
"""

_LONGEST_S = 3600.0  # sequences last 20 s; a false time must not become millions of steps

RESAMPLED_SCHEMA: dict[str, pl.DataType] = {
    "step": pl.Int32(),  # number of the step, 0 at the anchor, negative before it
    "wanted_us": pl.Int64(),  # time of the step
    "frame": pl.Int32(),  # number of the nearest frame; null where none is within the tolerance
    "timestamp_us": pl.Int64(),  # time of that frame; null where there is none
}


def resampled(
    frames: pl.DataFrame, *, rate_hz: float = RATE_HZ, tolerance_s: float = TOLERANCE_S, anchor: int | None = None
) -> pl.DataFrame:
    """The frame nearest in time to every step of a sequence; of two equally near ones the earlier.

    Args:
        frames: Columns `frame` and `timestamp_us` of one sequence, as `FrameIndex.of_sequence` gives them.
        rate_hz: Steps a second.
        tolerance_s: Longest time between a step and its frame, seconds; less than half the time between steps,
            so that no frame is taken twice.
        anchor: Number of the frame at whose time step 0 is; by default the earliest.

    Returns:
        Columns of `RESAMPLED_SCHEMA`: a row for every step between the first and the last frame, in order of
        time, also where a gap leaves it without a frame.

    Raises:
        InputError: A frame has no time, times are more than an hour apart, there is no such anchor, or rate and
            tolerance do not go together.
    """
    if not (0 < rate_hz < np.inf and 0 <= tolerance_s < 0.5 / rate_hz):
        raise InputError(
            f"{rate_hz:g} frames a second with a tolerance of {tolerance_s:g} s cannot be chosen: the rate has to be "
            "positive, and the tolerance at least 0 and less than half the time between two frames."
        )
    if frames.is_empty():
        return pl.DataFrame(schema=RESAMPLED_SCHEMA)
    ordered = frames.sort("timestamp_us", "frame")
    anchor_us = _anchor_us(ordered, anchor)
    times_us = ordered["timestamp_us"].to_numpy()
    steps, wanted_us = _steps(times_us, anchor_us, 1e6 / rate_hz, 1e6 * tolerance_s)
    nearest = _nearest(times_us, wanted_us)
    is_near = pl.Series(np.abs(times_us[nearest] - wanted_us) <= 1e6 * tolerance_s)
    taken = (pl.when(is_near).then(ordered[name].gather(nearest)).alias(name) for name in ("frame", "timestamp_us"))
    chosen = pl.DataFrame({"step": steps, "wanted_us": wanted_us}).with_columns(taken)
    return chosen.select(pl.col(name).cast(dtype) for name, dtype in RESAMPLED_SCHEMA.items())


def _anchor_us(ordered: pl.DataFrame, anchor: int | None) -> int:
    """Time of step 0, once it is sure that all times are there and can be of one sequence."""
    times_us = ordered["timestamp_us"]
    if timeless := times_us.null_count():
        raise InputError(
            f"frame {ordered['frame'][0]} has no time, as {timeless} of {len(times_us)} frames of its sequence, "
            "so that frames cannot be chosen by time."
        )
    elapsed_s = (times_us[-1] - times_us[0]) / 1e6
    if elapsed_s > _LONGEST_S:
        raise InputError(f"the first and the last frame are {elapsed_s:,.0f} s apart, which is no sequence's length.")
    own = ordered if anchor is None else ordered.filter(pl.col("frame") == anchor)
    if own.is_empty():
        raise InputError(f"there is no frame {anchor}, from which others were to be chosen by time.")
    return int(own["timestamp_us"][0])


def _steps(
    times_us: NDArray[np.int64], anchor_us: int, period_us: float, tolerance_us: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers and times of all steps that are within the tolerance of the time between first and last frame."""
    first = np.ceil((times_us[0] - anchor_us - tolerance_us) / period_us)
    last = np.floor((times_us[-1] - anchor_us + tolerance_us) / period_us)
    steps = np.arange(first, last + 1)
    return steps.astype(np.int64), anchor_us + np.rint(steps * period_us).astype(np.int64)


def _nearest(times_us: NDArray[np.int64], wanted_us: NDArray[np.int64]) -> NDArray[np.intp]:
    """Row of the time nearest to each wanted one: of two equally near ones the earlier, of equal ones the first."""
    following = np.minimum(np.searchsorted(times_us, wanted_us), len(times_us) - 1)
    before = np.searchsorted(times_us, times_us[np.maximum(following - 1, 0)])
    return np.where(wanted_us - times_us[before] <= np.abs(times_us[following] - wanted_us), before, following)
