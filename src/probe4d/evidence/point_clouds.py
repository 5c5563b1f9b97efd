"""The point clouds of key frames, cut into wedges: what the encoder of a LiDAR language model sees of a scan.

A wedge holds the points of one direction in the axes of a camera that looks there: x forward, y left, z up, origin at
the camera. Encoders that are trained against a camera's images learn these axes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.evidence.coverage import Coverage
from probe4d.evidence.readings import KeyFrameReadings
from probe4d.evidence.wedge_rig import BEARINGS_DEG, WEDGE_SE3_CAMERA, WedgeRig, surround_cameras, wedge_rig
from probe4d.scenes.geometry import SE3
from probe4d.scenes.points import read_scan
from probe4d.scenes.projection import project
from probe4d.scenes.sensor_files import FETCH_AGAIN
from probe4d.scenes.tables import Scenes
from probe4d.store.files import inside

__all__ = ["RELEASED_CHANNEL", "PointClouds", "Wedge"]

RELEASED_CHANNEL = "CAM_BACK_RIGHT"
"""The one camera of B4DL's released extractor."""

_TAKE_WEDGES = "Take the coverage wedges."
_NEAREST_M = 0.5
_FARTHEST_M = 1e6
_FULL_INTENSITY = 255.0


class Wedge(NamedTuple):
    """Points of a scan in one direction.

    Attributes:
        channel: The camera that looks there, or the one of nuScenes that would.
        points: x forward, y left, z up in metres, and intensity from 0 to 1; float32, shape (n, 4), n may be 0.
    """

    channel: str
    points: NDArray[np.float32]


class PointClouds(KeyFrameReadings):
    """The point clouds of scenes, cut into wedges.

    With the coverage `wedges`, every point of a scan belongs to the wedge whose axis has the bearing nearest to its
    own, as seen from the LiDAR, so that the wedges cover all round without gap or overlap; they stand in the order of
    the surround grid. They are those of the dataset's cameras where these look all round in every scene, carried to
    the time of the camera's image. Other datasets have six wedges in the bearings of nuScenes' cameras (0, ±55, ±110
    and 180 degrees), level in the ego frame, with the LiDAR as origin.

    With `one-wedge` there is what CAM_BACK_RIGHT sees in the centre square of its image, beyond 0.5 m; other points
    are left out (B4DL's released extractor). Its encoder was trained on the like of all six cameras, which `squares_of`
    gives.

    It may be used from several threads.

    Args:
        scenes: The scenes.
        coverage: Which points are seen.
        squares_of: Cameras whose centre squares are seen with `one-wedge`.

    Attributes:
        scenes: The scenes.
        coverage: Which points are seen.
        channels: Channels of the wedges, in their order.

    Raises:
        InputError: For `one-wedge`, a scene has no such camera.
    """

    def __init__(
        self, scenes: Scenes, coverage: Coverage = "wedges", *, squares_of: Sequence[str] = (RELEASED_CHANNEL,)
    ) -> None:
        self._cameras = surround_cameras(scenes) if coverage == "wedges" else tuple(squares_of)
        super().__init__(scenes, scenes.lidar_channel, self._cameras)
        self.coverage = coverage
        if coverage == "one-wedge" and not squares_of:
            raise InputError("has no cameras that every scene has.", path=self._tables, remedy=_TAKE_WEDGES)
        for camera in self._cameras:
            self._refuse_without(camera)
        self.channels = self._cameras or tuple(BEARINGS_DEG)
        self._rig = lru_cache(maxsize=4)(self._found_rig)  # of the scenes at hand
        self._left_out: dict[str, dict[int, int]] = {name: {} for name in scenes.names}

    def left_out(self, scene: str) -> int:
        """Points that the wedges cut so far lack, since a value was NaN or infinite, or lay beyond 1000 km."""
        return sum(self._left_out[scene].values())

    def of(self, scene: str, frame: int) -> tuple[Wedge, ...]:
        """The wedges of a key frame, in the order of `channels`.

        Raises:
            InputError: There is no such scene or key frame, or it lacks a reading; or the scan's file cannot be read,
                is cut off, or has no point that can be used.
        """
        self._refuse_beyond(scene, frame)
        rig = self._rig(scene)
        file, lacking = rig.files[frame], rig.lacking[frame]
        if file is None or lacking is not None:
            raise self._no_reading(scene, frame, lacking or self.scenes.reference_channel)
        points = self._points(scene, frame, file)
        if self.coverage == "wedges":
            nearest = np.argmax(points[:, :3] @ rig.directions[frame].T, axis=1)
            shares = [points[nearest == number] for number in range(len(self.channels))]
        else:
            shares = [points] * len(self.channels)
        wedge_SE3_lidar = rig.wedge_SE3_lidar.at(np.array(frame))
        cut = [_in_axes(share, wedge_SE3_lidar.at(np.array(number))) for number, share in enumerate(shares)]
        if self.coverage == "one-wedge":
            cut = [share[self._seen(share, rig.cameras[number], scene, frame)] for number, share in enumerate(cut)]
        return tuple(map(Wedge, self.channels, cut))

    def _refuse_without(self, camera: str) -> None:
        having = self.scenes.sensors.filter(pl.col("channel") == camera)["scene"].n_unique()
        if having < len(self.scenes.names):
            raise InputError(
                f"has no camera {camera} in every scene, which the coverage {self.coverage} is cut by.",
                path=self._tables,
                remedy=_TAKE_WEDGES,
            )

    def _points(self, scene: str, frame: int, file: str) -> NDArray[np.float32]:
        path = inside(self.scenes.root, file)
        scan = read_scan(path)
        points = scan.points[:, :4]
        usable = (np.abs(points[:, :3]) < _FARTHEST_M).all(axis=1) & np.isfinite(points[:, 3])
        if not usable.any():
            raise InputError(
                "holds no points that can be used." if len(points) + scan.not_finite else "holds no points.",
                path=path,
                remedy=FETCH_AGAIN,
            )
        self._left_out[scene][frame] = scan.not_finite + int((~usable).sum())
        return points[usable]

    def _seen(self, points: NDArray[np.float32], camera: pl.DataFrame, scene: str, frame: int) -> NDArray[np.bool_]:
        """Which points of a wedge the centre square of its camera's image shows."""
        channel, intrinsics, width, height = camera.select("channel", "intrinsics", "width", "height").row(frame)
        if intrinsics is None or not width or not height:
            raise InputError(
                f"has no intrinsics or image size of {channel}.",
                path=self._tables,
                row=f"{scene}, key frame {frame}",
                remedy="Take the coverage wedges, which needs neither.",
            )
        in_camera = WEDGE_SE3_CAMERA.inverse().apply(points[:, :3])
        pixels, depth_m = project(in_camera, np.reshape(intrinsics, (3, 3)))
        across, down = np.abs(pixels[:, 0] - width / 2), pixels[:, 1]
        seen: NDArray[np.bool_] = (depth_m > _NEAREST_M) & (across < height / 2) & (down >= 0) & (down <= height)
        return seen

    def _found_rig(self, scene: str) -> WedgeRig:
        return wedge_rig(self.scenes, scene, self.frames(scene), self._cameras)


def _in_axes(points: NDArray[np.float32], wedge_SE3_lidar: SE3) -> NDArray[np.float32]:
    """Points of a scan in the axes of a wedge, their intensity from 0 to 1."""
    in_wedge = wedge_SE3_lidar.apply(points[:, :3])
    return np.column_stack([in_wedge, points[:, 3] / _FULL_INTENSITY]).astype(np.float32)
