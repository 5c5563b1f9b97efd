"""From the tables of the nuScenes schema to `Scenes`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TypeAlias

import polars as pl

from probe4d.origins import licence_of
from probe4d.scenes.fingerprint import fingerprint_of, table_digest
from probe4d.scenes.nuscenes.boxes import read_boxes
from probe4d.scenes.nuscenes.folder import TableFolder
from probe4d.scenes.nuscenes.key_frames import KeyFrames, read_key_frames
from probe4d.scenes.nuscenes.reader import TableReader
from probe4d.scenes.nuscenes.readings import Readings, read_readings
from probe4d.scenes.splits import official_split
from probe4d.scenes.tables import KEYFRAMES_SCHEMA, SCENES_SCHEMA, SENSORS_SCHEMA, Scenes

__all__ = ["ADAPTER", "ADAPTER_VERSION", "read_scenes"]

ADAPTER = "nuscenes"
ADAPTER_VERSION = 3
"""Raised with every change of what the tables hold, so that caches of the older adapter are left alone."""

Keep: TypeAlias = Callable[[str, pl.DataFrame], pl.DataFrame]


def read_scenes(folder: TableFolder, reference_channel: str | None, keep: Keep) -> Scenes:
    """Read all tables of a folder, a block at a time, keeping what belongs to key frames.

    Args:
        folder: The tables.
        reference_channel: Channel of the sensor whose times and poses the key frames take.
        keep: Told of each finished table and its name; gives back the table to go on with, which may be a
            copy on disk, mapped into memory.

    Raises:
        InputError: A table is missing or broken, or a row that others rest on cannot be used.
    """
    reader = TableReader(folder)
    dropped: Counter[str] = Counter()
    digests: dict[str, str] = {}

    def finished(name: str, table: pl.DataFrame) -> pl.DataFrame:
        digests[name] = table_digest(table)  # while it is in memory: mapped, every page would count twice
        return keep(name, table)

    key_frames = read_key_frames(reader)
    scenes = finished("scenes", _scene_table(key_frames, folder.version))
    channel, readings = read_readings(reader, key_frames, reference_channel, dropped)
    keyframes = finished("keyframes", _key_frame_table(key_frames, readings))
    sensors = finished("sensors", readings.table.select(*SENSORS_SCHEMA))
    ego_poses = readings.reference_poses()
    del readings
    boxes = finished("boxes", read_boxes(reader, key_frames, ego_poses, dropped))
    return Scenes(
        root=folder.root,
        version=folder.version,
        adapter=ADAPTER,
        reference_channel=channel,
        fingerprint=fingerprint_of(digests),
        licence=licence_of(folder.version).words,
        scenes=scenes,
        keyframes=keyframes,
        boxes=boxes,
        sensors=sensors,
        dropped=dict(dropped),
    )


def _scene_table(key_frames: KeyFrames, version: str) -> pl.DataFrame:
    lengths = Counter(key_frames.scene.tolist())
    return pl.DataFrame(
        [
            (
                scene.name,
                scene.token,
                official_split(scene.name, version),
                lengths[index],
                log and log.logfile,
                log and log.location,
                scene.description,
            )
            for index, (scene, log) in enumerate(zip(key_frames.scenes, key_frames.logs, strict=True))
        ],
        schema=SCENES_SCHEMA,
        orient="row",
    )


def _key_frame_table(key_frames: KeyFrames, readings: Readings) -> pl.DataFrame:
    reference = readings.table[readings.reference]
    tokens = pl.Series("token", [sample.token for sample in key_frames.samples], dtype=pl.String)
    return reference.with_columns(tokens).select(*KEYFRAMES_SCHEMA)
