"""Times of a sequence's frames: as recorded, or from their numbers where the records have none."""

from __future__ import annotations

import polars as pl

__all__ = ["FRAME_HZ", "ORIGIN_US", "timed"]

FRAME_HZ = 10.0
"""Rate of the frames of a sequence (WOD-E2E: 10 Hz camera video), by whose numbers they are told apart."""

ORIGIN_US = 946_684_800_000_000
"""Time of a sequence's frame 0 where no time was recorded: the start of the year 2000, which no recording has."""


def timed(frames: pl.DataFrame) -> tuple[pl.DataFrame, bool]:
    """Frames of a sequence with times.

    In the released records every field of a time is there and zero. Zero is therefore read as not recorded.

    Args:
        frames: Columns `frame` and `timestamp_us` of one sequence, as `FrameIndex.of_sequence` gives them.

    Returns:
        The frames with `timestamp_us`, null where others of the sequence have a time and this one has not; and
        whether times are from numbers, as no frame has one.
    """
    recorded = pl.when(pl.col("timestamp_us") > 0).then(pl.col("timestamp_us"))
    known = frames.with_columns(recorded.alias("timestamp_us"))
    if known["timestamp_us"].null_count() < known.height:
        return known, False
    period_us = round(1e6 / FRAME_HZ)
    return known.with_columns(timestamp_us=ORIGIN_US + pl.col("frame").cast(pl.Int64) * period_us), True
