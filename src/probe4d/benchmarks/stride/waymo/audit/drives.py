"""What a converted WOD-E2E folder records of a scene, as arrays, read and measured apart from builds."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from probe4d.benchmarks.auditing.recorded import RecordedScene
from probe4d.errors import InputError

__all__ = ["Array", "EndToEndDrive", "read_beside"]

Array = NDArray[np.float64]


def read_beside(folder: Path, name: str, scenes: Sequence[str]) -> pl.DataFrame:
    """Rows of some scenes of a table beside those of nuScenes.

    Raises:
        InputError: It is missing or cannot be read.
    """
    path = folder / f"{name}.parquet"
    try:
        return pl.read_parquet(path, glob=False).filter(pl.col("scene").is_in(list(scenes)))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(
            f"cannot be read ({error}).", path=path, remedy="Give the dataset that the benchmark was built from."
        ) from error


class EndToEndDrive:
    """A scene.

    Args:
        recorded: Its poses and cameras.
        states: Its rows of `ego_states.parquet`.
        frames: Its rows of `driving.parquet`.
    """

    def __init__(self, recorded: RecordedScene, states: pl.DataFrame, frames: pl.DataFrame) -> None:
        self._cameras = recorded.cameras
        self._poses = recorded.ego_pose
        self.times_s: Array = (recorded.times_us - recorded.times_us[0]) * 1e-6
        self.driving: dict[int, dict[str, Any]] = {row["frame"]: row for row in frames.iter_rows(named=True)}
        future = states.filter(pl.col("kind") == "future").drop_nulls(["x_m", "y_m"])
        self._future: dict[int, dict[float, complex]] = {}
        for frame, time_s, x, y in future.select("frame", "time_s", "x_m", "y_m").iter_rows():
            self._future.setdefault(frame, {})[time_s] = complex(x, y)

    @property
    def key_frames(self) -> int:
        """How many key frames the scene has."""
        return len(self._poses)

    def places(self, query: int, first: int, last: int) -> NDArray[np.complex128]:
        """Ego origins of key frames in the ego frame of a query frame, x + iy, by its whole pose."""
        pose = self._poses[query]
        moved = Rotation.from_quat(pose[3:]).inv().apply(self._poses[first : last + 1, :3] - pose[:3])
        return np.asarray(moved[:, 0] + 1j * moved[:, 1])

    def speeds_mps(self, first: int, last: int) -> Array:
        """Mean speeds over the ground from each key frame to the next."""
        ground = self._poses[first : last + 1, 0] + 1j * self._poses[first : last + 1, 1]
        return np.asarray(np.abs(np.diff(ground)) / np.diff(self.times_s[first : last + 1]))

    def turned_deg(self, first: int, last: int) -> float:
        """Change of heading from one key frame to another, degrees to the left."""
        ahead = Rotation.from_quat(self._poses[[first, last], 3:]).apply([1.0, 0.0, 0.0])
        headings = ahead[:, 0] + 1j * ahead[:, 1]
        return float(np.degrees(np.angle(headings[1] / headings[0])))

    def future(self, frame: int, steps: int) -> NDArray[np.complex128] | None:
        """Positions half a second apart by the ego states of a key frame; null where they do not say all."""
        known = self._future.get(frame, {})
        wanted = [known.get(step / 2) for step in range(1, steps + 1)]
        return None if None in wanted else np.array(wanted, dtype=np.complex128)

    def on_ground(self, frame: int, channel: str, bounds: Sequence[float]) -> complex | None:
        """Where the middle of the lower edge of a box meets the plane of the ego origin, by the plane's homography.

        Null where the scene has no such camera, or the two meet nowhere.

        Args:
            frame: The key frame.
            channel: The camera.
            bounds: Left, top, right and bottom as parts of the image.
        """
        if channel not in self._cameras.channels:
            return None
        at = list(self._cameras.channels).index(channel)
        mounting, (width, height) = self._cameras.mounting[frame, at], self._cameras.size_px[frame, at]
        camera_from_ego = Rotation.from_quat(mounting[3:]).inv().as_matrix()
        plane = np.column_stack([camera_from_ego[:, :2], -camera_from_ego @ mounting[:3]])
        left, _, right, bottom = bounds
        pixel = np.array([(left + right) / 2 * width, bottom * height, 1.0])
        x, y, scale = np.linalg.solve(self._cameras.intrinsics[frame, at] @ plane, pixel)
        return complex(x / scale, y / scale) if scale else None
