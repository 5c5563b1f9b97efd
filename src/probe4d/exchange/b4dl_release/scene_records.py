"""The metadata that a release has beside its questions, made of what is known of scenes and sequences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl

from probe4d.benchmarks.source import SceneNames
from probe4d.exchange.b4dl_release.identifiers import SENSOR_KINDS, released_ids
from probe4d.exchange.b4dl_release.written_rows import WrittenRows, WrittenScene
from probe4d.scenes.tables import Scenes

__all__ = ["scene_records", "sequence_records"]

_LIDAR = "LIDAR_TOP"
_CAMERAS = ("CAM_FRONT", "CAM_FRONT_LEFT", "CAM_FRONT_RIGHT", "CAM_BACK", "CAM_BACK_LEFT", "CAM_BACK_RIGHT")


class _Readings:
    """Files and tokens of a scene's sensors, by the names that the release has for them."""

    def __init__(self, scenes: Scenes, name: str) -> None:
        channel = pl.col("channel").replace(scenes.reference_channel, _LIDAR)
        sensors = scenes.sensors.filter(pl.col("scene") == name).with_columns(channel)
        rows = sensors.filter(pl.col("channel").is_in([*_CAMERAS, _LIDAR])).sort("channel", "frame")
        self.of = {(row["channel"], row["frame"]): row for row in rows.iter_rows(named=True)}
        self.samples = dict(scenes.keyframes.filter(pl.col("scene") == name).select("frame", "token").iter_rows())

    def paths(self) -> dict[str, dict[str, str]]:
        """Files of each sensor by key frame."""
        paths: dict[str, dict[str, str]] = {}
        for (channel, frame), row in self.of.items():
            paths.setdefault(f"PATH_{channel}", {})[f"PATH_{frame:03d}"] = row["file"]
        return paths

    def frame(self, frame: int, name: str) -> dict[str, Any]:
        """A key frame of a sequence."""
        record = {"frame_id": name, "sample_token": self.samples[frame]}
        for channel in (*_CAMERAS, _LIDAR):
            if row := self.of.get((channel, frame)):
                record |= {f"PATH_{channel}": row["file"], f"TOKEN_{channel}": row["token"]}
        return record


def scene_records(written: WrittenRows, scenes: Scenes | None) -> Iterator[dict[str, Any]]:
    """Objects of `scene_metadata.json`; those whose number of key frames is not known are not among them."""
    for key, scene in written.scenes.items():
        if scene.keyframes is None:
            continue
        digits = scene.scene_id[2:]
        record: dict[str, Any] = {"scene_token": scene.token, "scene_id": scene.scene_id}
        record |= {name: f"{kind}{digits}" for name, kind in SENSOR_KINDS.items()}
        record |= {"num_frames": scene.keyframes, "split": "train" if scene.split == "train" else "val"}
        if (name := _name(key, scene, scenes)) and scenes is not None:
            record["paths"] = _Readings(scenes, name).paths()
        yield _told(record | {"human_annotation": scene.description})


def sequence_records(written: WrittenRows, scenes: Scenes | None) -> Iterator[dict[str, Any]]:
    """Objects of `sequence_metadata.json`, with files and tokens of each key frame where the dataset is at hand."""
    frames = _frame_ids(written)
    readings: dict[str, _Readings | None] = {}
    for sequence in written.sequences.values():
        scene = written.scenes[sequence.scene]
        if sequence.scene not in readings:
            name = _name(sequence.scene, scene, scenes)
            readings[sequence.scene] = _Readings(scenes, name) if name and scenes is not None else None
        record: dict[str, Any] = {"scene_token": scene.token, "sequence_id": sequence.sequence_id}
        record |= {"split": scene.split, "indices": sequence.indices}
        if there := readings[sequence.scene]:
            names = (frames[f"{sequence.sequence_id}/{frame}"] for frame in sequence.indices)
            record["frames"] = [there.frame(frame, name) for frame, name in zip(sequence.indices, names, strict=True)]
        yield _told(record)


def _frame_ids(written: WrittenRows) -> dict[str, str]:
    """Ids of the key frames of all sequences; the first shares the digits of its sequence."""
    sequences = written.sequences.values()
    first = {f"{one.sequence_id}/{one.indices[0]}": f"20{one.sequence_id[2:]}" for one in sequences}
    return released_ids([f"{one.sequence_id}/{frame}" for one in sequences for frame in one.indices], "20", first)


def _name(key: str, scene: WrittenScene, scenes: Scenes | None) -> str | None:
    """What the dataset calls a scene; null without it."""
    if scenes is None:
        return None
    names = SceneNames(scenes)
    return names.named(key) or names.named(scene.token)


def _told(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what is not known."""
    return {name: value for name, value in record.items() if value is not None}
