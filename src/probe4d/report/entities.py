"""Which boxes of a key frame a picture points out, found in the columns of one scene."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.facts import pointed_objects, witness_of
from probe4d.benchmarks.question import Question
from probe4d.report.pointed_out import DECIDES, Kind, kind_of, pointed_out
from probe4d.report.shapes import Point
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SE3

__all__ = ["Entity", "SceneBoxes", "entities_at", "measured_elsewhere", "unpack"]


@dataclass(frozen=True)
class Entity:
    """A box to be pointed out; without a size it is drawn as a point."""

    kind: Kind
    label: str
    x: float
    y: float
    size: tuple[float, float, float] | None  # length, width, yaw
    track: str | None
    z: float = 0.0  # 0 where distances are those in the ground plane

    def away_m(self, other: Entity | None = None) -> float:
        """Distance of the centre from the ego origin, or from another one's centre."""
        origin = (0.0, 0.0, 0.0) if other is None else (other.x, other.y, other.z)
        return math.dist((self.x, self.y, self.z), origin)


@dataclass(frozen=True)
class SceneBoxes:
    """Boxes of one scene as columns, sorted by frame; rows `starts[f]:starts[f + 1]` are those of frame f."""

    starts: NDArray[np.int64]
    tokens: list[str]
    tracks: list[str]
    labels: list[str | None]
    columns: NDArray[np.float64]  # (n, 5): x, y (ego frame), length, width, yaw
    elevations_m: list[float]  # z of the centres (ego frame)
    seen: list[bool]  # has LiDAR returns, as far as is known
    poses: frozenset[str]  # tokens of the ego poses of its key frames
    global_SE3_ego: SE3  # (key frames)

    @property
    def keyframes(self) -> int:
        """Number of key frames."""
        return len(self.global_SE3_ego.translation)

    def rows(self, frame: int) -> range:
        """Rows of a key frame; none if the scene does not have it."""
        if not 0 <= frame < self.keyframes:
            return range(0)
        return range(int(self.starts[frame]), int(self.starts[frame + 1]))

    def entity(self, row: int, kind: Kind) -> Entity:
        """The box of a row."""
        x, y, length, width, yaw = self.columns[row].tolist()
        return Entity(kind, self.labels[row] or "object", x, y, (length, width, yaw), self.tracks[row])

    def relative(self, frames: range, frame: int) -> list[Point]:
        """Where the ego vehicle is at some frames, in the ego frame of one of them, metres in the ground plane."""
        ego_SE3_global = self.global_SE3_ego.at(np.array(frame)).inverse()
        forward, left, _ = ego_SE3_global.apply(self.global_SE3_ego.translation[frames]).T
        return list(zip(forward.tolist(), left.tolist(), strict=True))


def unpack(boxes: pl.DataFrame, keyframes: pl.DataFrame) -> SceneBoxes:
    """Take the tables of one scene apart into columns; boxes without a place or size are left out."""
    boxes, keyframes = boxes.sort("frame", "track"), keyframes.sort("frame")
    usable = boxes.drop_nulls(["ego_x", "ego_y", "length", "width", "ego_yaw"])
    return SceneBoxes(
        starts=np.searchsorted(usable["frame"].to_numpy(), np.arange(keyframes.height + 1)),
        tokens=usable["token"].to_list(),
        tracks=usable["track"].to_list(),
        labels=usable["label"].to_list(),
        columns=usable.select("ego_x", "ego_y", "length", "width", "ego_yaw").to_numpy(),
        elevations_m=usable["ego_z"].fill_null(0.0).to_list(),
        seen=usable.select(pl.col("lidar_points").is_null() | (pl.col("lidar_points") > 0)).to_series().to_list(),
        poses=frozenset(keyframes["pose_token"].drop_nulls()),
        global_SE3_ego=SE3.from_quaternion(
            keyframes.select("pose_qw", "pose_qx", "pose_qy", "pose_qz").to_numpy(),
            keyframes.select("pose_x", "pose_y", "pose_z").to_numpy(),
        ),
    )


def measured_elsewhere(question: Question, part: SceneBoxes) -> bool:
    """Whether a question names the records it was measured from, and the scene holds none of them."""
    named = {pose.get("token") for pose in question.facts.get("poses") or () if isinstance(pose, dict)}
    named |= {*(one.box for one in pointed_objects(question)), witness_of(question)}
    named.discard(None)
    return bool(named) and named.isdisjoint(part.poses) and named.isdisjoint(part.tokens)


def entities_at(question: Question, part: SceneBoxes, frames: Sequence[int]) -> dict[int, list[Entity]]:
    """The boxes to be pointed out at each frame: those the rule measured, else the nearest of the classes asked about.

    Imported questions come without measurements; for them the first frame's nearest object is followed over
    the frames, and further objects of its class are kept as a group.
    """
    found: dict[int, list[Entity]] = {}
    followed: set[str] = set()
    for frame in frames:
        found[frame] = _measured(question, part, frame) or _nearest(question, part, frame, followed)
        followed |= {entity.track for entity in found[frame] if entity.kind == "target" and entity.track}
    return found


def _measured(question: Question, part: SceneBoxes, frame: int) -> list[Entity]:
    rows = {part.tokens[row]: row for row in part.rows(frame)}
    in_space = question.channel is not None  # what a camera shows is measured in space, all else in the ground plane
    found = []
    for kind, _, label, one in pointed_out(question):
        if one.frame != frame:
            continue
        z = (one.z or 0.0) if in_space else 0.0
        if one.box in rows:
            found.append(replace(part.entity(rows[one.box], kind), label=label, z=z))
        elif one.x is not None and one.y is not None:
            found.append(Entity(kind, label, one.x, one.y, None, one.track, z))
    if (row := rows.get(witness_of(question) or "")) is not None:
        witness = part.entity(row, "witness")
        found.append(replace(witness, label=f"{witness.label} {DECIDES}", z=part.elevations_m[row]))
    return found


def _nearest(question: Question, part: SceneBoxes, frame: int, followed: set[str]) -> list[Entity]:
    offered = set(question.options) & set(CLASSES) if question.format == "choice" else set()
    wanted = set(question.entities) or offered
    rows = [row for row in part.rows(frame) if part.seen[row] and part.labels[row] in wanted]
    rows.sort(key=lambda row: math.hypot(*part.columns[row, :2]))
    kept = [row for row in rows if part.tracks[row] in followed]
    first: set[str | None] = set()
    found = []
    for row in kept or rows:
        if part.labels[row] not in first:
            first.add(part.labels[row])
            found.append(part.entity(row, kind_of(question, str(part.labels[row]))))
        elif part.labels[row] in question.entities:
            found.append(part.entity(row, "group"))
    return found
