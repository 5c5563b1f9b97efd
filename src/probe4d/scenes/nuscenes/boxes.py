"""Annotated boxes: positions, sizes, tracks, velocities, and where they are from the ego vehicle."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from operator import attrgetter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.scenes.classes import label_of_category
from probe4d.scenes.geometry import SE3, rotation_of_quaternion
from probe4d.scenes.nuscenes.key_frames import KeyFrames
from probe4d.scenes.nuscenes.reader import (
    TableReader,
    check_unique,
    gathered,
    number_array,
    passing,
    row_of_token,
    sorted_rows,
)
from probe4d.scenes.nuscenes.records import Annotation, Attribute, Category, Instance, Visibility
from probe4d.scenes.tables import BOXES_SCHEMA
from probe4d.scenes.velocity import box_velocities

__all__ = ["read_boxes"]

_SLAB = 1 << 12
_NUMBERS = attrgetter("translation", "size", "rotation")

_LEVELS = {"v0-40": 1, "v40-60": 2, "v60-80": 3, "v80-100": 4, "none": 1, "partial": 2, "most": 3, "full": 4}
"""Visibility by the name of its level: nuScenes' names and those of Tier IV T4."""

_RAW_SCHEMA: dict[str, pl.DataType] = {
    "token": pl.String(),
    "key_frame": pl.Int32(),
    "track": pl.Int32(),
    "previous": pl.String(),
    "following": pl.String(),
    "visibility": pl.UInt8(),
    "attributes": pl.Int32(),
    "lidar_points": pl.Int32(),
    "radar_points": pl.Int32(),
}


@dataclass(frozen=True)
class _Tracks:
    """The instance table, sorted by token, with the category of each track."""

    tokens: pl.Series
    categories: pl.Series
    labels: pl.Series
    code_of_token: dict[str, int]


@dataclass(frozen=True)
class _Annotations:
    """The annotation table as columns: integers and tokens in `table`, numbers in an array.

    `numbers` has columns x, y, z, length, width, height, qw, qx, qy, qz.
    """

    table: pl.DataFrame
    numbers: NDArray[np.float64]

    def take(self, rows: NDArray[np.int64]) -> _Annotations:
        return _Annotations(self.table[rows], self.numbers[rows])


def read_boxes(
    reader: TableReader, key_frames: KeyFrames, ego_poses: NDArray[np.float64], dropped: Counter[str]
) -> pl.DataFrame:
    """Read tracks and boxes.

    Args:
        reader: The tables.
        key_frames: Key frames in order.
        ego_poses: global_SE3_ego of each key frame at its reference sensor's time, x, y, z, qw, qx, qy, qz,
            shape (n, 7).
        dropped: Takes in how many boxes and links could not be used, by reason.

    Returns:
        Columns of `BOXES_SCHEMA`, sorted by scene, frame, track and token.

    Raises:
        InputError: Two boxes have the same token.
    """
    tracks = _read_tracks(reader)
    annotations, attribute_lists = _read_annotations(reader, key_frames, tracks)
    check_unique(annotations.table["token"], reader.path("sample_annotation"))
    annotations = _usable(annotations, dropped)
    annotations = annotations.take(sorted_rows(annotations.table, "key_frame", "track"))
    times_us = np.array([sample.timestamp for sample in key_frames.samples], dtype=np.int64)
    previous, following = _neighbours(annotations.table, dropped)
    # The links have been followed; their tokens are a fifth of what is held here.
    annotations = _Annotations(annotations.table.drop("previous", "following"), annotations.numbers)
    velocities = box_velocities(
        annotations.numbers[:, :3], times_us[annotations.table["key_frame"].to_numpy()], previous, following
    )
    del previous, following
    return _box_table(annotations, velocities, key_frames, ego_poses, tracks, attribute_lists)


