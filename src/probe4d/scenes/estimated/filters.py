"""Which detections are objects: sure enough, large enough, each once, and at most ten an image."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.scenes.estimated.overlap import intersection_over_union
from probe4d.scenes.estimated.schema import BOX, IMAGE

__all__ = ["SAME_OBJECT_IOU", "DetectionFilters", "most_telling", "of_quality", "without_duplicates"]

SAME_OBJECT_IOU = 0.7
"""Overlap from which two boxes of an image are one object, whatever their classes: the same vehicle answers to `van`
and to `truck` with nearly one box, while two people side by side, or a rider and the bicycle, overlap less."""

PROXIMITY_M = 50.0
"""Distance at which an object is half as near as one at the vehicle, in the score that ranks objects."""

_RELEVANCE_OF_LANE = {"ego lane": 1.0, "left lane": 0.5, "right lane": 0.5, "farther": 0.0}
_VULNERABLE = ("pedestrian", "bicycle", "motorcycle")


@dataclass(frozen=True)
class DetectionFilters:
    """What a detection has to be, to be taken for an object. The paper (STRIDE, A.1) names these, without values.

    Attributes:
        min_confidence: Least confidence; 0.5 is where SAM 3 and most detectors put the border themselves.
        min_mask_quality: Least mask quality. For SAM 3 that is how little a mask changes when its threshold moves;
            SAM keeps masks of 0.95 and above where nobody says what is looked for, and the small masks of far road
            users change more. A detection whose tool says nothing of masks passes.
        min_area_px: Least area; 400 pixels are a pedestrian 100 m away in a camera of Waymo (focal length about
            2000 pixels).
        most_objects: Most objects of an image (STRIDE, A.1: ten).

    Raises:
        InputError: A value is none that there is.
    """

    min_confidence: float = 0.5
    min_mask_quality: float = 0.8
    min_area_px: float = 400.0
    most_objects: int = 10

    def __post_init__(self) -> None:
        for name, share in (("confidence", self.min_confidence), ("mask quality", self.min_mask_quality)):
            if not 0 <= share <= 1:
                raise InputError(f"the least {name} must be within 0 and 1, not {share:g}.")
        if not 0 <= self.min_area_px < float("inf"):
            raise InputError(f"the least area must be 0 pixels or more, not {self.min_area_px:g}.")
        if self.most_objects < 1:
            raise InputError(f"at least one object an image must be kept, not {self.most_objects}.")


def of_quality(detections: pl.DataFrame, filters: DetectionFilters) -> tuple[pl.DataFrame, dict[str, int]]:
    """Keep what is sure and large enough.

    Args:
        detections: Columns of `DETECTIONS_SCHEMA`, `area_px` without null.
        filters: What it has to be.

    Returns:
        The rows that are, and how many are not, by the first reason.
    """
    dropped = {}
    for reason, is_kept in (
        (f"confidence below {filters.min_confidence:g}", pl.col("confidence") >= filters.min_confidence),
        (
            f"mask quality below {filters.min_mask_quality:g}",
            (pl.col("mask_quality") >= filters.min_mask_quality).fill_null(value=True),
        ),
        (f"area below {filters.min_area_px:g} pixels", pl.col("area_px") >= filters.min_area_px),
    ):
        kept = detections.filter(is_kept)
        dropped[reason] = detections.height - kept.height
        detections = kept
    return detections, dropped


def without_duplicates(detections: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, int]]:
    """Of boxes of an image that overlap by `SAME_OBJECT_IOU` and more, keep the one that is surest.

    The surest is kept, all that are one object with it are dropped, and so on with the next (greedy non-maximum
    suppression); of equally sure ones the larger comes first, then the order of class and box.

    Args:
        detections: Columns of `DETECTIONS_SCHEMA`, `area_px` without null.

    Returns:
        The rows that are kept, sorted by image and from sure to unsure, and how many are not.
    """
    order = [*IMAGE, "confidence", "area_px", "category", *BOX]
    falls = [name in ("confidence", "area_px") for name in order]
    ranked = detections.sort(order, descending=falls)
    boxes, keep = ranked.select(BOX).to_numpy(), np.ones(ranked.height, dtype=bool)
    for rows in image_slices(ranked):
        keep[rows] = _survivors(boxes[rows])
    kept = ranked.filter(pl.Series(keep))
    return kept, {f"overlaps a surer box by {SAME_OBJECT_IOU:g} or more": ranked.height - kept.height}


def image_slices(table: pl.DataFrame) -> list[slice]:
    """The rows of each image of a table that is sorted by image."""
    if table.is_empty():
        return []
    starts = np.flatnonzero(table.select((pl.struct(IMAGE).rle_id().diff() != 0).fill_null(value=True)).to_series())
    ends = [*starts[1:], table.height]
    return [slice(start, end) for start, end in zip(starts, ends, strict=True)]


def _survivors(boxes: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which boxes, the surest first, are no duplicates of a surer one that is kept."""
    same = intersection_over_union(boxes, boxes) >= SAME_OBJECT_IOU
    kept = np.zeros(len(boxes), dtype=bool)
    for number in range(len(boxes)):
        kept[number] = not (same[number] & kept).any()
    return kept


def most_telling(objects: pl.DataFrame, most: int) -> tuple[pl.DataFrame, dict[str, int]]:
    """Keep the objects of each image that matter most to the driver.

    They are ranked by the sum of confidence, proximity and relevance, each 0 to 1 (the paper, STRIDE, A.1, names the
    three, and no formula):

    - proximity is 1 / (1 + distance / `PROXIMITY_M`), and 0 where the distance is not known;
    - relevance is the mean of what it is (1 for people and two-wheelers, who are hurt, else 0) and where it is
      (1 in the ego lane, a half in the lanes beside it, else 0).

    Args:
        objects: Columns `confidence`, `distance_m`, `label` and `lane_bin`, and those that name an image.
        most: Most objects of an image.

    Returns:
        The rows that are kept, in the order given, and how many are not.
    """
    proximity = (1 / (1 + pl.col("distance_m") / PROXIMITY_M)).fill_null(0.0)
    where = pl.col("lane_bin").replace_strict(_RELEVANCE_OF_LANE, default=0.0, return_dtype=pl.Float64)
    what = pl.col("label").is_in(_VULNERABLE).fill_null(value=False).cast(pl.Float64)
    ranked = objects.with_columns(score=pl.col("confidence") + proximity + (what + where) / 2).with_columns(
        rank=pl.col("score").rank("ordinal", descending=True).over(IMAGE)
    )
    kept = ranked.filter(pl.col("rank") <= most).drop("score", "rank")
    return kept, {f"beyond the {most} objects that matter most in their image": objects.height - kept.height}
