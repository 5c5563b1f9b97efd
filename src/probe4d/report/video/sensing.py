"""Readings of the sensors of one scene, key frame by key frame; what cannot be read is kept in words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image

from probe4d.errors import InputError
from probe4d.evidence.photographs import open_photograph
from probe4d.evidence.sources import Sources
from probe4d.report.video.viewpoints import Viewpoint, through_camera
from probe4d.scenes.geometry import SE3
from probe4d.scenes.points import in_ego_frame, read_scan
from probe4d.scenes.projection import sensor_SE3_global
from probe4d.scenes.sensor_files import list_files
from probe4d.scenes.tables import Scenes
from probe4d.store.files import inside
from probe4d.wording import listed

__all__ = ["Blank", "Sensing"]

_EXTRINSICS = tuple(f"sensor_{axis}" for axis in ("qw", "qx", "qy", "qz", "x", "y", "z"))
_FARTHEST_M = 1e5
_GLANCE_PX = (64, 64)
_NO_READING = "has no reading."


class Blank(NamedTuple):
    """A reading that is not shown.

    Attributes:
        frame: Its key frame.
        channel: Its sensor.
        why: What is wrong, as the end of a sentence about its file.
    """

    frame: int
    channel: str
    why: str


class Sensing:
    """Reads points and images of one scene.

    Args:
        scenes: The scenes.
        name: The one that is shown.

    Attributes:
        blanks: What could not be read so far, in the order of reading.
        without_images: Cameras of which no file is there.
    """

    def __init__(self, scenes: Scenes, name: str) -> None:
        self._scenes = scenes
        self._name = name
        self._readings = scenes.sensors.filter(pl.col("scene") == name)
        self._rows: dict[tuple[int, str], int] = {
            key: row for row, key in enumerate(self._readings.select("frame", "channel").iter_rows())
        }
        self.blanks: list[Blank] = []
        listed_files = list_files(scenes.root, self._readings.select("channel", "modality", filename="file"))
        found = listed_files.filter(pl.col("exists") | pl.col("outside"))  # what leads out is told when it is read
        own = Sources(scenes).cameras(name)
        with_images = set(found.filter(pl.col("modality") == "camera")["channel"])
        self._cameras = {channel: source.size_px for channel, source in own.items()}
        self.without_images = tuple(channel for channel in own if channel not in with_images)

    @property
    def has_images(self) -> bool:
        """Whether an image of any camera is there."""
        return len(self.without_images) < len(self._cameras)

    def cameras(self, wanted: Sequence[str]) -> dict[str, tuple[int, int] | None]:
        """Cameras in the order of the surround grid, and the size that the dataset gives their images.

        Args:
            wanted: Their channels; empty for all of which a file is there.

        Raises:
            InputError: The scene has no such camera, or no image of any is there.
        """
        tables = self._scenes.root / self._scenes.version
        for channel in wanted:
            if channel not in self._cameras:
                known = f"Take one of {listed(list(self._cameras))}." if self._cameras else "It has no cameras at all."
                raise InputError(f"has no camera {channel}.", path=tables, row=self._name, remedy=known)
        chosen = [channel for channel in wanted or self._cameras if wanted or channel not in self.without_images]
        if not chosen:
            what = "no image of its cameras is there" if self._cameras else "it has no cameras"
            raise InputError(
                f"has no camera images to show: {what}.",
                path=tables,
                row=self._name,
                remedy="Take --view above, or fetch the dataset's images.",
            )
        return {channel: self._cameras[channel] for channel in chosen}

    def points(self, frame: int) -> NDArray[np.float64] | Blank:
        """The LiDAR's points at a key frame in the ego frame, metres, shape (n, 3).

        Raises:
            InputError: The dataset has no LiDAR.
        """
        scan = self.scan(frame)
        return scan if isinstance(scan, Blank) else in_ego_frame(*scan)

    def scan(self, frame: int) -> tuple[NDArray[np.float32], SE3] | Blank:
        """The LiDAR's points at a key frame in its own frame, metres, shape (n, 3), and ego_SE3_lidar.

        Raises:
            InputError: The dataset has no LiDAR.
        """
        channel = self._scenes.lidar_channel
        row = self._rows.get((frame, channel))
        if row is None:
            return self._blank(frame, channel, _NO_READING)
        reading = self._readings.row(row, named=True)
        extrinsics = [reading[axis] for axis in _EXTRINSICS]
        try:
            scan = read_scan(self._path(row))
        except InputError as error:
            return self._blank(frame, channel, error.what)
        points = scan.points[:, :3]
        return points[(np.abs(points) < _FARTHEST_M).all(axis=1)], SE3.from_quaternion(extrinsics[:4], extrinsics[4:])

    def photograph(self, frame: int, channel: str, box_px: tuple[int, int]) -> Image.Image | Blank:
        """The image of a camera at a key frame, as large as fits into a box."""
        row = self._rows.get((frame, channel))
        if row is None:
            return self._blank(frame, channel, _NO_READING)
        try:
            return open_photograph(self._path(row), box_px)
        except InputError as error:
            return self._blank(frame, channel, error.what)

    def file(self, frame: int, channel: str) -> Path | Blank:
        """The file of a camera's image at a key frame, seen to be an image."""
        seen = self.photograph(frame, channel, _GLANCE_PX)
        return seen if isinstance(seen, Blank) else self._path(self._rows[frame, channel])

    def reading(self, frame: int, channel: str) -> pl.DataFrame:
        """The row of a reading, columns of `SENSORS_SCHEMA`; none where there is none."""
        row = self._rows.get((frame, channel))
        return self._readings.clear() if row is None else self._readings[row]

    def through(self, frame: int, channel: str, size_px: tuple[int, int]) -> Viewpoint | None:
        """The global frame through a camera whose image has some size; null where its optics are not known."""
        reading = self.reading(frame, channel)
        if not reading.height:
            return None
        intrinsics, width, height = reading.select("intrinsics", "width", "height").row(0)
        if intrinsics is None or not width or not height:
            return None
        matrix = np.reshape(intrinsics, (3, 3)) * np.array([[size_px[0] / width], [size_px[1] / height], [1.0]])
        return through_camera(sensor_SE3_global(reading).at(np.array(0)), matrix, size_px)

    def _path(self, row: int) -> Path:
        return inside(self._scenes.root, self._readings["file"][row])

    def _blank(self, frame: int, channel: str, why: str) -> Blank:
        blank = Blank(frame, channel, why)
        self.blanks.append(blank)
        return blank
