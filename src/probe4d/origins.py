"""What a dataset is and under which licence it stands, as far as the name of its tables tells.

The adapter's format does not name a dataset: many are written in that of nuScenes.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["SIMULATED_VERSION", "WAYMO_VERSIONS", "Licence", "licence_in_words", "licence_of", "title_of"]

SIMULATED_VERSION = "v1.0-sim"
"""Name of the tables that Probe4D simulates."""

WAYMO_VERSIONS = {"end-to-end": "v1.0-wod-e2e", "perception": "v1.0-waymo"}
"""Names of the tables that Probe4D converts from Waymo's data, by its kind."""

_NUSCENES_VERSIONS = frozenset({"v1.0-mini", "v1.0-trainval", "v1.0-test"})


class Licence(NamedTuple):
    """A licence.

    Attributes:
        words: What binds whoever uses the dataset, in words.
        identifier: As dataset hubs know it: an SPDX identifier in small letters, `unknown`, or `other`.
        name: Identifier of one that hubs know as `other` alone; else null.
        url: Where its text is; null where that is not known.
    """

    words: str
    identifier: str
    name: str | None = None
    url: str | None = None


_NUSCENES = Licence(
    "CC BY-NC-SA 4.0 and the nuScenes terms of use (non-commercial)",
    "other",
    "cc-by-nc-sa-4.0-and-nuscenes-terms",
    "https://www.nuscenes.org/terms-of-use",
)
_SIMULATED = Licence(
    "CC0 1.0 Universal: simulated by Probe4D, of no real place, vehicle or person",
    "cc0-1.0",
    url="https://creativecommons.org/publicdomain/zero/1.0/",
)
_WAYMO = Licence(
    "Waymo Dataset License Agreement for Non-Commercial Use",
    "other",
    "waymo-dataset-license-agreement",
    "https://waymo.com/open/terms/",
)
_UNSTATED = Licence("not stated by the dataset's tables; see its own licence", "unknown")


def licence_of(version: str) -> Licence:
    """Licence of a dataset in the format of nuScenes by the name of its tables."""
    if version in _NUSCENES_VERSIONS:
        return _NUSCENES
    if version in WAYMO_VERSIONS.values():
        return _WAYMO
    return _SIMULATED if version == SIMULATED_VERSION else _UNSTATED


def licence_in_words(words: str) -> Licence:
    """The licence that a record states in words; one that is not known here is called `see-card`."""
    known = {licence.words: licence for licence in (_NUSCENES, _SIMULATED, _WAYMO, _UNSTATED)}
    return known.get(words) or Licence(words, "other", "see-card")


def title_of(adapter: str, version: str) -> str:
    """What a dataset is called in a sentence, such as `nuScenes v1.0-trainval` or `v1.0-kitti (in nuScenes format)`."""
    if adapter != "nuscenes":
        return f"{adapter}, {version}"
    if version in _NUSCENES_VERSIONS:
        return f"nuScenes {version}"
    if version == SIMULATED_VERSION:
        return f"Probe4D's simulation ({version}, in nuScenes format)"
    for kind, converted in WAYMO_VERSIONS.items():
        if version == converted:
            return f"Waymo's {kind} data ({version}, in nuScenes format)"
    return f"{version} (in nuScenes format)"
