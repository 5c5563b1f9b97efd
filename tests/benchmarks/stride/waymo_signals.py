"""Signals of one estimated drive whose objects, ego states and ratings a test gives."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from making import scenes_of
from probe4d.benchmarks.stride.waymo.driving import Driving
from probe4d.benchmarks.stride.waymo.signals import EstimatedSignals, estimated_signals
from probe4d.scenes.estimated.schema import ESTIMATED_OBJECTS_SCHEMA
from probe4d.scenes.wod_e2e.driving import DRIVING_SCHEMA, STATES_SCHEMA

SCENE, QUERY, FRAMES = "drive", 4, 12
WIDTH_PX, HEIGHT_PX = 1920, 1280


@dataclass(frozen=True)
class Seen:
    """An object: where it stands in the ego frame at each key frame, None where it is not seen."""

    track: str
    places: Sequence[tuple[float, float] | None]
    category: str = "car"
    label: str | None = "car"
    is_cut_off: bool = False
    occlusion: float = 0.0
    height_px: float = 100.0


@dataclass(frozen=True)
class Frame:
    """What a key frame tells of driving: future positions by time, rated trajectories (score, x, y), a cluster."""

    future: Mapping[float, tuple[float, float]] = field(default_factory=dict)
    rated: Sequence[tuple[float | None, Sequence[float], Sequence[float]]] = ()
    cluster: str | None = None


def still(x: float, y: float) -> list[tuple[float, float]]:
    return [(x, y)] * FRAMES


def moving(x: float, y: float, along_mps: float, across_mps: float = 0.0) -> list[tuple[float, float]]:
    """At constant velocity in the ego frame, at (x, y) in the query frame."""
    return [(x + along_mps * (frame - QUERY) / 2, y + across_mps * (frame - QUERY) / 2) for frame in range(FRAMES)]


def drive(
    objects: Iterable[Seen] = (),
    frames: Mapping[int, Frame] | None = None,
    *,
    speed_mps: float = 0.0,
    steps_m: Sequence[float] | None = None,
    clusters: tuple[str, ...] = (),
    positions: int = 10,
) -> EstimatedSignals:
    """An ego vehicle that goes along x at a speed, or by steps of half a second, with a camera ahead."""
    way_m = [0.5 * speed_mps] * (FRAMES - 1) if steps_m is None else steps_m
    count = len(way_m) + 1
    origin = dict.fromkeys([f"pose_{part}" for part in ("x", "y", "z", "qx", "qy", "qz")], 0.0) | {"pose_qw": 1.0}
    at = [
        {"scene": SCENE, "frame": frame, "timestamp_us": 1_000_000 + 500_000 * frame}
        | origin
        | {"pose_x": float(sum(way_m[:frame]))}
        for frame in range(count)
    ]
    sensors = [
        row | {"channel": "FRONT", "modality": "camera", "width": WIDTH_PX, "height": HEIGHT_PX, "file": "a.jpg"}
        for row in at
    ]
    scenes = scenes_of([{"scene": SCENE, "keyframes": count}], at, sensors=sensors)
    told = frames or {}
    return estimated_signals(
        scenes,
        objects=pl.DataFrame([*_rows(objects)], schema=ESTIMATED_OBJECTS_SCHEMA),
        driving=Driving(
            pl.DataFrame([_driving(frame, told.get(frame, Frame())) for frame in range(count)], schema=DRIVING_SCHEMA),
            pl.DataFrame([*_states(told)], schema=STATES_SCHEMA),
        ),
        clusters=clusters,
        positions=positions,
    )


def answers(
    rule: Callable[[Any], pl.DataFrame], signals: EstimatedSignals, *, frame: int = QUERY
) -> list[dict[str, Any]]:
    """What a rule gives at a key frame, facts read."""
    rows = rule(signals).filter(pl.col("frame") == frame).to_dicts()
    return [row | {"facts": json.loads(row["facts"])} for row in rows]


def text(rule: Callable[[Any], pl.DataFrame], signals: EstimatedSignals, **where: int) -> str | None:
    """The answer to the only question at a key frame; `too close` where it is not asked, None where there is none."""
    rows = answers(rule, signals, **where)
    if not rows:
        return None
    (row,) = rows
    return "too close" if row["too_close"] else row["answer"]


def _rows(objects: Iterable[Seen]) -> Iterable[dict[str, Any]]:
    for seen in objects:
        for frame, place in enumerate(seen.places):
            if place is not None:
                yield {
                    **dict.fromkeys(ESTIMATED_OBJECTS_SCHEMA),
                    "scene": SCENE,
                    "frame": frame,
                    "track": seen.track,
                    "category": seen.category,
                    "label": seen.label,
                    "channel": "FRONT",
                    "left_px": 900.0,
                    "top_px": 600.0,
                    "right_px": 1000.0,
                    "bottom_px": 600.0 + seen.height_px,
                    "confidence": 0.9,
                    "is_cut_off": seen.is_cut_off,
                    "x_m": place[0],
                    "y_m": place[1],
                    "distance_m": math.hypot(*place),
                    "occlusion": seen.occlusion,
                }


def _driving(frame: int, told: Frame) -> dict[str, Any]:
    rated = [
        {"score": score, "time_s": [(step + 1) / 4 for step in range(len(x))], "x_m": list(x), "y_m": list(y)}
        for score, x, y in told.rated
    ]
    return dict.fromkeys(DRIVING_SCHEMA) | {"scene": SCENE, "frame": frame, "cluster": told.cluster, "rated": rated}


def _states(told: Mapping[int, Frame]) -> Iterable[dict[str, Any]]:
    for frame, each in told.items():
        for time_s, (x, y) in each.future.items():
            known = {"scene": SCENE, "frame": frame, "kind": "future", "time_s": time_s, "x_m": x, "y_m": y}
            yield dict.fromkeys(STATES_SCHEMA) | known
