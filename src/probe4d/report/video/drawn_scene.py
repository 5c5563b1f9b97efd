"""Boxes, tracks and the ego vehicle's way in the key frames of one scene, ready to be drawn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.scenes.geometry import SE3
from probe4d.scenes.projection import box_corners
from probe4d.scenes.tables import Scenes
from probe4d.wording import counted

__all__ = ["EDGES", "Boxes", "DrawnScene"]

Array = NDArray[np.float64]

EDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)])
"""Corners of a box, in the order of `box_corners`, between which its edges run."""

_US = 1e6


class Boxes(NamedTuple):
    """The boxes of a key frame.

    Attributes:
        corners_m: In the global frame, metres, shape (n, 8, 3), in the order of `box_corners`.
        kinds: Class of each, or the last part of its category where it is of none of the ten classes.
        tracks: Track of each.
        range_m: Distance of each centre from the ego origin over the ground, shape (n,).
        is_empty: Whether it is known that no LiDAR return lies in it, shape (n,).
    """

    corners_m: Array
    kinds: list[str]
    tracks: list[str]
    range_m: Array
    is_empty: NDArray[np.bool_]


class DrawnScene:
    """What the tables say of one scene.

    Args:
        scenes: The scenes.
        name: The one that is shown.

    Attributes:
        keyframes: Number of its key frames.
        times_s: Time of each since the first, seconds, shape (keyframes,).
        ego_SE3_global: Transform from the global frame to the ego frame of each key frame.
        kinds: What its boxes are of, the most frequent first.

    Raises:
        InputError: There is no such scene, or it has no key frame.
    """

    def __init__(self, scenes: Scenes, name: str) -> None:
        if name not in scenes.names:
            known = scenes.names
            raise InputError(
                f"has no scene {name!r}.",
                path=scenes.root / scenes.version,
                remedy=f"It has {counted(len(known), 'scene')}{f', such as {known[0]}' if known else ''}.",
            )
        self._tables, self._name = scenes.root / scenes.version, name
        own = pl.col("scene") == name
        poses = scenes.keyframes.filter(own).sort("frame")
        self.keyframes = poses.height
        if not self.keyframes:
            raise InputError(f"has no key frames in scene {name!r}.", path=scenes.root / scenes.version)
        times_us = poses["timestamp_us"].to_numpy()
        self.times_s: Array = (times_us - times_us[0]) / _US
        rotation, translation = (
            poses.select(f"pose_{axis}" for axis in axes).to_numpy() for axes in (("qw", "qx", "qy", "qz"), "xyz")
        )
        self._global_SE3_ego = SE3.from_quaternion(rotation, translation)
        self.ego_SE3_global = self._global_SE3_ego.inverse()
        boxes = scenes.boxes.filter(own).sort("frame", "track")
        kind = pl.coalesce("label", pl.col("category").str.split(".").list.last().str.replace_all("_", " "))
        self._boxes = boxes.with_columns(kind=kind)
        self._corners = box_corners(boxes)
        self._starts = boxes["frame"].search_sorted(np.arange(self.keyframes + 1)).to_numpy()
        self.kinds: list[str] = (
            self._boxes["kind"].value_counts().sort("count", "kind", descending=[True, False])["kind"].to_list()
        )

    @property
    def rate_fps(self) -> float:
        """How many key frames a second were recorded, as the median of their distances has it; 2 for a single one."""
        steps = np.diff(self.times_s)
        return float(1 / np.median(steps)) if len(steps) and np.median(steps) > 0 else 2.0

    def span(self, frames: tuple[int, int] | None) -> tuple[int, int]:
        """First and last key frame of those asked for, or of all.

        Raises:
            InputError: The scene does not have them.
        """
        first, last = frames or (0, self.keyframes - 1)
        if not 0 <= first <= last < self.keyframes:
            raise InputError(
                f"has key frames 0 to {self.keyframes - 1}, not {first} to {last}.",
                path=self._tables,
                row=self._name,
                remedy="Give the first and the last one to be shown, both of them included.",
            )
        return first, last

    def boxes(self, frame: int) -> Boxes:
        """The boxes of a key frame."""
        table = self.rows(frame)
        return Boxes(
            self._corners[self._starts[frame] : self._starts[frame + 1]],
            table["kind"].to_list(),
            table["track"].to_list(),
            np.hypot(table["ego_x"].to_numpy(), table["ego_y"].to_numpy()),
            (table["lidar_points"] == 0).fill_null(value=False).to_numpy(),
        )

    def tracks(self, frame: int) -> list[str]:
        """The track of each box of a key frame."""
        return self.rows(frame)["track"].to_list()

    def named(self, tokens: Iterable[str]) -> dict[str, tuple[str, str]]:
        """Track and kind of boxes of the scene, by token; others are left out."""
        found = self._boxes.filter(pl.col("token").is_in(list(tokens))).select("token", "track", "kind")
        return {token: (track, kind) for token, track, kind in found.iter_rows()}

    def rows(self, frame: int) -> pl.DataFrame:
        """The same boxes as columns of `BOXES_SCHEMA`, and `kind`."""
        return self._boxes[self._starts[frame] : self._starts[frame + 1]]

    def trails(self, frame: int, length: int) -> tuple[tuple[Array, Array], list[int]]:
        """Where the tracks of a key frame were before, over the ground.

        Args:
            frame: The key frame.
            length: Key frames that trails go back.

        Returns:
            Both ends of each piece in the global frame, metres, shape (m, 3) each, and the number of its box in the
            key frame.
        """
        first = int(self._starts[max(0, frame - length)])
        here, end = int(self._starts[frame]), int(self._starts[frame + 1])
        under = self._corners[first:end][:, [2, 3, 6, 7]].mean(axis=1)
        last: dict[str, int] = {}
        pieces: list[tuple[int, int, str]] = []
        for row, track in enumerate(self._boxes["track"][first:end].to_list()):
            if track in last:
                pieces.append((last[track], row, track))
            last[track] = row
        kept = [(start, stop, last[track]) for start, stop, track in pieces if last[track] >= here - first]
        starts, stops, boxes = (list(column) for column in zip(*kept, strict=True)) if kept else ([], [], [])
        return (under[starts], under[stops]), [row - (here - first) for row in boxes]

    def ego_way(self, frame: int, length: int) -> tuple[Array, Array]:
        """Where the ego vehicle was before: both ends of each piece in the global frame, metres, shape (m, 3)."""
        way = self._global_SE3_ego.translation[max(0, frame - length) : frame + 1]
        return way[:-1], way[1:]