def _read_tracks(reader: TableReader) -> _Tracks:
    categories = reader.table("category", Category)
    row_of_category = row_of_token(categories, reader.path("category"))
    instances = sorted(reader.table("instance", Instance), key=lambda instance: instance.token)
    code_of_token = row_of_token(instances, reader.path("instance"))
    names: list[str | None] = []
    for instance in instances:
        row = row_of_category.get(instance.category_token)
        names.append(None if row is None else categories[row].name)
    return _Tracks(
        tokens=pl.Series("track", [instance.token for instance in instances], dtype=pl.String),
        categories=pl.Series("category", names, dtype=pl.String),
        labels=pl.Series("label", [name and label_of_category(name) for name in names], dtype=pl.String),
        code_of_token=code_of_token,
    )


def _read_annotations(
    reader: TableReader, key_frames: KeyFrames, tracks: _Tracks
) -> tuple[_Annotations, list[list[str]]]:
    """Annotations in the order of the file, and the distinct lists of attributes that they have."""
    number_of, code_of = key_frames.number_of_token, tracks.code_of_token
    level_of = {row.token: _LEVELS.get(row.level) for row in reader.table("visibility", Visibility)}
    name_of_attribute = {row.token: row.name for row in reader.table("attribute", Attribute)}
    code_of_list: dict[tuple[str, ...], int] = {}
    parts: list[pl.DataFrame] = []
    numbers: list[NDArray[np.float64]] = []
    for rows in gathered(reader.rows("sample_annotation", Annotation)):
        lists = [code_of_list.setdefault(row.attribute_tokens, len(code_of_list)) for row in rows]
        columns = {
            "token": [row.token for row in rows],
            "key_frame": [number_of.get(row.sample_token, -1) for row in rows],
            "track": [code_of.get(row.instance_token, -1) for row in rows],
            "previous": [row.prev for row in rows],
            "following": [row.next for row in rows],
            "visibility": [level_of.get(row.visibility_token or "") for row in rows],
            "attributes": lists,
            "lidar_points": [row.num_lidar_pts for row in rows],
            "radar_points": [row.num_radar_pts for row in rows],
        }
        parts.append(pl.DataFrame(columns, schema=_RAW_SCHEMA))
        # The schema's sizes are width, length, height; here they are length, width, height.
        numbers.append(number_array(map(chain.from_iterable, map(_NUMBERS, rows)), 10))
        numbers[-1][:, [3, 4]] = numbers[-1][:, [4, 3]]
    table = pl.concat([pl.DataFrame(schema=_RAW_SCHEMA), *parts])
    attribute_lists = [
        [name_of_attribute[token] for token in tokens if token in name_of_attribute] for tokens in code_of_list
    ]
    return _Annotations(table, np.concatenate([np.empty((0, 10)), *numbers])), attribute_lists


def _usable(annotations: _Annotations, dropped: Counter[str]) -> _Annotations:
    """Leave out boxes that nothing can be measured of, each counted under the first reason that holds."""
    numbers, table = annotations.numbers, annotations.table
    checks = {
        "boxes of an unknown key frame": table["key_frame"].to_numpy() >= 0,
        "boxes of an unknown track": table["track"].to_numpy() >= 0,
        "boxes whose centre, size or rotation is not finite": np.isfinite(numbers).all(axis=1),
        "boxes whose size is not positive": (numbers[:, 3:6] > 0).all(axis=1),
        "boxes whose rotation is a zero quaternion": (numbers[:, 6:] != 0).any(axis=1),
    }
    keep = passing(checks, dropped)
    return annotations if keep.all() else annotations.take(np.flatnonzero(keep))


