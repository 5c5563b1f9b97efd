"""Small tables of objects in views, for tests of the suite spatial-qa."""

from __future__ import annotations

from typing import Any

import polars as pl

__all__ = ["in_view", "objects"]


def in_view(track: str, **given: Any) -> dict[str, Any]:
    """A row of a table of objects in views: a car 10 m ahead, but for what is given."""
    row: dict[str, Any] = {
        "scene": "scene-1",
        "frame": 0,
        "channel": "CAM_FRONT",
        "token": f"box-{track}",
        "track": track,
        "category": "vehicle.car",
        "label": "car",
        "kind": "vehicle",
        "visibility": 4,
        "lidar_points": 12,
        "left_px": 100.0,
        "top_px": 100.0,
        "right_px": 200.0,
        "bottom_px": 180.0,
        "camera_x": 0.0,
        "camera_y": 1.0,
        "camera_z": 9.0,
        "ego_x": 10.0,
        "ego_y": 0.0,
        "ego_z": 0.8,
        "ego_yaw": 0.0,
        "length": 4.5,
        "width": 1.9,
        "height": 1.6,
    }
    return row | given


def objects(*rows: dict[str, Any]) -> pl.DataFrame:
    """A table of such rows."""
    return pl.DataFrame(
        list(rows), schema_overrides={"frame": pl.Int32, "visibility": pl.UInt8, "lidar_points": pl.Int32}
    )
