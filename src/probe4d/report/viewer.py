"""A scene for the rerun viewer: ego vehicle, points, boxes and cameras over time.

Entities are called `world/ego_vehicle/<sensor>`, as in rerun's own nuScenes example, and boxes `world/tracks`; `world`
is the global frame of the dataset. Rerun takes quaternions x-y-z-w.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from scipy.spatial.transform import Rotation

from probe4d.errors import InputError, RunError
from probe4d.extras import needed
from probe4d.report.video.colours import box_colours, height_colours
from probe4d.report.video.drawn_scene import DrawnScene
from probe4d.report.video.options import ColouredBy
from probe4d.report.video.sensing import Blank, Sensing
from probe4d.report.video.words import plain
from probe4d.scenes.geometry import SE3
from probe4d.scenes.points import in_ego_frame
from probe4d.scenes.projection import sensor_SE3_global
from probe4d.scenes.tables import Scenes
from probe4d.store.files import whole_file

__all__ = ["Recorded", "open_in_rerun", "write_rerun"]

_EGO = "world/ego_vehicle"
_TRACKS = "world/tracks"
_TRACK_CHARACTERS = 6
"""Of a track's token in its label, after the class."""
_POINT_RADIUS_M = 0.04
_SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "WAYLAND_SOCKET")
_ELSEWHERE = "Write a recording (--rrd FILE) and open it with `rerun FILE` on another machine."
_MEDIA_TYPES = {".png": "image/png"}


class Recorded(NamedTuple):
    """What the viewer is given.

    Attributes:
        frames: Number of key frames.
        blanks: Readings that could not be read, in the order of the key frames.
    """

    frames: int
    blanks: tuple[Blank, ...]


def write_rerun(
    scenes: Scenes,
    scene: str,
    out: Path | str,
    *,
    frames: tuple[int, int] | None = None,
    cameras: Sequence[str] = (),
    coloured_by: ColouredBy = "class",
    begun: Callable[[int], None] | None = None,
    done: Callable[[], None] | None = None,
) -> Recorded:
    """Write a scene as a recording that the rerun viewer opens, whole or not at all (extra `view`).

    Timelines are `frame` (the key-frame index) and `timestamp` (of each sensor's own reading). Points are in the
    LiDAR's frame, boxes in the global frame; a camera stands where it stood when its image was taken.

    Args:
        scenes: The scenes.
        scene: Name of the one that is shown.
        out: File to write, `.rrd`.
        frames: First and last key frame; null for all.
        cameras: Channels whose images are shown; empty for all that have an image.
        coloured_by: Whether a class or a track has a colour of its own.
        begun: Told the number of key frames.
        done: Told of each key frame.

    Raises:
        InputError: The scene, a key frame or a camera is not there, rerun is not installed, or the file cannot be
            made.
        RunError: Writing failed.
    """
    out = Path(out)
    if out.suffix.lower() != ".rrd":
        raise InputError("is no name of a recording.", path=out, remedy="Name it so that it ends in .rrd.")
    rerun = _rerun()
    log = _Log(rerun, scenes, scene, cameras, coloured_by)
    with whole_file(out) as temporary:
        log.stream.save(temporary, default_blueprint=log.blueprint())
        recorded = log.write(frames, begun, done)
        log.stream.disconnect()
    return recorded


def open_in_rerun(
    scenes: Scenes,
    scene: str,
    *,
    frames: tuple[int, int] | None = None,
    cameras: Sequence[str] = (),
    coloured_by: ColouredBy = "class",
    begun: Callable[[int], None] | None = None,
    done: Callable[[], None] | None = None,
) -> Recorded:
    """Open a scene in the rerun viewer on this machine (extra `view`); arguments and errors are those of `write_rerun`.

    Raises:
        RunError: There is no screen, or the viewer does not start.
    """
    log = _Log(_rerun(), scenes, scene, cameras, coloured_by)
    if sys.platform == "linux" and not any(map(os.environ.get, _SCREENS)):
        raise RunError(f"the rerun viewer needs a screen, and there is none here. {_ELSEWHERE}")
    try:
        with _viewer_on_path():
            log.stream.spawn(default_blueprint=log.blueprint())
        recorded = log.write(frames, begun, done)
        log.stream.flush()
    except RuntimeError as error:  # of rerun
        why = str(error).partition("\n")[0]
        raise RunError(f"the rerun viewer cannot be reached ({why}). {_ELSEWHERE}") from error
    return recorded


def _rerun() -> Any:
    return needed("rerun", extra="view", user="the rerun viewer")


@contextmanager
def _viewer_on_path() -> Iterator[None]:
    """Rerun looks for its viewer where the system looks for commands; it lies beside this Python."""
    before = os.environ.get("PATH", "")
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), before])
    try:
        yield
    finally:
        os.environ["PATH"] = before


