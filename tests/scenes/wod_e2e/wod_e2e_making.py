"""Frames of WOD-E2E that say where they are, and what becomes of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from probe4d.scenes.nuscenes_writing.conversion import Converted
from probe4d.scenes.waymo_format.index import FrameIndex
from probe4d.scenes.waymo_format.reading import place_of
from probe4d.scenes.wod_e2e.clusters import read_clusters
from probe4d.scenes.wod_e2e.conversion import VERSION, convert_indexed
from probe4d.scenes.wod_e2e.frames import Frame
from probe4d.scenes.wod_e2e.index import index_frames
from probe4d.scenes.wod_e2e.reading import frame_at
from waymo_making import end_to_end, planar, states, surround_frame

START_US = 1_700_000_000_000_000
SEQUENCES = {"0a1b": 22, "2c3d-e": 7, "../4f": 3}
"""Names of sequences, one with a hyphen and one that would lead out of a folder, and how many frames they have."""
BROKEN = ("0a1b", 15)
RATED = ("2c3d-e", 6)


def read_frame(index: FrameIndex, sequence: str, number: int) -> Frame:
    """One frame of a folder, by its sequence and its number in it."""
    (place,) = place_of(index.of_sequence(sequence).filter(frame=number))
    return frame_at(index.root, place)


def pose_of(number: int) -> tuple[float, ...]:
    return planar(1000.0 + 0.8 * number, -2000.0 + 0.01 * number**2, 0.03 * number, 12.0)


def past_of(number: int) -> list[list[float]]:
    return [[number + n / 4 for n in range(-15, 1)], [n / 8 for n in range(-15, 1)]]


def data_of(sequence: str, number: int) -> bytes:
    time_us = START_US + 100_000 * number
    rated = [states([1.0, 2.0], [0.5, 1.0], score=7.0), states([0.5, 0.5], [0.0, 0.0], score=2.5)]
    return end_to_end(
        f"{sequence}-{number:03d}",
        time_us,
        frame=surround_frame(number, pose_of(number), time_us / 1e6),
        past=states(*past_of(number)),
        future=states([n / 4 for n in range(1, 21)], [0.0] * 20),
        intent=number % 4,
        rated=rated if (sequence, number) == RATED else [states(score=-1.0)],
    )


def converted_into(out: Path, shards: Path, **options: Any) -> Converted:
    return convert_indexed(index_frames(shards), out, clusters=read_clusters(shards / "clusters.json"), **options)


def beside(converted: Converted, name: str) -> pl.DataFrame:
    return pl.read_parquet(converted.root / VERSION / f"{name}.parquet")


def contents(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
