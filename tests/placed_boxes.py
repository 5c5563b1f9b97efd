"""Scenes of boxes placed by hand before a camera, of which a test can work out where they show.

The ego vehicle stands at the origin of the global frame and looks along x. Its cameras sit at its origin unless told
otherwise: what lies `x` metres ahead of the front camera, `y` to the left and `z` up, shows at
`800 - FOCAL_PX * y / x` across and `450 - FOCAL_PX * z / x` down.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np

from making import scenes_of
from picture_making import looking
from probe4d.scenes.classes import label_of_category
from probe4d.scenes.tables import Scenes

FOCAL_PX = 800.0
SIZE_PX = (1600, 900)
SCENE = "scene-a"

Row = dict[str, object]

_AT_ORIGIN = dict.fromkeys(("pose_x", "pose_y", "pose_z", "pose_qx", "pose_qy", "pose_qz"), 0.0) | {"pose_qw": 1.0}


def placed(
    track: str,
    x: float,
    y: float,
    z: float = 0.0,
    *,
    size: tuple[float, float, float] = (2.0, 2.0, 2.0),
    yaw_deg: float = 0.0,
    category: str = "vehicle.car",
    visibility: int | None = 4,
    frame: int = 0,
    scene: str = SCENE,
) -> Row:
    """A box: where its centre is, and its length, width and height in metres."""
    half = np.radians(yaw_deg) / 2
    return {
        "scene": scene,
        "frame": frame,
        "token": f"box {scene} {frame} {track}",
        "track": track,
        "category": category,
        "label": label_of_category(category),
        **dict(zip("xyz", map(float, (x, y, z)), strict=True)),
        **dict(zip(("length", "width", "height"), map(float, size), strict=True)),
        "qw": float(np.cos(half)),
        "qx": 0.0,
        "qy": 0.0,
        "qz": float(np.sin(half)),
        **dict(zip(("ego_x", "ego_y", "ego_z"), map(float, (x, y, z)), strict=True)),
        "ego_yaw": float(np.radians(yaw_deg)),
        "lidar_points": 7,
        "visibility": visibility,
    }


def camera(
    channel: str = "CAM_FRONT",
    bearing_deg: float = 0.0,
    *,
    frame: int = 0,
    scene: str = SCENE,
    size_px: tuple[int, int] = SIZE_PX,
    moved_m: float = 0.0,
) -> Row:
    """A camera's reading; by its time the ego vehicle has moved ahead."""
    width, height = size_px
    sensor = dict(zip((f"sensor_{name}" for name in ("qw", "qx", "qy", "qz")), looking(bearing_deg), strict=True))
    return {
        "scene": scene,
        "frame": frame,
        "channel": channel,
        "modality": "camera",
        "token": f"reading {scene} {frame} {channel}",
        "file": f"samples/{channel}/{scene}-{frame}.png",
        **dict.fromkeys(("pose_y", "pose_z", "pose_qx", "pose_qy", "pose_qz"), 0.0),
        "pose_x": moved_m,
        "pose_qw": 1.0,
        **dict.fromkeys(("sensor_x", "sensor_y", "sensor_z"), 0.0),
        **{name: float(value) for name, value in sensor.items()},
        "intrinsics": [FOCAL_PX, 0.0, width / 2, 0.0, FOCAL_PX, height / 2, 0.0, 0.0, 1.0],
        "width": width,
        "height": height,
    }


def seen(
    boxes: Iterable[Mapping[str, object]],
    cameras: Iterable[Mapping[str, object]] | None = None,
    *,
    root: Path = Path("invented"),
) -> Scenes:
    """Scenes of boxes and camera readings; without the latter, a front camera at every key frame that has boxes."""
    boxes = list(boxes)
    frames = sorted({(str(box["scene"]), int(str(box["frame"]))) for box in boxes})
    readings = [camera(scene=scene, frame=frame) for scene, frame in frames] if cameras is None else list(cameras)
    names = sorted({scene for scene, _ in frames} | {str(reading["scene"]) for reading in readings})
    lengths = [1 + max(int(str(row["frame"])) for row in [*boxes, *readings] if row["scene"] == name) for name in names]
    return scenes_of(
        [{"scene": name, "token": name, "keyframes": length} for name, length in zip(names, lengths, strict=True)],
        [
            {"scene": name, "frame": frame, "token": f"sample {name} {frame}", **_AT_ORIGIN}
            for name, length in zip(names, lengths, strict=True)
            for frame in range(length)
        ],
        boxes,
        readings,
        root=root,
    )
