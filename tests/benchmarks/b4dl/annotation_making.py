"""Annotation phrases of streets that a test places: one window over the whole street, or a part of it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from placed_streets import SCENE, Place, Thing, driving, street
from probe4d.benchmarks.b4dl.annotations import annotations_of
from probe4d.scenes.tables import Scenes

DRIVES = driving([8.0] * 9)
"""The ego vehicle drives straight on at 8 m/s over ten key frames."""


def window(scenes: Scenes, start: int = 0, end: int | None = None) -> pl.DataFrame:
    """One sequence of each scene, by default all of it."""
    return scenes.scenes.select(
        "scene",
        sequence=pl.col("scene") + "/0",
        start=pl.lit(start, pl.Int32),
        end=pl.lit(end, pl.Int32).fill_null(pl.col("keyframes") - 1),
    )


def annotated(
    things: Iterable[Thing] = (),
    ego: Sequence[Place] | None = None,
    *,
    start: int = 0,
    end: int | None = None,
    **options: Any,
) -> pl.DataFrame:
    """What is said of a street; without a way of its own the ego vehicle stands for ten key frames."""
    scenes = street(things, ego, scene=SCENE, cameras=False, **options)
    return annotations_of(window(scenes, start, end), scenes)


def said(table: pl.DataFrame, track: str | None = "it") -> list[str]:
    """The phrases of one track, of the ego vehicle where it is null."""
    return table.filter(pl.col("track").eq_missing(track))["phrase"].to_list()


def events(table: pl.DataFrame, track: str | None = "it") -> list[tuple[str, int, int]]:
    """The events of one track with their first and last key frame."""
    own = table.filter(pl.col("track").eq_missing(track))
    return list(own.select("event", "start_frame", "end_frame").iter_rows())


def arc(total_deg: float, frames: int, mps: float) -> list[Place]:
    """A way on a circle that turns by so much to the left, each heading that of the way."""
    places: list[Place] = [(0.0, 0.0, 0.0)]
    step = total_deg / (frames - 1)
    for _ in range(frames - 1):
        x, y, heading = places[-1]
        middle = math.radians(heading + step / 2)
        places.append((x + mps / 2 * math.cos(middle), y + mps / 2 * math.sin(middle), heading + step))
    return places
