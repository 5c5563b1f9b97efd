"""Attributes of boxes as they join a phrase: words before or after what the object is called."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["ATTRIBUTES", "NO_ATTRIBUTE", "PARKED", "Attribute"]


class Attribute(NamedTuple):
    """An attribute of nuScenes.

    Attributes:
        name: As the tables have it.
        words: What a phrase says, `{}` being what the object is called.
        agrees: What the object has to do, as measured, for the words to be said: an attribute is not repeated that
            geometry contradicts.
    """

    name: str
    words: str
    agrees: Literal["stands", "moves", "either"]


ATTRIBUTES: tuple[Attribute, ...] = (
    Attribute("vehicle.moving", "moving {}", "moves"),
    Attribute("vehicle.stopped", "stopped {}", "stands"),
    Attribute("vehicle.parked", "parked {}", "stands"),
    Attribute("cycle.with_rider", "{} with a rider", "either"),
    Attribute("cycle.without_rider", "{} without a rider", "either"),
    Attribute("pedestrian.moving", "moving {}", "moves"),
    Attribute("pedestrian.standing", "standing {}", "stands"),
    Attribute("pedestrian.sitting_lying_down", "sitting or lying {}", "stands"),
)
"""By code: their place."""

NO_ATTRIBUTE = -1
PARKED = [attribute.name for attribute in ATTRIBUTES].index("vehicle.parked")
