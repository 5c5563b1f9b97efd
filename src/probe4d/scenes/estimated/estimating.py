"""From detections in camera images to objects: filtered, placed, followed, and what is estimated of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec
import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.estimated.association import with_tracks
from probe4d.scenes.estimated.detections import checked_detections, front_camera
from probe4d.scenes.estimated.filters import DetectionFilters, most_telling, of_quality, without_duplicates
from probe4d.scenes.estimated.motion import with_motion, with_occlusion, with_places
from probe4d.scenes.estimated.road_users import road_user
from probe4d.scenes.estimated.schema import ESTIMATED_OBJECTS_SCHEMA, IMAGE
from probe4d.scenes.image_boxes import refuse_unusable_cameras
from probe4d.scenes.tables import Scenes

__all__ = ["EstimatedObjects", "ObjectsRecord", "estimate_objects"]

RECORD_VERSION = 1
"""Raised with every change of what the columns of objects mean."""

_TRANSFORMS = [f"{of}_{part}" for of in ("pose", "sensor") for part in ("x", "y", "z", "qw", "qx", "qy", "qz")]
_OF_READING = [*IMAGE, "timestamp_us", *_TRANSFORMS, "intrinsics", "width", "height"]


class ObjectsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Where estimated objects come from; it is kept in the file of objects.

    Attributes:
        dataset: Fingerprint of the dataset's tables.
        detector: What found them, in words: a model with its fingerprint, or the name of a file.
        channel: The camera.
        detections: How many there were.
        objects: How many of them are objects.
        dropped: How many are not, by reason.
        filters: What an object has to be.
        version: Of the columns.
    """

    dataset: str
    detector: str
    channel: str
    detections: int
    objects: int
    dropped: dict[str, int]
    filters: dict[str, Any]
    version: int = RECORD_VERSION


@dataclass(frozen=True)
class EstimatedObjects:
    """Objects of data without 3D annotations.

    Attributes:
        objects: Columns of `ESTIMATED_OBJECTS_SCHEMA`, sorted by scene, frame and track.
        record: Where they come from, and what was dropped.
    """

    objects: pl.DataFrame
    record: ObjectsRecord


def estimate_objects(
    scenes: Scenes,
    detections: pl.DataFrame,
    *,
    filters: DetectionFilters | None = None,
    channel: str | None = None,
    detector: str = "unknown",
) -> EstimatedObjects:
    """Estimate the objects of scenes from detections in one camera's images (STRIDE, A.1).

    Detections are filtered by confidence, mask quality and area, rid of duplicates, placed on flat ground, reduced to
    those of each image that matter most, and followed over the key frames; then come relative motion, range rate and
    time to collision. Other than in the paper, duplicates go before the ten are chosen: one object does not take the
    places of two. Nothing of this depends on the order of the rows.

    Args:
        scenes: The scenes.
        detections: Columns of `DETECTIONS_SCHEMA`.
        filters: What an object has to be; null takes the usual values.
        channel: The camera whose detections are taken; null takes the one ahead.
        detector: What found them, for the record.

    Raises:
        InputError: A detection does not fit the scenes (see `checked_detections`), or the camera has no calibration.
    """
    filters = DetectionFilters() if filters is None else filters
    channel = front_camera(scenes) if channel is None else channel
    checked = checked_detections(detections, scenes)
    of_camera = checked.filter(pl.col("channel") == channel)
    dropped = {"in the image of another camera": checked.height - of_camera.height}
    box_px = (pl.col("right_px") - pl.col("left_px")) * (pl.col("bottom_px") - pl.col("top_px"))
    good, of_filters = of_quality(of_camera.with_columns(pl.col("area_px").fill_null(box_px)), filters)
    single, of_duplicates = without_duplicates(good)
    placed = with_places(with_occlusion(_with_readings(single, scenes, channel)))
    telling, of_others = most_telling(placed, filters.most_objects)
    moved = with_motion(with_tracks(telling.sort(*IMAGE, maintain_order=True)))
    objects = moved.with_columns(is_cut_off=_is_cut_off()).select(list(ESTIMATED_OBJECTS_SCHEMA))
    dropped |= of_filters | of_duplicates | of_others
    record = ObjectsRecord(
        dataset=scenes.fingerprint,
        detector=detector,
        channel=channel,
        detections=detections.height,
        objects=objects.height,
        dropped={reason: count for reason, count in dropped.items() if count},
        filters=msgspec.to_builtins(filters),
    )
    return EstimatedObjects(objects, record)


def _with_readings(detections: pl.DataFrame, scenes: Scenes, channel: str) -> pl.DataFrame:
    """Detections with their labels and with what is known of the camera that took the image."""
    readings = scenes.sensors.filter(pl.col("channel") == channel)
    if readings.is_empty():
        raise InputError(f"has no camera {channel}.", path=scenes.root / scenes.version)
    refuse_unusable_cameras(readings, scenes)
    users = {word: road_user(word) for word in detections["category"].unique()}
    labels = {word: None if user is None else user.label for word, user in users.items()}
    label = pl.col("category").replace_strict(labels, return_dtype=pl.String)
    return detections.with_columns(label=label).join(
        readings.select(_OF_READING), on=IMAGE, how="left", maintain_order="left"
    )


def _is_cut_off() -> pl.Expr:
    """Whether a box ends at a border of its image, to the pixel."""
    return (
        (pl.col("left_px") < 1)
        | (pl.col("top_px") < 1)
        | (pl.col("right_px") > pl.col("width") - 1)
        | (pl.col("bottom_px") > pl.col("height") - 1)
    )
