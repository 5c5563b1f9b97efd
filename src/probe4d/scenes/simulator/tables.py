"""The nuScenes tables of a simulated dataset, as JSON rows.

Schema: nuScenes v1.0 (https://www.nuscenes.org/nuscenes#data-format); sizes are width, length, height there,
rotations w-x-y-z.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from probe4d.store.hashing import canonical_json, digest

__all__ = ["TABLES", "Rows", "dataset_rows", "encode_rows", "rotation", "token", "visibility_level"]

Floats = NDArray[np.float64]
Rows = dict[str, list[dict[str, Any]]]

TABLES = (
    "attribute",
    "calibrated_sensor",
    "category",
    "ego_pose",
    "instance",
    "log",
    "map",
    "sample",
    "sample_annotation",
    "sample_data",
    "scene",
    "sensor",
    "visibility",
)

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


def token(*key: object) -> str:
    """The token of a row: 32 hexadecimal digits that depend on its key alone."""
    return digest([str(part) for part in key])[:32]


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
        "sensor": [
            {"token": token("sensor", channel), "channel": channel, "modality": modality}
            for channel, modality in channels.items()
        ],
        "map": [
            {
                "token": token("map", seed),
                "category": "semantic_prior",
                "filename": f"maps/{token('map', seed)}.png",
                "log_tokens": [token("log", seed, name) for name in names],
            }
        ],
    }


def linked(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Fill `prev` and `next` of rows that follow each other."""
    for index, row in enumerate(rows):
        row["prev"] = rows[index - 1]["token"] if index else ""
        row["next"] = rows[index + 1]["token"] if index + 1 < len(rows) else ""
    return rows


def encode_rows(rows: Iterable[dict[str, Any]]) -> bytes:
    """Rows as JSON objects, one a line, separated by commas; the brackets around them are missing."""
    return b",\n".join(canonical_json(row) for row in rows)
