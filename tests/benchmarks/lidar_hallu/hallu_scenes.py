"""Scenes made of a few boxes given in the ego frame, for tests of rules."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from making import scenes_of
from probe4d.scenes.tables import Scenes

Box = tuple[str, int, str, str, float, float, int | None]
"""Scene, frame, label, track, x, y, LiDAR returns."""


def made_scenes(
    boxes: Iterable[Box],
    *,
    names: Sequence[str] = ("scene-a",),
    keyframes: int = 12,
    step_m: float = 2.0,
    splits: Sequence[str | None] | None = None,
    version: str = "v1.0-made",
) -> Scenes:
    """Make scenes whose ego vehicle drives straight ahead by `step_m` a key frame, at 2 Hz."""
    scenes = [
        {"scene": name, "token": f"token of {name}", "keyframes": keyframes, "split": split, "log": "l"}
        for name, split in zip(names, splits or [None] * len(names), strict=True)
    ]
    frames = [
        {
            "scene": name,
            "frame": frame,
            "token": f"sample {name} {frame}",
            "timestamp_us": 500_000 * frame,
            "pose_token": f"pose {name} {frame}",
            "pose_x": step_m * frame,
            **dict.fromkeys(("pose_y", "pose_z", "pose_qx", "pose_qy", "pose_qz"), 0.0),
            "pose_qw": 1.0,
        }
        for name in names
        for frame in range(keyframes)
    ]
    rows = [
        {
            "scene": scene,
            "frame": frame,
            "token": f"box {scene} {frame} {track}",
            "track": track,
            "category": label or "animal",
            "label": label,
            "ego_x": float(x),
            "ego_y": float(y),
            "lidar_points": points,
        }
        for scene, frame, label, track, x, y, points in boxes
    ]
    return scenes_of(scenes, frames, rows, version=version)
