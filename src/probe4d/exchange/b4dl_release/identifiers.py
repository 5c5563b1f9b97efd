"""The release's own ids: two digits for the kind of thing, and seven that name it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from probe4d.benchmarks.sampling import rank

__all__ = ["SENSOR_KINDS", "is_released_id", "released_ids"]

SENSOR_KINDS = {
    "lidar_id": "01",
    "cam_front_id": "02",
    "cam_front_left_id": "03",
    "cam_front_right_id": "04",
    "cam_back_id": "05",
    "cam_back_left_id": "06",
    "cam_back_right_id": "07",
}
"""Kinds of the ids of a scene's sensors, which share its seven digits."""

_FIRST, _COUNT = 1_000_000, 8_999_999  # seven digits from 1000000 to 9999998
_ID = re.compile(r"[0-9]{9}")


def is_released_id(name: str, kind: str) -> bool:
    """Whether a name is an id of a kind, such as `00` for scenes or `10` for sequences."""
    return _ID.fullmatch(name) is not None and name.startswith(kind)


def released_ids(keys: Iterable[str], kind: str, known: Mapping[str, str]) -> dict[str, str]:
    """Give each key an id: the one that it has already, or one that follows from a hash of the key.

    Two keys never share an id; of those whose hashes do, the second in their order takes the next of its own. The
    release's are drawn at random, without a seed.

    Args:
        keys: What is named, such as tokens.
        kind: The two digits before the seven.
        known: Ids that some keys have.
    """
    ids = {key: known[key] for key in dict.fromkeys(keys) if key in known}
    taken = set(ids.values())
    for key in sorted(set(keys) - ids.keys()):
        attempt = 0
        while (name := _derived(key, kind, attempt)) in taken:
            attempt += 1
        taken.add(name)
        ids[key] = name
    return ids


def _derived(key: str, kind: str, attempt: int) -> str:
    digits = rank(attempt, "b4dl/ids", f"{kind}/{key}") % _COUNT + _FIRST
    return f"{kind}{digits:07d}"
