"""Rules about single numbers: poses, boxes, calibrations."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rule import Rule, Severity, register, rule
from probe4d.scenes.sanity.times import in_microseconds

MAX_NORM_ERROR = 1e-3
"""How far the norm of a quaternion may be from 1; rounding to four digits stays below."""

MAX_BOX_DISTANCE_M = 300.0
"""No LiDAR of a car sees an object farther off."""

MAX_BOX_SIDE_M = 75.0
"""Longer than any road vehicle or tram; a box beyond is likely in other units."""

MAX_EGO_SPEED_M_PER_S = 80.0
"""No car that records data drives faster."""

_POSITION = ("x", "y", "z")
_ROTATION = ("qw", "qx", "qy", "qz")
_SIZE = ("length", "width", "height")


class _Posed(NamedTuple):
    table: str
    word: str
    columns: tuple[str, ...]


_POSED = (
    _Posed("ego_pose", "ego-pose", (*_POSITION, *_ROTATION)),
    _Posed("calibrated_sensor", "extrinsics", (*_POSITION, *_ROTATION)),
    _Posed("sample_annotation", "box", (*_POSITION, *_ROTATION, *_SIZE)),
)

_NORM = pl.sum_horizontal(pl.col(axis) ** 2 for axis in _ROTATION).sqrt()


def _finite(columns: tuple[str, ...]) -> pl.Expr:
    return pl.all_horizontal(pl.col(columns).is_finite())


def _not_finite(posed: _Posed, data: Dataset) -> pl.Series:
    return data[posed.table].filter(~_finite(posed.columns))["token"]


def _zero_rotation(posed: _Posed, data: Dataset) -> pl.Series:
    return data[posed.table].filter(_finite(_ROTATION) & (_NORM < 1e-9))["token"]


def _unnormalised(posed: _Posed, data: Dataset) -> pl.Series:
    return data[posed.table].filter(_finite(_ROTATION) & (_NORM >= 1e-9) & ((_NORM - 1).abs() > MAX_NORM_ERROR))[
        "token"
    ]


for _base, _posed in enumerate(_POSED):
    for _number, (_find, _name, _severity, _description, _remedy) in enumerate(
        (
            (
                _not_finite,
                "not-finite",
                Severity.ERROR,
                "In a row of {table} a number of translation, rotation or size is NaN, infinite or null.",
                "Mend or remove the row.",
            ),
            (
                _zero_rotation,
                "rotation-zero",
                Severity.ERROR,
                "The rotation of a row of {table} is the zero quaternion, which is no rotation.",
                "Give the row its rotation; no rotation at all is [1, 0, 0, 0].",
            ),
            (
                _unnormalised,
                "rotation-not-unit",
                Severity.WARNING,
                "The norm of the quaternion of a row of {table} is off 1 by more than {tolerance:g}.",
                "Normalise the quaternion; check that it is in the order w, x, y, z.",
            ),
        ),
        start=1,
    ):
        register(
            Rule(
                f"VAL{10 * _base + _number:03}",
                f"{_posed.word}-{_name}",
                _severity,
                _description.format(table=_posed.table, tolerance=MAX_NORM_ERROR),
                _remedy,
                partial(_find, _posed),
                needs=(_posed.table,),
            )
        )


@rule(
    "BOX001",
    "box-size-not-positive",
    Severity.ERROR,
    "Length, width or height of a box is zero or negative.",
    "Mend or remove the box.",
    needs=("sample_annotation",),
)
def _size_not_positive(data: Dataset) -> pl.Series:
    return data["sample_annotation"].filter(pl.any_horizontal(pl.col(_SIZE) <= 0))["token"]


@rule(
    "BOX002",
    "box-implausibly-large",
    Severity.WARNING,
    f"A side of a box is longer than {MAX_BOX_SIDE_M:g} m.",
    "Check that sizes are in metres.",
    needs=("sample_annotation",),
)
def _implausibly_large(data: Dataset) -> pl.Series:
    return data["sample_annotation"].filter(
        pl.any_horizontal(pl.col(_SIZE).is_finite() & (pl.col(_SIZE) > MAX_BOX_SIDE_M))
    )["token"]


@rule(
    "BOX003",
    "box-implausibly-far",
    Severity.WARNING,
    f"A box is more than {MAX_BOX_DISTANCE_M:g} m from the ego vehicle.",
    "Check that boxes and ego poses are in the same global frame.",
    needs=("sample_annotation", "sample", "sample_data", "ego_pose", "calibrated_sensor", "sensor"),
)
def _implausibly_far(data: Dataset) -> pl.Series:
    ego = data.keyframes.select("sample", *(pl.col(axis).alias(f"ego_{axis}") for axis in _POSITION))
    distance = pl.sum_horizontal((pl.col(axis) - pl.col(f"ego_{axis}")) ** 2 for axis in _POSITION).sqrt()
    boxes = data.boxes.join(ego, on="sample", how="left", maintain_order="left")
    known = pl.all_horizontal(pl.col(f"ego_{axis}").is_not_null() for axis in _POSITION)
    return boxes.filter(known & distance.is_finite() & (distance > MAX_BOX_DISTANCE_M))["token"]


@rule(
    "BOX004",
    "box-points-negative",
    Severity.ERROR,
    "num_lidar_pts or num_radar_pts of a box is negative.",
    "Count the points again; a count that is not known is null.",
    needs=("sample_annotation",),
)
def _points_negative(data: Dataset) -> pl.Series:
    return data["sample_annotation"].filter((pl.col("num_lidar_pts") < 0) | (pl.col("num_radar_pts") < 0))["token"]


@rule(
    "EGO001",
    "ego-speed-implausible",
    Severity.WARNING,
    f"From one key frame to the next the ego vehicle moves faster than {MAX_EGO_SPEED_M_PER_S:g} m/s.",
    "Check ego poses and timestamps (microseconds) of these key frames.",
    needs=("sample", "scene", "sample_data", "ego_pose", "calibrated_sensor", "sensor"),
)
def _ego_speed_implausible(data: Dataset) -> pl.Series:
    steps = data.keyframes.drop_nulls(("scene", *_POSITION)).sort("scene", "frame")
    metres = pl.sum_horizontal((pl.col(axis) - pl.col(axis).shift()).over("scene") ** 2 for axis in _POSITION).sqrt()
    seconds = pl.col("timestamp").cast(pl.Float64).diff().over("scene") / 1e6
    is_step = (pl.col("frame").diff().over("scene") == 1) & (seconds > 0) & in_microseconds("timestamp")
    return steps.filter(is_step & metres.is_finite() & (metres > MAX_EGO_SPEED_M_PER_S * seconds))["token"]
