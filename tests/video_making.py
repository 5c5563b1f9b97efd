"""A filmed scene of known points and boxes, and videos read back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import av
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from making import table_of
from picture_making import SCENE, write_dataset
from probe4d.scenes.tables import BOXES_SCHEMA, KEYFRAMES_SCHEMA, Scenes

Picture = NDArray[np.uint8]

STEP_M, PERIOD_US = 2.0, 500_000
"""How far the ego vehicle drives along x from key frame to key frame, and how long that takes."""


def filmed(root: Path, boxes: Iterable[dict[str, object]] = (), *, frames: int = 4, drives: bool = False) -> Scenes:
    """The scene of `picture_making`, its ego vehicle standing at the global origin, or driving along x.

    Args:
        root: Folder for the sensors' files.
        boxes: Rows of `placed_boxes.placed`.
        frames: Number of key frames.
        drives: Whether the ego vehicle drives.
    """
    scenes = write_dataset(root, frames=frames)
    at_rest = dict.fromkeys(("pose_y", "pose_z", "pose_qx", "pose_qy", "pose_qz"), 0.0) | {"pose_qw": 1.0}
    poses = [
        {
            "scene": SCENE,
            "frame": frame,
            "timestamp_us": 1_000_000 + frame * PERIOD_US,
            "pose_x": STEP_M * frame * drives,
            **at_rest,
        }
        for frame in range(frames)
    ]
    rows = [row | {"scene": SCENE} for row in boxes]
    return replace(
        scenes,
        keyframes=table_of(poses, KEYFRAMES_SCHEMA),
        boxes=table_of(rows, BOXES_SCHEMA).sort("scene", "frame", "track"),
    )


def decoded(path: Path) -> list[Picture]:
    """The pictures of an MP4, red, green and blue."""
    with av.open(str(path)) as container:
        frames = container.decode(video=0)
        return [frame.reformat(format="rgb24", src_colorspace="ITU709").to_ndarray() for frame in frames]


def animated(path: Path) -> list[Picture]:
    """The pictures of a GIF or a WebP."""
    with Image.open(path) as image:
        pictures = []
        for number in range(image.n_frames):  # type: ignore[attr-defined]  # of animations
            image.seek(number)
            pictures.append(np.array(image.convert("RGB")))
        return pictures


def drawn(folder: Path) -> list[Picture]:
    """The pictures of a folder, in order."""
    return [np.array(Image.open(path)) for path in sorted(folder.iterdir())]
