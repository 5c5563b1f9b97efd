"""The words of detectors: ten prompts for road users, and what the classes of other tools are called here."""

from __future__ import annotations

from typing import Literal, NamedTuple

from probe4d.scenes.classes import CLASSES, label_of_category

__all__ = ["ROAD_USERS", "ROAD_USER_PROMPTS", "Kind", "RoadUser", "road_user"]

Kind = Literal["vehicle", "two-wheeler", "pedestrian", "thing"]
"""What a detector rarely takes for one another."""


class RoadUser(NamedTuple):
    """A kind of object that a detector is asked for.

    Attributes:
        prompt: What the detector is asked for.
        label: One of `probe4d.scenes.classes.CLASSES`; null where it is none of the ten.
        kind: What it may be mistaken for in another frame.
    """

    prompt: str
    label: str | None
    kind: Kind


ROAD_USERS: tuple[RoadUser, ...] = (
    RoadUser("car", "car", "vehicle"),
    RoadUser("van", "car", "vehicle"),  # nuScenes counts vans among its cars
    RoadUser("truck", "truck", "vehicle"),
    RoadUser("bus", "bus", "vehicle"),
    RoadUser("trailer", "trailer", "vehicle"),
    RoadUser("construction vehicle", "construction vehicle", "vehicle"),
    RoadUser("emergency vehicle", None, "vehicle"),  # nuScenes' police cars and ambulances have none of the ten labels
    RoadUser("motorcycle", "motorcycle", "two-wheeler"),
    RoadUser("cyclist", "bicycle", "two-wheeler"),  # nuScenes draws a bicycle's box around its rider, too
    RoadUser("pedestrian", "pedestrian", "pedestrian"),
)
"""The ten road-user prompts. The paper (STRIDE, A.1) says that there are ten, and not which: these are ours."""

ROAD_USER_PROMPTS: tuple[str, ...] = tuple(user.prompt for user in ROAD_USERS)
"""What a detector is asked for, in the order of `ROAD_USERS`."""

_OTHERS = {"person": "pedestrian"}
"""What COCO, whose classes most detectors have, calls otherwise."""

_KIND_OF_LABEL: dict[str, Kind] = {
    "bicycle": "two-wheeler",
    "motorcycle": "two-wheeler",
    "pedestrian": "pedestrian",
    "barrier": "thing",
    "traffic cone": "thing",
}


def road_user(category: str) -> RoadUser | None:
    """What a detector's word stands for; null where it is not known.

    Args:
        category: One of the ten prompts, one of the ten classes, `person`, or a category of nuScenes such as
            `vehicle.bus.rigid`.
    """
    for user in ROAD_USERS:
        if user.prompt == category:
            return user
    word = _OTHERS.get(category, category)
    label = word if word in CLASSES else label_of_category(word)
    return None if label is None else RoadUser(category, label, _KIND_OF_LABEL.get(label, "vehicle"))
