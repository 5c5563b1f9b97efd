"""Converts WOD-E2E into a folder in the schema of nuScenes: one scene a sequence, two key frames a second."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from probe4d.errors import InputError
from probe4d.origins import WAYMO_VERSIONS
from probe4d.scenes.fingerprint import table_digest
from probe4d.scenes.nuscenes_writing.conversion import Conversion, Converted, Target, as_columns, convert_scenes
from probe4d.scenes.nuscenes_writing.scene_records import SceneRecord
from probe4d.scenes.nuscenes_writing.scene_writer import SceneWriter, file_stem
from probe4d.scenes.nuscenes_writing.watching import Stages, unwatched
from probe4d.scenes.waymo_format.cameras import CHANNELS
from probe4d.scenes.waymo_format.index import FrameIndex
from probe4d.scenes.waymo_format.reading import Place, place_of
from probe4d.scenes.waymo_format.resampling import RATE_HZ
from probe4d.scenes.waymo_format.values import Unfit
from probe4d.scenes.waymo_format.writing import camera_reading, chosen_frames, faults_of, left_out, own_time_us
from probe4d.scenes.wod_e2e.clusters import clusters_of_frames, read_clusters
from probe4d.scenes.wod_e2e.driving import DRIVING_SCHEMA, STATES_SCHEMA, driving_row, driving_table, states_table
from probe4d.scenes.wod_e2e.frames import Frame
from probe4d.scenes.wod_e2e.index import END_TO_END, index_frames
from probe4d.scenes.wod_e2e.motion import Posed, posed
from probe4d.scenes.wod_e2e.reading import frame_at
from probe4d.scenes.wod_e2e.timing import timed
from probe4d.wording import listed

__all__ = ["VERSION", "convert_indexed", "convert_wod_e2e"]

VERSION = WAYMO_VERSIONS["end-to-end"]
_FRONT = "FRONT"

_README = f"""\
# WOD-E2E in the schema of nuScenes

Converted by Probe4D (`probe4d convert wod-e2e`) from shards of Waymo's end-to-end driving data, whose licence
binds this folder too: https://waymo.com/open/terms/ (non-commercial). One scene a sequence, {RATE_HZ:g} key frames a
second; the images in `samples/` are the recorded JPEGs, byte for byte. Nothing is annotated and there is no LiDAR:
a key frame has the time and the pose of the front camera.

