"""The point clouds of key frames, cut into wedges: what the encoder of a LiDAR language model sees of a scan.

A wedge holds the points of one direction in the axes of a camera that looks there: x forward, y left, z up, origin at
the camera. Encoders that are trained against a camera's images learn these axes.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from threading import Lock
from typing import Literal, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.evidence.wedge_rig import BEARINGS_DEG, WEDGE_SE3_CAMERA, WedgeRig, surround_cameras, wedge_rig
from probe4d.scenes.geometry import SE3
from probe4d.scenes.points import read_scan
from probe4d.scenes.projection import project
from probe4d.scenes.sensor_files import FETCH_AGAIN, list_files
from probe4d.scenes.tables import Scenes
from probe4d.store.files import inside

__all__ = ["RELEASED_CHANNEL", "Coverage", "PointClouds", "Wedge"]

Coverage = Literal["wedges", "one-wedge"]
"""How much of a scan is seen: the wedges of all directions, or what one camera sees, as in B4DL's release."""

RELEASED_CHANNEL = "CAM_BACK_RIGHT"
"""The one camera of B4DL's released extractor."""

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


class PointClouds:
    """The point clouds of scenes, cut into wedges.

    With the coverage `wedges`, every point of a scan belongs to the wedge whose axis has the bearing nearest to its
    own, as seen from the LiDAR, so that the wedges cover all round without gap or overlap; they stand in the order of
    the surround grid. They are those of the dataset's cameras where these look all round in every scene, carried to
    the time of the camera's image. Other datasets have six wedges in the bearings of nuScenes' cameras (0, ±55, ±110
    and 180 degrees), level in the ego frame, with the LiDAR as origin.

    With `one-wedge` there is what CAM_BACK_RIGHT sees in the centre square of its image, beyond 0.5 m; other points
    are left out (B4DL's released extractor).

    It may be used from several threads.

    Args:
        scenes: The scenes.
        coverage: Which points are seen.

    Attributes:
        scenes: The scenes.
        coverage: Which points are seen.
        channels: Channels of the wedges, in their order.

    Raises:
        InputError: For `one-wedge`, a scene has no such camera.
    """

    def __init__(self, scenes: Scenes, coverage: Coverage = "wedges") -> None:
        self.scenes = scenes
        self.coverage = coverage
        self._tables = scenes.root / scenes.version
        self._frames: dict[str, int] = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
        self._cameras = _cameras_of_wedges(scenes, coverage)
        self.channels = self._cameras or tuple(BEARINGS_DEG)
        self._rig = lru_cache(maxsize=4)(self._found_rig)  # of the scenes at hand
        self._left_out: Counter[str] = Counter()
        self._counting = Lock()

    def frames(self, scene: str) -> int:
        """Number of key frames of a scene.

        Raises:
            InputError: There is no such scene.
        """
        if scene not in self._frames:
            raise InputError(f"has no scene {scene!r}.", path=self._tables)
        return self._frames[scene]

    def left_out(self, scene: str) -> int:
        """Points that the wedges cut so far lack, since a value was NaN or infinite, or lay beyond 1000 km."""
        return self._left_out[scene]

    def missing(self, scene: str) -> dict[int, str]:
        """Key frames of a scene whose wedges cannot be cut, since a reading or the scan's file is not there.

        Returns:
            What is missing of each such key frame, in their order.

        Raises:
            InputError: There is no such scene.
        """
        rig = self._rig(scene)
        filenames = pl.Series("filename", rig.files, dtype=pl.String).fill_null("").to_frame()
        reasons = {}
        for frame, (file, is_there) in enumerate(list_files(self.scenes.root, filenames)["filename", "exists"].rows()):
            if channel := rig.lacking[frame]:
                reasons[frame] = str(self._no_reading(scene, frame, channel))
            elif not is_there:
                reasons[frame] = f"{self.scenes.root / file}: is not there."
        return reasons

    def of(self, scene: str, frame: int) -> tuple[Wedge, ...]:
        """The wedges of a key frame, in the order of `channels`.

        Raises:
            InputError: There is no such key frame, or it lacks a reading; or the scan's file cannot be read, is cut
                off, or has no point that can be used.
        """
        rig = self._rig(scene)
        if not 0 <= frame < len(rig.files):
            raise InputError(f"has no key frame {frame}.", path=self._tables, row=scene)
        file, lacking = rig.files[frame], rig.lacking[frame]
        if file is None or lacking is not None:
            raise self._no_reading(scene, frame, lacking or self.scenes.reference_channel)
        points = self._points(scene, file)
        wedge_SE3_lidar = rig.wedge_SE3_lidar.at(np.array(frame))
        if self.coverage == "one-wedge":
            in_wedge = _in_axes(points, wedge_SE3_lidar.at(np.array(0)))
            return (Wedge(RELEASED_CHANNEL, in_wedge[self._seen(in_wedge, rig, scene, frame)]),)
        nearest = np.argmax(points[:, :3] @ rig.directions[frame].T, axis=1)
        return tuple(
            Wedge(channel, _in_axes(points[nearest == number], wedge_SE3_lidar.at(np.array(number))))
            for number, channel in enumerate(self.channels)
        )

    def _points(self, scene: str, file: str) -> NDArray[np.float32]:
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
        with self._counting:
            self._left_out[scene] += scan.not_finite + int((~usable).sum())
        return points[usable]

    def _seen(self, points: NDArray[np.float32], rig: WedgeRig, scene: str, frame: int) -> NDArray[np.bool_]:
        """Which points of a wedge the centre square of its camera's image shows."""
        intrinsics, width, height = rig.cameras[0].select("intrinsics", "width", "height").row(frame)
        if intrinsics is None or not width or not height:
            raise InputError(
                f"has no intrinsics or image size of {RELEASED_CHANNEL}.",
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

    def _no_reading(self, scene: str, frame: int, channel: str) -> InputError:
        return InputError(f"has no reading of {channel}.", path=self._tables, row=f"{scene}, key frame {frame}")


def _cameras_of_wedges(scenes: Scenes, coverage: Coverage) -> tuple[str, ...]:
    if coverage == "wedges":
        return surround_cameras(scenes)
    has_it = scenes.sensors.filter(pl.col("channel") == RELEASED_CHANNEL)["scene"].n_unique() == len(scenes.names)
    if not has_it:
        raise InputError(
            f"has no camera {RELEASED_CHANNEL} in every scene, which the coverage one-wedge is cut from.",
            path=scenes.root / scenes.version,
            remedy="Take the coverage wedges.",
        )
    return (RELEASED_CHANNEL,)


def _in_axes(points: NDArray[np.float32], wedge_SE3_lidar: SE3) -> NDArray[np.float32]:
    """Points of a scan in the axes of a wedge, their intensity from 0 to 1."""
    in_wedge = wedge_SE3_lidar.apply(points[:, :3])
    return np.column_stack([in_wedge, points[:, 3] / _FULL_INTENSITY]).astype(np.float32)
