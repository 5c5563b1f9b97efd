"""A small dataset with sensor files, made so that a test knows which pixel shows what."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image as PillowImage

from making import scenes_of
from probe4d.evidence.camera_grid import SURROUND
from probe4d.evidence.image import Image
from probe4d.scenes.tables import Scenes

SCENE = "scene-1"
YAWS_DEG = dict(zip(SURROUND, (55.0, 0.0, -55.0, 110.0, 180.0, -110.0), strict=True))
SIZE_PX = (320, 180)
COLOURS = dict(
    zip(
        SURROUND,
        ((250, 0, 0), (0, 250, 0), (0, 0, 250), (250, 250, 0), (0, 250, 250), (250, 0, 250)),
        strict=True,
    )
)
"""What the image of each camera is filled with."""
POINTS_M = np.array([[20.0, 0.0, 0.5], [0.0, 30.0, 1.5], [-10.0, -40.0, 3.0]])
"""Ahead, to the left, and behind to the right, in the ego frame."""
LIDAR_HEIGHT_M = 2.0


def write_scan(path: Path, points_m: NDArray[np.floating] = POINTS_M) -> Path:
    """A `.pcd.bin` file with points given in the ego frame, as a LiDAR turned by 90 degrees on the roof sees them."""
    x, y, z = points_m.T
    values = np.stack([-y, x, z - LIDAR_HEIGHT_M, np.zeros_like(x), np.zeros_like(x)], axis=-1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(values.astype("<f4").tobytes())
    return path


def write_photograph(path: Path, colour: tuple[int, int, int], size_px: tuple[int, int] = SIZE_PX) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    PillowImage.new("RGB", size_px, colour).save(path, quality=95)
    return path


def write_dataset(
    root: Path,
    *,
    frames: int = 3,
    yaws_deg: Mapping[str, float] = YAWS_DEG,
    size_px: tuple[int, int] | None = SIZE_PX,
) -> Scenes:
    """Scenes of one scene, with a camera for each yaw and a LiDAR, and their files."""
    colours = list(COLOURS.values())
    rows = []
    for frame in range(frames):
        lidar = write_scan(root / f"samples/LIDAR_TOP/{frame}.pcd.bin")
        half = np.sqrt(0.5)  # the sensor's x is to the right of the vehicle, its y ahead
        rows.append(_reading(root, frame, "LIDAR_TOP", "lidar", lidar, (half, 0, 0, -half), None))
        for number, (channel, yaw_deg) in enumerate(yaws_deg.items()):
            image = write_photograph(root / f"samples/{channel}/{frame}.jpg", colours[number % len(colours)])
            rows.append(_reading(root, frame, channel, "camera", image, looking(yaw_deg), size_px))
    scene = {"scene": SCENE, "token": SCENE, "keyframes": frames}
    keyframes = [{"scene": SCENE, "frame": frame} for frame in range(frames)]
    return scenes_of([scene], keyframes, sensors=rows, root=root)


def opened(image: Image) -> PillowImage.Image:
    """The picture in RGB."""
    return PillowImage.open(io.BytesIO(image.content)).convert("RGB")


def looking(yaw_deg: float) -> tuple[float, ...]:
    """Quaternion of ego_SE3_camera of a camera whose axis has that bearing."""
    cos, sin = np.cos(np.radians(yaw_deg) / 2) / 2, np.sin(np.radians(yaw_deg) / 2) / 2
    return (cos + sin, -cos - sin, cos - sin, sin - cos)


def _reading(
    root: Path,
    frame: int,
    channel: str,
    modality: str,
    file: Path,
    rotation: Sequence[float],
    size_px: tuple[int, int] | None,
) -> dict[str, object]:
    width, height = size_px or (None, None)
    pose = dict(zip((f"sensor_{name}" for name in ("qw", "qx", "qy", "qz")), map(float, rotation), strict=True))
    return {
        "scene": SCENE,
        "frame": frame,
        "channel": channel,
        "modality": modality,
        "file": str(file.relative_to(root)),
        "sensor_x": 0.0,
        "sensor_y": 0.0,
        "sensor_z": LIDAR_HEIGHT_M,
        **pose,
        **dict.fromkeys(("pose_x", "pose_y", "pose_z", "pose_qx", "pose_qy", "pose_qz"), 0.0),
        "pose_qw": 1.0,
        "width": width,
        "height": height,
    }
