"""The ten classes that questions speak of, from the categories of nuScenes."""

from __future__ import annotations

from probe4d.origins import WAYMO_VERSIONS

__all__ = ["CLASSES", "classes_told", "label_of_category"]

CLASSES: tuple[str, ...] = (
    "car",
    "truck",
    "bus",
    "pedestrian",
    "bicycle",
    "motorcycle",
    "trailer",
    "construction vehicle",
    "barrier",
    "traffic cone",
)
"""The ten classes in their fixed order (LiDAR-Hallu, Sec. III-A), which also breaks ties in distance."""

_LABEL_OF_BRANCH = {
    "vehicle.car": "car",
    "vehicle.truck": "truck",
    "vehicle.bus": "bus",
    "human.pedestrian": "pedestrian",
    "vehicle.bicycle": "bicycle",
    "vehicle.motorcycle": "motorcycle",
    "vehicle.trailer": "trailer",
    "vehicle.construction": "construction vehicle",
}
_LABEL_OF_CATEGORY = {"movable_object.barrier": "barrier", "movable_object.trafficcone": "traffic cone"}


def label_of_category(category: str) -> str | None:
    """Class of a category, or None where it belongs to none of the ten (LiDAR-Hallu, Sec. III-A).

    Vehicles and pedestrians go by the first two parts of the dotted name (`vehicle.bus.bendy` is a bus);
    barriers and traffic cones by the whole name.
    """
    label = _LABEL_OF_CATEGORY.get(category)
    return label or _LABEL_OF_BRANCH.get(".".join(category.split(".")[:2]))


def classes_told(version: str) -> tuple[str, ...]:
    """Classes that the annotations of a dataset tell apart, in the order of `CLASSES`; no other is ever known absent.

    All ten, but for what Probe4D converts from Waymo's data: there a vehicle may be a car, a truck or another, cones
    and barriers have no boxes, and in end-to-end data nothing has.

    Args:
        version: Name of the dataset's tables.
    """
    if version == WAYMO_VERSIONS["perception"]:
        return ("pedestrian", "bicycle")
    return () if version == WAYMO_VERSIONS["end-to-end"] else CLASSES
