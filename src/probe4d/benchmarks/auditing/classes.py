"""The ten classes that questions speak of, read from categories by themselves (LiDAR-Hallu, Sec. III-A)."""

from __future__ import annotations

__all__ = ["label_of"]

_LABEL_OF_PREFIX = {
    "vehicle.car": "car",
    "vehicle.truck": "truck",
    "vehicle.bus": "bus",
    "human.pedestrian": "pedestrian",
    "vehicle.bicycle": "bicycle",
    "vehicle.motorcycle": "motorcycle",
    "vehicle.trailer": "trailer",
    "vehicle.construction": "construction vehicle",
}
_LABEL_OF_NAME = {"movable_object.barrier": "barrier", "movable_object.trafficcone": "traffic cone"}


def label_of(category: str) -> str | None:
    """Class of a category: by its first two parts, or its whole name; null where it is of none."""
    return _LABEL_OF_NAME.get(category) or _LABEL_OF_PREFIX.get(".".join(category.split(".", 2)[:2]))