def _neighbours(table: pl.DataFrame, dropped: Counter[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows of the previous and the following box of each, -1 without.

    A link has to lead to a box of the same track in a later (following) or earlier (previous) key frame,
    so that no chain can be a cycle; other links are counted and count as none.
    """
    order = sorted_rows(table, "track", "key_frame")
    by_track = table.select("token", "track", "key_frame", "previous", "following")[order]
    found = []
    for column, step in (("previous", -1), ("following", 1)):
        places = _linked_places(by_track, column, step)
        unsound = int(((places < 0) & _has_link(by_track, column)).sum())
        if unsound:
            dropped["links of a box that lead nowhere, to another track or the wrong way in time"] += unsound
        rows = np.empty_like(places)
        rows[order] = np.where(places < 0, -1, order[places])
        found.append(rows)
    return found[0], found[1]


def _linked_places(by_track: pl.DataFrame, column: str, step: int) -> NDArray[np.int64]:
    """Place in `by_track` to which the link of each box soundly leads, or -1."""
    # Nearly all links lead to the box beside, so that only the others have to be looked up.
    beside = (by_track[column] == by_track["token"].shift(-step)).fill_null(False).to_numpy()
    places = np.where(beside, np.arange(by_track.height) + step, -1)
    elsewhere = np.flatnonzero(~beside & _has_link(by_track, column))
    if len(elsewhere):
        place_of_token = by_track.select("token").with_row_index("place")
        wanted = pl.DataFrame({"token": by_track[column].gather(elsewhere)})
        joined = wanted.join(place_of_token, on="token", how="left", maintain_order="left")["place"]
        places[elsewhere] = joined.cast(pl.Int64).fill_null(-1).to_numpy()
    track, key_frame = by_track["track"].to_numpy(), by_track["key_frame"].to_numpy()
    sound = (places >= 0) & (track[places] == track) & ((key_frame[places] - key_frame) * step > 0)
    return np.where(sound, places, -1)


def _has_link(by_track: pl.DataFrame, column: str) -> NDArray[np.bool_]:
    return (by_track[column] != "").to_numpy()


def _box_table(
    annotations: _Annotations,
    velocities: NDArray[np.float64],
    key_frames: KeyFrames,
    ego_poses: NDArray[np.float64],
    tracks: _Tracks,
    attribute_lists: list[list[str]],
) -> pl.DataFrame:
    table, numbers = annotations.table, annotations.numbers
    key_frame, track = table["key_frame"].to_numpy(), table["track"].to_numpy()
    scenes = pl.Series("scene", [scene.name for scene in key_frames.scenes], dtype=pl.String)
    attributes = pl.Series("attributes", attribute_lists, dtype=pl.List(pl.String))
    in_ego = _in_ego(numbers, ego_poses, key_frame)
    columns = [
        scenes.gather(key_frames.scene[key_frame]),
        pl.Series("frame", key_frames.frame[key_frame], dtype=pl.Int32),
        table["token"],
        tracks.tokens.gather(track),
        tracks.categories.gather(track),
        tracks.labels.gather(track),
        *_named(numbers, ("x", "y", "z", "length", "width", "height", "qw", "qx", "qy", "qz")),
        *_named(in_ego, ("ego_x", "ego_y", "ego_z", "ego_yaw")),
        *(column.fill_nan(None) for column in _named(velocities, ("velocity_x", "velocity_y", "velocity_z"))),
        table["lidar_points"],
        table["radar_points"],
        table["visibility"],
        attributes.gather(table["attributes"]),
    ]
    return pl.DataFrame(columns).select(*BOXES_SCHEMA)


def _named(array: NDArray[np.float64], names: tuple[str, ...]) -> list[pl.Series]:
    return [pl.Series(name, np.ascontiguousarray(array[:, index])) for index, name in enumerate(names)]


def _in_ego(
    numbers: NDArray[np.float64], ego_poses: NDArray[np.float64], key_frame: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Centre x, y, z and heading of boxes in the ego frame of their key frame, shape (n, 4)."""
    ego_SE3_global = SE3.from_quaternion(ego_poses[:, 3:], ego_poses[:, :3]).inverse()
    in_ego = np.empty((len(numbers), 4))
    for start in range(0, len(numbers), _SLAB):
        slab = slice(start, start + _SLAB)
        to_ego = ego_SE3_global.at(key_frame[slab])
        in_ego[slab, :3] = to_ego.apply(numbers[slab, :3])
        ahead = rotation_of_quaternion(numbers[slab, 6:])[:, :, 0]
        heading = np.einsum("nij,nj->ni", to_ego.rotation, ahead)
        in_ego[slab, 3] = np.arctan2(heading[:, 1], heading[:, 0])
    return in_ego
