"""The nuScenes tables of a simulated dataset, as JSON rows.

Schema: nuScenes v1.0 (https://www.nuscenes.org/nuscenes#data-format); sizes are width, length, height there,
rotations w-x-y-z.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from probe4d.scenes.nuscenes_writing.rows import Rows, map_row, sensor_rows, token

__all__ = ["dataset_rows", "rotation", "visibility_level"]

ATTRIBUTES = {
    "vehicle.moving": "Vehicle is moving.",
    "vehicle.stopped": "Vehicle with a driver, standing.",
    "vehicle.parked": "Vehicle without a driver, standing.",
    "cycle.with_rider": "Somebody rides the cycle.",
    "cycle.without_rider": "Nobody rides the cycle.",
    "pedestrian.moving": "Pedestrian is moving.",
    "pedestrian.standing": "Pedestrian is standing.",
}
VISIBILITY = ((1, "v0-40"), (2, "v40-60"), (3, "v60-80"), (4, "v80-100"))


def rotation(yaw: float) -> list[float]:
    """Quaternion w-x-y-z of a turn by `yaw` radians about z."""
    return [float(np.cos(yaw / 2)), 0.0, 0.0, float(np.sin(yaw / 2))]


def visibility_level(hit: int, alone: int) -> int:
    """Level 1 to 4 of the share of rays that reach an object, with steps at 40, 60 and 80 %.

    An object that no ray would meet even alone is not seen at all, hence level 1.
    """
    share = hit / alone if alone else 0.0
    return 1 + sum(share >= limit for limit in (0.4, 0.6, 0.8))


def dataset_rows(seed: int, names: Sequence[str], categories: Iterable[str], channels: dict[str, str]) -> Rows:
    """Rows that belong to no scene: categories, attributes, visibility levels, sensors, logs' map.

    Args:
        seed: Seed of the dataset.
        names: Names of its scenes.
        categories: Category names.
        channels: Modality of each sensor channel.
    """
    return {
        "category": [
            {
                "token": token("category", name),
                "name": name,
                "description": f"Simulated {name.split('.')[-1]}.",
                "index": index,
            }
            for index, name in enumerate(categories, start=1)
        ],
        "attribute": [
            {"token": token("attribute", name), "name": name, "description": text} for name, text in ATTRIBUTES.items()
        ],
        "visibility": [
            {"token": str(level), "level": name, "description": f"{name[1:]} % of the rays towards it reach it."}
            for level, name in VISIBILITY
        ],
        "sensor": sensor_rows(channels),
        "map": [map_row(token("map", seed), [token("log", seed, name) for name in names])],
    }
