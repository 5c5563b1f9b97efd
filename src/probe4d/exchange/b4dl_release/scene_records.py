"""The metadata that a release has beside its questions, made of what is known of scenes and sequences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from probe4d.benchmarks.source import SceneNames
from probe4d.errors import InputError
from probe4d.exchange.b4dl_release.identifiers import SENSOR_KINDS, released_ids
from probe4d.exchange.b4dl_release.written_rows import WrittenRows
from probe4d.scenes.tables import Scenes

__all__ = ["Recorded", "scene_records", "sequence_records"]

_LIDAR = "LIDAR_TOP"
_CAMERAS = ("CAM_FRONT", "CAM_FRONT_LEFT", "CAM_FRONT_RIGHT", "CAM_BACK", "CAM_BACK_LEFT", "CAM_BACK_RIGHT")


class Recorded:
    """What the dataset has of the scenes that are written: files and tokens of their sensors.

    Args:
        written: What is written.
        scenes: Scenes of the dataset; null where it is not at hand.
    """

    def __init__(self, written: WrittenRows, scenes: Scenes | None) -> None:
        self._of: dict[str, _Readings] = {}
        if scenes is None:
            return
        names = SceneNames(scenes)
        known = {key: names.named(key) or names.named(scene.token) for key, scene in written.scenes.items()}
        own = pl.col("scene").is_in({name for name in known.values() if name})
        channel = pl.col("channel").replace(scenes.reference_channel, _LIDAR)
        sensors = scenes.sensors.filter(own).with_columns(channel)
        sensors = sensors.filter(pl.col("channel").is_in([*_CAMERAS, _LIDAR])).sort("channel", "frame")
        files = sensors.partition_by("scene", as_dict=True)
        samples = scenes.keyframes.filter(own).select("scene", "frame", "token").partition_by("scene", as_dict=True)
        for key, name in known.items():
            if name:
                there = files.get((name,), sensors.clear())
                self._of[key] = _Readings(name, there, samples[(name,)], scenes.root / scenes.version)

    def of(self, key: str) -> _Readings | None:
        """Files and tokens of a scene by what questions call it; null where the dataset does not have it."""
        return self._of.get(key)


class _Readings:
    """Files and tokens of a scene's sensors, by the names that the release has for them."""

    def __init__(self, scene: str, sensors: pl.DataFrame, keyframes: pl.DataFrame, tables: Path) -> None:
        self._scene, self._tables = scene, tables
        self._of = {(row["channel"], row["frame"]): row for row in sensors.iter_rows(named=True)}
        self._samples: dict[int, str] = dict(keyframes.select("frame", "token").iter_rows())

    def paths(self) -> dict[str, dict[str, str]]:
        """Files of each sensor by key frame."""
        paths: dict[str, dict[str, str]] = {}
        for (channel, frame), row in self._of.items():
            paths.setdefault(f"PATH_{channel}", {})[f"PATH_{frame:03d}"] = row["file"]
        return paths

    def frame(self, frame: int, name: str) -> dict[str, Any]:
        """A key frame of a sequence.

        Raises:
            InputError: The scene does not have it.
        """
        if frame not in self._samples:
            raise InputError(
                f"has no key frame {frame}, which a sequence of the benchmark shows.",
                path=self._tables,
                row=self._scene,
                remedy="Give the dataset that the questions are about, or import them with it (--data): then rows "
                "that end behind their scene are left out.",
            )
        record = {"frame_id": name, "sample_token": self._samples[frame]}
        for channel in (*_CAMERAS, _LIDAR):
            if row := self._of.get((channel, frame)):
                record |= {f"PATH_{channel}": row["file"], f"TOKEN_{channel}": row["token"]}
        return record


def scene_records(written: WrittenRows, recorded: Recorded) -> Iterator[dict[str, Any]]:
    """Objects of `scene_metadata.json`; those whose number of key frames is not known are not among them."""
    for key, scene in written.scenes.items():
        if scene.keyframes is None:
            continue
        digits = scene.scene_id[2:]
        record: dict[str, Any] = {"scene_token": scene.token, "scene_id": scene.scene_id}
        record |= {name: f"{kind}{digits}" for name, kind in SENSOR_KINDS.items()}
        record |= {"num_frames": scene.keyframes, "split": "train" if scene.split == "train" else "val"}
        if there := recorded.of(key):
            record["paths"] = there.paths()
        yield _told(record | {"human_annotation": scene.description})


def sequence_records(written: WrittenRows, recorded: Recorded) -> Iterator[dict[str, Any]]:
    """Objects of `sequence_metadata.json`, with files and tokens of each key frame where the dataset is at hand.

    Raises:
        InputError: A sequence shows a key frame that its scene does not have.
    """
    frames = _frame_ids(written)
    for sequence in written.sequences.values():
        scene = written.scenes[sequence.scene]
        record: dict[str, Any] = {"scene_token": scene.token, "sequence_id": sequence.sequence_id}
        record |= {"split": scene.split, "indices": sequence.indices}
        if there := recorded.of(sequence.scene):
            names = (frames[f"{sequence.sequence_id}/{frame}"] for frame in sequence.indices)
            record["frames"] = [there.frame(frame, name) for frame, name in zip(sequence.indices, names, strict=True)]
        yield _told(record)


def _frame_ids(written: WrittenRows) -> dict[str, str]:
    """Ids of the key frames of all sequences; the first shares the digits of its sequence."""
    sequences = written.sequences.values()
    first = {f"{one.sequence_id}/{one.indices[0]}": f"20{one.sequence_id[2:]}" for one in sequences}
    return released_ids([f"{one.sequence_id}/{frame}" for one in sequences for frame in one.indices], "20", first)


def _told(record: dict[str, Any]) -> dict[str, Any]:
    """A record without what is not known."""
    return {name: value for name, value in record.items() if value is not None}
