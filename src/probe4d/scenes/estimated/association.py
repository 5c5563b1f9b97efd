"""Boxes of one object over the frames of a scene: the Hungarian method on overlap and class (STRIDE, A.1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment

from probe4d.scenes.estimated.filters import image_slices
from probe4d.scenes.estimated.overlap import intersection_over_union
from probe4d.scenes.estimated.road_users import road_user
from probe4d.scenes.estimated.schema import BOX

__all__ = ["LEAST_AFFINITY", "MOST_FRAMES_APART", "OTHER_CLASS", "with_tracks"]

LEAST_AFFINITY = 0.1
"""Affinity below which two boxes are no one object. Low, because key frames are half a second apart: a car that
drives 10 m/s faster than the ego vehicle, 20 m ahead, shrinks to two thirds of its area between two of them."""

OTHER_CLASS = 0.5
"""What the overlap of two boxes counts where they are called otherwise but may be mistaken for one another, such as
`van` and `truck`; where they may not, it counts nothing."""

MOST_FRAMES_APART = 2
"""Key frames between two boxes of a track: one may be missing between them, and no more."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _Boxes:
    """Boxes of one image, or the last ones of tracks.

    Attributes:
        boxes: Left, top, right and bottom in pixels, shape (n, 4).
        categories: Codes of their classes, shape (n,).
        kinds: Codes of what they may be mistaken for, shape (n,).
        frames: Their key frames, shape (n,).
        tracks: Numbers of their tracks, shape (n,).
    """

    boxes: Array
    categories: NDArray[np.int64]
    kinds: NDArray[np.int64]
    frames: NDArray[np.int64]
    tracks: NDArray[np.int64]

    def at(self, rows: slice | NDArray[np.intp] | NDArray[np.bool_]) -> _Boxes:
        return _Boxes(self.boxes[rows], self.categories[rows], self.kinds[rows], self.frames[rows], self.tracks[rows])

    def with_more(self, more: _Boxes) -> _Boxes:
        return _Boxes(
            np.concatenate([self.boxes, more.boxes]),
            np.concatenate([self.categories, more.categories]),
            np.concatenate([self.kinds, more.kinds]),
            np.concatenate([self.frames, more.frames]),
            np.concatenate([self.tracks, more.tracks]),
        )


def with_tracks(objects: pl.DataFrame) -> pl.DataFrame:
    """Give boxes of one object over the frames of a scene one name.

    The boxes of a key frame are assigned to the tracks that were seen at most `MOST_FRAMES_APART` key frames before,
    so that the sum of affinities is greatest (`scipy.optimize.linear_sum_assignment`). The affinity of two boxes is
    their intersection over union, times `OTHER_CLASS` where their classes differ, and nothing where these are of
    another kind (see `road_users.Kind`); below `LEAST_AFFINITY` they are not assigned. Whatever is not assigned
    begins a track.

    Args:
        objects: Columns of `DETECTIONS_SCHEMA`, sorted by image.

    Returns:
        The same rows with `track`: scene, channel and a number from 0 in the order of appearance.
    """
    every = _as_arrays(objects)
    scenes = objects.select(pl.struct("scene", "channel").rle_id())
    number_of_scene = scenes.to_series().to_numpy()
    alive, begun, current = every.at(slice(0, 0)), 0, -1
    for rows in image_slices(objects):
        if number_of_scene[rows.start] != current:
            alive, begun, current = every.at(slice(0, 0)), 0, number_of_scene[rows.start]
        seen = every.at(rows)  # views: what is written to `tracks` is written to `every`
        alive = alive.at(seen.frames[0] - alive.frames <= MOST_FRAMES_APART)
        before, now = _assigned(alive, seen)
        seen.tracks[now] = alive.tracks[before]
        is_new = np.ones(len(seen.tracks), dtype=bool)
        is_new[now] = False
        seen.tracks[is_new] = np.arange(begun, begun + is_new.sum())
        begun += int(is_new.sum())
        goes_on = np.ones(len(alive.tracks), dtype=bool)
        goes_on[before] = False
        alive = alive.at(goes_on).with_more(seen)
    number = pl.Series("number", every.tracks, dtype=pl.Int64)
    return objects.with_columns(track=pl.format("{}-{}-{}", "scene", "channel", number))


def _as_arrays(objects: pl.DataFrame) -> _Boxes:
    words = objects["category"].unique().sort().to_list()
    kinds = sorted({user.kind for word in words if (user := road_user(word)) is not None})
    kind_of = {word: kinds.index(user.kind) for word in words if (user := road_user(word)) is not None}
    code_of = {word: code for code, word in enumerate(words)}
    coded = objects.select(
        category=pl.col("category").replace_strict(code_of, return_dtype=pl.Int64),
        kind=pl.col("category").replace_strict(kind_of, return_dtype=pl.Int64),
        frame=pl.col("frame").cast(pl.Int64),
    )
    return _Boxes(
        objects.select(BOX).to_numpy(),
        coded["category"].to_numpy(),
        coded["kind"].to_numpy(),
        coded["frame"].to_numpy(),
        np.full(objects.height, -1, dtype=np.int64),
    )


def _assigned(before: _Boxes, now: _Boxes) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Numbers of boxes before and now that are of one object."""
    overlap = intersection_over_union(before.boxes, now.boxes)
    alike = np.where(before.categories[:, np.newaxis] == now.categories, 1.0, OTHER_CLASS)
    affinity = np.where(before.kinds[:, np.newaxis] == now.kinds, overlap * alike, 0.0)
    affinity[affinity < LEAST_AFFINITY] = 0.0
    first, second = linear_sum_assignment(affinity, maximize=True)
    is_one = affinity[first, second] > 0
    return first[is_one], second[is_one]
