"""Checks the objects that questions are about: that the image shows them, where they are, and what follows."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.measuring import Filters
from probe4d.benchmarks.spatial_qa.audit.batch import Batch

__all__ = ["check_objects"]


def check_objects(batch: Batch, filters: Filters) -> None:
    """Check that each object passes the filters in its image, and every field that follows from the objects alone."""
    scene, boxes = batch.scene, batch.boxes
    batch.compare("keyframes", batch.table["keyframes"].to_list(), [scene.key_frames] * len(batch.row))
    for place in range(boxes.shape[1]):
        passes = scene.passes[batch.camera, boxes[:, place]]
        batch.add(~passes, partial(_left_out, batch, filters, place))
        asked = batch.frame.tolist()
        frames = [
            frame if told[place].frame is None else told[place].frame
            for told, frame in zip(batch.told, asked, strict=True)
        ]
        batch.compare(f"facts.objects[{place}].frame", frames, asked)
        for axis, name in enumerate("xyz"):
            stored = np.array([getattr(told[place], name) for told in batch.told])
            batch.compare_numbers(f"facts.objects[{place}].{name}", stored, scene.ego[boxes[:, place], axis])
    batch.compare("lidar_points", batch.table["lidar_points"].to_list(), _fewest_points(scene.lidar_points[boxes]))
    categories = scene.categories[boxes].tolist()
    entities = batch.expected.entities
    contexts = ["|".join((batch.template, *of[:entities])) for of in categories]
    batch.compare("context", batch.table["context"].to_list(), contexts)
    batch.compare("features", batch.table["features"].to_list(), [of[entities:] for of in categories])
    unit = "unit" if batch.expected.format == "number" else "margin_unit"
    if hasattr(batch.facts[0], unit):
        units = [getattr(facts, unit) for facts in batch.facts]
        has_one = batch.table["margin"].is_not_null().to_list()
        wanted = [
            batch.expected.unit if unit == "unit" or margin or told is not None else None
            for told, margin in zip(units, has_one, strict=True)
        ]
        batch.compare(f"facts.{unit}", units, wanted)


def _left_out(batch: Batch, filters: Filters, place: int, at: int) -> str:
    """Why an image does not show an object well enough to be asked about."""
    scene, camera, box = batch.scene, batch.camera[at], batch.boxes[at, place]
    where = f"box {scene.tokens[box]} ({batch.labels[at][place]})"
    bounds = scene.bounds_px[camera, box]
    if not np.isfinite(bounds[0]):
        return f"{scene.channels[camera]} does not show {where}"
    width, height = bounds[2:] - bounds[:2]
    if min(width, height) <= filters.min_side_px:
        return f"{where} is {width:.1f} x {height:.1f} px, and has to be larger than {filters.min_side_px:g} px"
    return f"the visibility of {where} is below level {filters.min_visibility}, or unknown"


def _fewest_points(points: NDArray[np.int64]) -> list[int | None]:
    """Fewest LiDAR returns on an object of each question; null where one is unknown or there is no object."""
    if not points.shape[1]:
        return [None] * len(points)
    fewest = points.min(axis=1)
    return [None if count < 0 else count for count in fewest.tolist()]
