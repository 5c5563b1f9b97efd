"""What a dataset holds, in numbers, as far as its tables can be read."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from probe4d.scenes.classes import CLASSES, label_of_category
from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.splits import official_split

__all__ = ["Summary", "summarise"]


@dataclass(frozen=True)
class Summary:
    """What a dataset holds; null where the tables that would tell are missing or unreadable.

    Attributes:
        scenes: Number of scenes.
        splits: Number of scenes by official split; the key null counts those of none.
        keyframes: Number of key frames.
        tracks: Number of instances.
        boxes: Number of boxes.
        boxes_by_class: Number of boxes of each of the ten classes, in their order.
        boxes_of_no_class: Number of boxes of other categories.
        boxes_without_lidar_points: Number of boxes with no LiDAR return.
        boxes_with_unknown_points: Number of boxes that do not say how many they have.
    """

    scenes: int | None
    splits: dict[str | None, int] | None
    keyframes: int | None
    tracks: int | None
    boxes: int | None
    boxes_by_class: dict[str, int] | None
    boxes_of_no_class: int | None
    boxes_without_lidar_points: int | None
    boxes_with_unknown_points: int | None


def summarise(data: Dataset) -> Summary:
    """Count what a dataset holds."""
    boxes = data.tables.get("sample_annotation")
    labels = _labels(data)
    return Summary(
        scenes=_rows(data, "scene"),
        splits=_splits(data),
        keyframes=_rows(data, "sample"),
        tracks=_rows(data, "instance"),
        boxes=_rows(data, "sample_annotation"),
        boxes_by_class=None if labels is None else {label: int((labels == label).sum()) for label in CLASSES},
        boxes_of_no_class=None if labels is None else labels.null_count(),
        boxes_without_lidar_points=None if boxes is None else int((boxes["num_lidar_pts"] == 0).sum()),
        boxes_with_unknown_points=None if boxes is None else boxes["num_lidar_pts"].null_count(),
    )


def _rows(data: Dataset, table: str) -> int | None:
    return len(data[table]) if table in data.tables else None


def _splits(data: Dataset) -> dict[str | None, int] | None:
    if "scene" not in data.tables:
        return None
    counts: dict[str | None, int] = {}
    for name in data["scene"]["name"]:
        split = official_split(name, data.version)
        counts[split] = counts.get(split, 0) + 1
    return dict(sorted(counts.items(), key=lambda item: (item[0] is None, item[0])))


def _labels(data: Dataset) -> pl.Series | None:
    """Class of every box, null where its category belongs to none."""
    if not {"sample_annotation", "instance", "category"} <= data.tables.keys():
        return None
    labels = pl.Series([label_of_category(name) for name in data["category"]["name"]], dtype=pl.String)
    return labels.gather(data["instance"]["category"].gather(data["sample_annotation"]["instance"]))
