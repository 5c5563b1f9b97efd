"""Which readings of key frames are there, before any is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import polars as pl

from probe4d.scenes.sensor_files import list_files
from probe4d.scenes.tables import Scenes

__all__ = ["missing_readings"]


def missing_readings(
    scenes: Scenes, names: Iterable[str], channels: Sequence[str], *, read: str
) -> dict[tuple[str, int], str]:
    """Key frames that lack a reading of a sensor, or the file of the one that is read.

    Args:
        scenes: The scenes.
        names: Those that are meant.
        channels: Sensors that every key frame must have a reading of.
        read: The one whose file is read; in `channels`.

    Returns:
        What is missing, by scene and key frame, in their order.
    """
    wanted = scenes.keyframes.select("scene", "frame").filter(pl.col("scene").is_in(list(names)))
    each = wanted.join(pl.DataFrame({"channel": channels}, schema={"channel": pl.String()}), how="cross")
    readings = each.join(
        scenes.sensors.select("scene", "frame", "channel", filename="file"),
        on=["scene", "frame", "channel"],
        how="left",
        maintain_order="left",
    )
    files = readings.filter((pl.col("channel") == read) & pl.col("filename").is_not_null())
    absent = list_files(scenes.root, files).filter(~pl.col("exists"))
    tables = scenes.root / scenes.version
    reasons = {
        (scene, frame): f"{tables}, {scene}, key frame {frame}: has no reading of {channel}."
        for scene, frame, channel, _ in readings.filter(pl.col("filename").is_null()).iter_rows()
    }
    for scene, frame, file in absent.select("scene", "frame", "filename").iter_rows():
        reasons.setdefault((scene, frame), f"{scenes.root / file}: is not there.")
    return dict(sorted(reasons.items()))