class _Log:
    """Logs a scene to a stream of rerun."""

    def __init__(self, rerun: Any, scenes: Scenes, scene: str, cameras: Sequence[str], coloured_by: ColouredBy) -> None:
        self._rerun = rerun
        self._recorded = DrawnScene(scenes, scene)
        self._sensing = Sensing(scenes, scene)
        self._lidar = None if self._is_of_cameras(scenes) else scenes.lidar_channel
        self._coloured_by = coloured_by
        has_images = cameras or self._lidar is None or self._sensing.has_images
        self._cameras = tuple(self._sensing.cameras(cameras)) if has_images else ()
        own = scenes.keyframes.filter(pl.col("scene") == scene).sort("frame")
        self._times_us: list[int] = own["timestamp_us"].to_list()
        self.stream = rerun.RecordingStream("probe4d", recording_id=f"{scenes.fingerprint[:12]}-{plain(scene)}")

    @staticmethod
    def _is_of_cameras(scenes: Scenes) -> bool:
        own = scenes.sensors.filter(pl.col("channel") == scenes.reference_channel)
        return "camera" in own["modality"].unique()

    def blueprint(self) -> Any:
        """How the viewer is laid out: the scene, and the cameras beside it."""
        blueprint = needed("rerun.blueprint", extra="view", user="the rerun viewer")
        space = blueprint.Spatial3DView(origin="world", name="scene")
        if not self._cameras:
            return blueprint.Blueprint(space)
        views = [blueprint.Spatial2DView(origin=f"{_EGO}/{channel}", name=channel) for channel in self._cameras]
        return blueprint.Blueprint(blueprint.Horizontal(space, blueprint.Grid(*views), column_shares=[2, 1]))

    def write(
        self,
        frames: tuple[int, int] | None,
        begun: Callable[[int], None] | None,
        done: Callable[[], None] | None,
    ) -> Recorded:
        """Log key frames, all where null."""
        first, last = self._recorded.span(frames)
        if begun:
            begun(last - first + 1)
        self.stream.log("world", self._rerun.ViewCoordinates.RIGHT_HAND_Z_UP, static=True)
        for frame in range(first, last + 1):
            self.stream.set_time("frame", sequence=frame)
            self._at(self._times_us[frame])
            global_SE3_ego = self._recorded.ego_SE3_global.at(np.array(frame)).inverse()
            self.stream.log(_EGO, self._transform(global_SE3_ego))
            self._log_boxes(frame)
            self._log_points(frame)
            for channel in self._cameras:
                self._log_camera(frame, channel, global_SE3_ego.inverse())
            if done:
                done()
        return Recorded(last - first + 1, tuple(self._sensing.blanks))

    def _at(self, time_us: int) -> None:
        self.stream.set_time("timestamp", timestamp=np.datetime64(time_us, "us"))

    def _transform(self, parent_SE3_child: SE3) -> Any:
        quaternion = self._rerun.Quaternion(xyzw=Rotation.from_matrix(parent_SE3_child.rotation).as_quat())
        return self._rerun.Transform3D(translation=parent_SE3_child.translation, quaternion=quaternion)

    def _log_boxes(self, frame: int) -> None:
        boxes = self._recorded.rows(frame)
        kinds, tracks = boxes["kind"].to_list(), boxes["track"].to_list()
        labels = [f"{kind} {track[:_TRACK_CHARACTERS]}" for kind, track in zip(kinds, tracks, strict=True)]
        self.stream.log(
            _TRACKS,
            self._rerun.Boxes3D(
                centers=boxes.select("x", "y", "z").to_numpy(),
                half_sizes=boxes.select("length", "width", "height").to_numpy() / 2,
                quaternions=boxes.select("qx", "qy", "qz", "qw").to_numpy(),
                colors=np.array(box_colours(kinds, tracks, self._coloured_by), dtype=np.uint8).reshape(-1, 3),
                labels=[plain(label) for label in labels],
                show_labels=False,
            ),
        )

    def _log_points(self, frame: int) -> None:
        if self._lidar is None:
            return
        entity = f"{_EGO}/{self._lidar}"
        scan = self._sensing.scan(frame)
        if isinstance(scan, Blank):
            self.stream.log(entity, self._rerun.Clear(recursive=False))
            return
        points, ego_SE3_lidar = scan
        self.stream.log(entity, self._transform(ego_SE3_lidar))
        colours = height_colours(in_ego_frame(points, ego_SE3_lidar)[:, 2])
        self.stream.log(entity, self._rerun.Points3D(points, colors=colours, radii=_POINT_RADIUS_M))

    def _log_camera(self, frame: int, channel: str, ego_SE3_global: SE3) -> None:
        entity = f"{_EGO}/{channel}"
        file = self._sensing.file(frame, channel)
        if isinstance(file, Blank):
            self.stream.log(entity, self._rerun.Clear(recursive=False))
            return
        reading = self._sensing.reading(frame, channel)
        self._at(reading["timestamp_us"][0])
        global_SE3_camera = sensor_SE3_global(reading).at(np.array(0)).inverse()
        self.stream.log(entity, self._transform(ego_SE3_global.compose(global_SE3_camera)))
        intrinsics, width, height = reading.select("intrinsics", "width", "height").row(0)
        if intrinsics is not None and width and height:
            matrix = np.reshape(intrinsics, (3, 3))
            pinhole = self._rerun.Pinhole(
                image_from_camera=matrix, resolution=(width, height), camera_xyz=self._rerun.ViewCoordinates.RDF
            )
            self.stream.log(entity, pinhole)
        media_type = _MEDIA_TYPES.get(file.suffix.lower(), "image/jpeg")
        self.stream.log(entity, self._rerun.EncodedImage(contents=file.read_bytes(), media_type=media_type))
        self._at(self._times_us[frame])
