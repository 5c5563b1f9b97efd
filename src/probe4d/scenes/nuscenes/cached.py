"""Opens tables of the nuScenes schema: from the cache where they have not changed, else from the files."""

from __future__ import annotations

from typing import Any

from probe4d.scenes.nuscenes.adapter import ADAPTER, ADAPTER_VERSION, read_scenes
from probe4d.scenes.nuscenes.folder import TableFolder
from probe4d.scenes.tables import Scenes
from probe4d.store import cache

__all__ = ["open_tables"]

_FACTS = ("reference_channel", "fingerprint", "licence", "dropped")


def open_tables(folder: TableFolder, reference_channel: str | None) -> Scenes:
    """Open a folder of tables, as `probe4d.scenes.opening.open_scenes` says.

    The cache knows tables by path, size and time of change, and by the version of the adapter that read
    them. It lies in the cache folder, never in the dataset.
    """
    subject = f"{folder.path.resolve()} reference {reference_channel or 'chosen'}"
    key = _key(folder, reference_channel)
    entry = cache.load(subject, key)
    if entry is not None:
        return _scenes(folder, entry)
    with cache.stage() as stage:
        scenes = read_scenes(folder, reference_channel, stage.keep)
        if _key(folder, reference_channel) == key:  # else the tables changed while they were read
            stage.finish(subject, key, {name: getattr(scenes, name) for name in _FACTS})
    return scenes


def _scenes(folder: TableFolder, entry: cache.Entry) -> Scenes:
    return Scenes(
        root=folder.root,
        version=folder.version,
        adapter=ADAPTER,
        reference_channel=entry.facts["reference_channel"],
        fingerprint=entry.facts["fingerprint"],
        licence=entry.facts["licence"],
        dropped=entry.facts["dropped"],
        scenes=entry.tables["scenes"],
        keyframes=entry.tables["keyframes"],
        boxes=entry.tables["boxes"],
        sensors=entry.tables["sensors"],
    )


def _key(folder: TableFolder, reference_channel: str | None) -> dict[str, Any]:
    return {
        "adapter": ADAPTER,
        "adapter_version": ADAPTER_VERSION,
        "path": str(folder.path.resolve()),
        "reference_channel": reference_channel,
        "files": folder.states(),
    }
