"""Rules about cameras: intrinsics and image sizes."""

from __future__ import annotations

import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rule import Severity, rule

_NEEDS = ("calibrated_sensor", "sensor")


def _intrinsics(data: Dataset) -> pl.DataFrame:
    """Cameras that have intrinsics, with whether these are 3 x 3 (`square`)."""
    lengths = pl.col("camera_intrinsic").list.eval(pl.element().list.len())
    is_square = (lengths.list.len() == 3) & lengths.list.eval(pl.element() == 3).list.all()
    cameras = data.sensors.filter((pl.col("modality") == "camera") & (pl.col("camera_intrinsic").list.len() > 0))
    return cameras.with_columns(is_square.alias("square"))


@rule(
    "CAM001",
    "intrinsics-missing",
    Severity.ERROR,
    "A camera has no intrinsics.",
    "Add camera_intrinsic, 3 x 3, in pixels.",
    needs=_NEEDS,
)
def _intrinsics_missing(data: Dataset) -> pl.Series:
    is_camera = pl.col("modality") == "camera"
    return data.sensors.filter(is_camera & (pl.col("camera_intrinsic").list.len() == 0))["token"]


@rule(
    "CAM002",
    "intrinsics-not-3x3",
    Severity.ERROR,
    "The intrinsics of a camera are no 3 x 3 matrix.",
    "Mend camera_intrinsic.",
    needs=_NEEDS,
)
def _intrinsics_not_square(data: Dataset) -> pl.Series:
    return _intrinsics(data).filter(~pl.col("square"))["token"]


@rule(
    "CAM003",
    "focal-length-not-positive",
    Severity.ERROR,
    "A focal length of a camera is not a positive number of pixels.",
    "Mend camera_intrinsic: its first and fifth number are the focal lengths.",
    needs=_NEEDS,
)
def _focal_length_not_positive(data: Dataset) -> pl.Series:
    focal = [pl.col("camera_intrinsic").list.get(axis).list.get(axis) for axis in (0, 1)]
    is_right = pl.all_horizontal((length.is_finite() & (length > 0)).fill_null(value=False) for length in focal)
    return _intrinsics(data).filter("square").filter(~is_right)["token"]


@rule(
    "CAM004",
    "image-size-missing",
    Severity.ERROR,
    "A key-frame image has no width or height, so that nothing can be said to lie inside it.",
    "Add width and height in pixels.",
    needs=("sample_data", "sample", *_NEEDS),
)
def _image_size_missing(data: Dataset) -> pl.Series:
    side = pl.col("width", "height").fill_null(0)
    return data.readings.filter((pl.col("modality") == "camera") & pl.any_horizontal(side <= 0))["token"]


@rule(
    "CAM005",
    "principal-point-outside",
    Severity.WARNING,
    "The principal point of a camera lies outside its image.",
    "Check that intrinsics and image belong to the same resolution.",
    needs=("sample_data", "sample", *_NEEDS),
)
def _principal_point_outside(data: Dataset) -> pl.Series:
    readings = data.readings.filter((pl.col("width") > 0) & (pl.col("height") > 0))
    sizes = (
        readings.with_columns(data["calibrated_sensor"]["token"].gather(readings["calibrated_sensor"]))
        .group_by("token")
        .agg(pl.col("width", "height").min())
    )
    cameras = _intrinsics(data).filter("square").join(sizes, on="token", maintain_order="left")
    x, y = (pl.col("camera_intrinsic").list.get(axis).list.get(2) for axis in (0, 1))
    is_inside = x.is_between(0, pl.col("width")) & y.is_between(0, pl.col("height"))
    return cameras.filter(~is_inside.fill_null(value=False))["token"]
