"""Boxes of one object over the frames of a scene: the Hungarian method on overlap and class (STRIDE, A.1)."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.scenes.estimated.filters import image_slices
from probe4d.scenes.estimated.overlap import intersection_over_union
from probe4d.scenes.estimated.prediction import FASTEST_MPS, Seen, predicted_boxes, seen_boxes
from probe4d.scenes.estimated.road_users import road_user
from probe4d.scenes.projection import Cameras

__all__ = ["LEAST_AFFINITY", "MOST_FRAMES_APART", "OTHER_CLASS", "with_tracks"]

LEAST_AFFINITY = 0.05
"""Affinity below which two boxes are no one object. Low, because key frames are half a second apart, in which what
moves is not where it was predicted: on nuScenes mini, 0.1 and more lose right links and leave no fewer wrong ones."""

OTHER_CLASS = 0.5
"""What the overlap of two boxes counts where they are called otherwise but may be mistaken for one another, such as
`van` and `truck`; where they may not, it counts nothing."""

MOST_FRAMES_APART = 2
"""Key frames between two boxes of a track: one may be missing between them, and no more."""


def with_tracks(objects: pl.DataFrame) -> pl.DataFrame:
    """Give boxes of one object over the frames of a scene one name.

    The boxes of a key frame are assigned to the tracks that were seen at most `MOST_FRAMES_APART` key frames before,
    so that the sum of affinities is greatest (`scipy.optimize.linear_sum_assignment`). The affinity of a track and a
    box is the intersection over union of the box and the one that is predicted of the track (see `prediction`), times
    `OTHER_CLASS` where their classes differ, and nothing where these are of another kind (see `road_users.Kind`);
    below `LEAST_AFFINITY` they are not assigned. Whatever is not assigned begins a track.

    Boxes are predicted because the ego vehicle moves: half a second later, a parked car shows where its neighbour did.

    Args:
        objects: Columns of `DETECTIONS_SCHEMA`, sorted by image, with `x_m`, `y_m` and, of the camera's reading,
            `timestamp_us`, pose, extrinsics and intrinsics.

    Returns:
        The same rows with `track`: scene, channel and a number from 0 in the order of appearance.
    """
    cameras = Cameras.of(objects)
    every = seen_boxes(objects, cameras, *_codes(objects))
    of_scene = objects.select(pl.struct("scene", "channel").rle_id()).to_series().to_numpy()
    alive, begun, current = every.at(slice(0, 0)), 0, -1
    for rows in image_slices(objects):
        if of_scene[rows.start] != current:
            alive, begun, current = every.at(slice(0, 0)), 0, of_scene[rows.start]
        seen = every.at(rows)  # views: what is written to its arrays is written to those of `every`
        alive = alive.at(seen.frames[0] - alive.frames <= MOST_FRAMES_APART)
        before, now = _assigned(alive, seen, _camera(cameras, rows.start))
        seen.tracks[now] = alive.tracks[before]
        seen.velocities[now] = _velocities(alive.at(before), seen.at(now))
        is_new = seen.tracks < 0
        seen.tracks[is_new] = np.arange(begun, begun + is_new.sum())
        begun += int(is_new.sum())
        alive = alive.at(np.delete(np.arange(len(alive.tracks)), before)).with_more(seen)
    number = pl.Series("number", every.tracks, dtype=pl.Int64)
    return objects.with_columns(track=pl.format("{}-{}-{}", "scene", "channel", number))


def _codes(objects: pl.DataFrame) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Numbers for the classes of boxes, and for what these may be mistaken for."""
    words = objects["category"].unique().sort().to_list()
    users = [user for word in words if (user := road_user(word)) is not None]
    kinds = sorted({user.kind for user in users})
    of_word = {word: number for number, word in enumerate(words)}
    of_kind = {word: kinds.index(user.kind) for word, user in zip(words, users, strict=True)}
    categories, kind_numbers = (
        objects["category"].replace_strict(codes, return_dtype=pl.Int64).to_numpy() for codes in (of_word, of_kind)
    )
    return categories, kind_numbers


def _camera(cameras: Cameras, row: int) -> Cameras:
    """One camera without an axis of cameras."""
    transform = cameras.camera_SE3_global
    return Cameras(type(transform)(transform.rotation[row], transform.translation[row]), cameras.intrinsics[row])


def _assigned(before: Seen, now: Seen, camera: Cameras) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of boxes before and now that are of one object."""
    from scipy.optimize import linear_sum_assignment  # half of what suites take to import, and few associate boxes

    overlap = intersection_over_union(predicted_boxes(before, camera, now.times_s[0]), now.boxes)
    alike = np.where(before.categories[:, np.newaxis] == now.categories, 1.0, OTHER_CLASS)
    affinity = np.where(before.kinds[:, np.newaxis] == now.kinds, overlap * alike, 0.0)
    affinity[affinity < LEAST_AFFINITY] = 0.0
    first, second = linear_sum_assignment(affinity, maximize=True)
    is_one = affinity[first, second] > 0
    return first[is_one], second[is_one]


def _velocities(before: Seen, now: Seen) -> NDArray[np.float64]:
    """Velocities over the ground from pairs of boxes, shape (n, 3); NaN where a place is not known or plainly wrong."""
    velocities = (now.places - before.places) / (now.times_s - before.times_s)[:, np.newaxis]
    is_sound = np.linalg.norm(velocities, axis=1) <= FASTEST_MPS
    return np.where(is_sound[:, np.newaxis], velocities, np.nan)
