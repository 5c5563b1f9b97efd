"""Rows of the nuScenes tables, for whoever writes a dataset in its schema.

Schema: nuScenes v1.0 (https://www.nuscenes.org/nuscenes#data-format); sizes are width, length, height there,
rotations w-x-y-z.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from probe4d.store.hashing import canonical_json, digest

__all__ = ["TABLES", "Row", "Rows", "encode_rows", "linked", "map_row", "sensor_rows", "token"]

Row = dict[str, Any]
Rows = dict[str, list[Row]]

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


def token(*key: object) -> str:
    """The token of a row: 32 hexadecimal digits that depend on its key alone."""
    return digest([str(part) for part in key])[:32]


def linked(rows: list[Row]) -> list[Row]:
    """Fill `prev` and `next` of rows that follow each other."""
    for index, row in enumerate(rows):
        row["prev"] = rows[index - 1]["token"] if index else ""
        row["next"] = rows[index + 1]["token"] if index + 1 < len(rows) else ""
    return rows


def sensor_rows(channels: Mapping[str, str]) -> list[Row]:
    """Rows of sensor, of the modality of each channel; their tokens are those of `("sensor", channel)`."""
    return [
        {"token": token("sensor", channel), "channel": channel, "modality": modality}
        for channel, modality in channels.items()
    ]


def map_row(map_token: str, log_tokens: Sequence[str]) -> Row:
    """The row of map for the mask that `write_map` writes."""
    return {
        "token": map_token,
        "category": "semantic_prior",
        "filename": f"maps/{map_token}.png",
        "log_tokens": list(log_tokens),
    }


def encode_rows(rows: Iterable[Row]) -> bytes:
    """Rows as JSON objects, one a line, separated by commas; the brackets around them are missing."""
    return b",\n".join(canonical_json(row) for row in rows)