Beside the tables of nuScenes, `{VERSION}/` holds `ego_states.parquet` and `driving.parquet`. `left_out.csv` lists
what could not be read.
"""

_NO_FRONT = f"has no image of the camera {_FRONT}, whose time and pose the key frame takes"
_NO_TIME = "has no time, and others of its sequence have"
_NO_POSE = "has no pose, and neither its past nor the future of the frame before says where it was"


@dataclass(frozen=True)
class _Sequence:
    """What is converted of a sequence.

    Attributes:
        frames: Columns of `FRAMES_SCHEMA` and `cluster`, in order of time, with the times that are used.
        time_source: Where the times are from.
        left_out: Columns of `LEFT_OUT_SCHEMA`: frames without a time that can be used.
    """

    frames: pl.DataFrame
    time_source: str
    left_out: pl.DataFrame


def convert_wod_e2e(
    shards: Path | str,
    out: Path | str,
    *,
    clusters: Path | str | None = None,
    workers: int = 1,
    stages: Stages = unwatched,
) -> Converted:
    """Write a folder of WOD-E2E shards as a dataset in the schema of nuScenes (see `convert_indexed`).

    Args:
        shards: Folder of TFRecord files, of which any subset will do.
        out: Folder of the dataset: new, empty, or with what an earlier call of the same conversion left.
        clusters: The released table of scenario clusters.
        workers: Number of processes.
        stages: Begins each of the two stages, for progress bars.

    Raises:
        InputError: As `convert_indexed` and `index_frames` say; the table of clusters cannot be read.
        RunError: A file could not be written to the end.
    """
    released = None if clusters is None else read_clusters(clusters)
    with stages("Shards read") as done:
        index = index_frames(shards, workers=workers, found=done.expect, done=done)
    with stages("Sequences converted") as done:
        return convert_indexed(index, out, clusters=released, workers=workers, found=done.expect, done=done)


def convert_indexed(
    index: FrameIndex,
    out: Path | str,
    *,
    clusters: pl.DataFrame | None = None,
    workers: int = 1,
    found: Callable[[int, int], None] | None = None,
    done: Callable[[str], None] | None = None,
) -> Converted:
    """Write the sequences of a folder of WOD-E2E shards as a dataset that `open_scenes` opens.

    Frames are half a second apart, counted from the frame whose trajectories people rated, else from the first.
    Every frame is read from its shard when it is written. A frame that cannot be read, or of which nothing says
    where the vehicle was, is left out and listed.

    Args:
        index: The folder's frames.
        out: Folder of the dataset: new, empty, or with what an earlier call of the same conversion left.
        clusters: Columns of `CLUSTERS_SCHEMA`: scenario clusters of sequences or frames.
        workers: Number of processes.
        found: Told, before anything is written, how many sequences there are, and how many earlier calls finished.
        done: Told of each sequence that was written.

    Raises:
        InputError: `out` holds something else or a conversion of other shards, no frame can be used, two clusters are
            of one frame or none is of any, or a shard has changed since it was indexed.
        RunError: A file could not be written to the end.
    """
    frames = index.frames.with_columns(cluster=pl.lit(None, pl.String))
    if clusters is not None:
        frames = frames.with_columns(clusters_of_frames(frames, clusters))
        if frames["cluster"].null_count() == frames.height:
            what = "holds no sequence or frame of which a scenario cluster is given."
            raise InputError(what, path=index.root, remedy="Name the table that was released with these shards.")
    return convert_scenes(
        out,
        Conversion(
            data=END_TO_END.title,
            shards=index.fingerprint,
            options={"clusters": None if clusters is None else table_digest(clusters)},
        ),
        Target(
            dataset=END_TO_END.name,
            version=VERSION,
            modalities=dict.fromkeys(CHANNELS.values(), "camera"),
            readme=_README,
            columns={"ego_states": STATES_SCHEMA, "driving": DRIVING_SCHEMA},
        ),
        {str(name): _chosen(rows) for (name,), rows in frames.group_by("sequence", maintain_order=True)},
        functools.partial(_record, shards=index.root),
        faults=faults_of(index),
        workers=workers,
        found=found,
        done=done,
    )


def _chosen(frames: pl.DataFrame) -> _Sequence:
    """Frames of a sequence half a second apart; a rated one is among them."""
    known, from_numbers = timed(frames)
    timeless = known.filter(pl.col("timestamp_us").is_null())
    known = known.drop_nulls("timestamp_us")
    rated = known.filter(pl.col("rated") > 0)["frame"]
    chosen, lost = chosen_frames(known, anchor=None if rated.is_empty() else int(rated[0]))
    without = left_out((place, _NO_TIME) for place in place_of(timeless))
    return _Sequence(chosen, "frame number" if from_numbers else "recorded", pl.concat([without, lost]))


def _record(scene: str, sequence: _Sequence, root: Path, *, shards: Path) -> SceneRecord:
    """Write the images of a sequence and give its rows."""
    frames, lost = _read(sequence, shards)
    cluster_of = dict(sequence.frames.select("frame", "cluster").iter_rows())
    writer = SceneWriter(root, END_TO_END.name, scene, vehicle="Waymo")
    writer.describe(None, _description(sequence.frames["cluster"]))
    rows, is_recorded = [], sequence.time_source == "recorded"
    for one in frames:
        index = writer.key_frame(one.timestamp_us)
        for channel, camera in one.frame.cameras.items():
            name = f"{file_stem(scene)}-{one.frame.number:03d}__{channel}.jpg"
            time_us = own_time_us(camera, one.timestamp_us) if is_recorded else one.timestamp_us
            own_pose = camera.global_SE3_ego if one.source == "recorded" else None
            pose = one.global_SE3_ego if own_pose is None else own_pose
            writer.reading(index, channel, camera_reading(camera, name, time_us, pose))
        sources = {"time_source": sequence.time_source, "pose_source": one.source}
        rows.append(driving_row(scene, index, one.frame, cluster=cluster_of[one.frame.number], **sources))
    return writer.finish(
        {
            "ego_states": as_columns(states_table(scene, [one.frame for one in frames])),
            "driving": as_columns(driving_table(rows)),
            "left_out": as_columns(pl.concat([sequence.left_out, lost])),
        }
    )


def _read(sequence: _Sequence, shards: Path) -> tuple[list[Posed], pl.DataFrame]:
    """Frames of a sequence with their times and poses, and what cannot be used, columns of `LEFT_OUT_SCHEMA`."""
    lost: list[tuple[Place, str]] = []
    places: list[Place] = []
    read: list[tuple[Frame, int]] = []
    times_us = sequence.frames["timestamp_us"].to_list()
    for place, time_us in zip(place_of(sequence.frames), times_us, strict=True):
        try:
            frame = frame_at(shards, place)
            if _FRONT not in frame.cameras:
                raise Unfit(_NO_FRONT)
        except Unfit as unfit:
            lost.append((place, str(unfit)))
            continue
        places.append(place)
        is_recorded = sequence.time_source == "recorded"
        read.append((frame, own_time_us(frame.cameras[_FRONT], time_us) if is_recorded else time_us))
    kept = []
    for place, one in zip(places, posed(read), strict=True):
        if one is None:
            lost.append((place, _NO_POSE))
        else:
            kept.append(one)
    return kept, left_out(lost)


def _description(clusters: pl.Series) -> str:
    names = clusters.drop_nulls().unique().sort().to_list()
    return f"Scenario cluster: {listed(names)}" if names else ""
