"""How challenging a clip and a target are: the score by which candidates are ranked (Sec. 3.2).

The paper names the signals and neither formula nor weights; both are ours. Each component is a number from 0 to 1.
"""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.tags import crosses_ahead, is_cycle, is_road_user, moves
from probe4d.benchmarks.stride.thresholds import (
    DENSITY_RANGE_M,
    RISK_BOUNDS_M,
    RISK_S,
    SEEN_LEVEL,
    SPEED_CHANGE_MPS,
    TRAFFIC_BOUNDS,
    TRAFFIC_RANGE_M,
    TURN_DEG,
)

__all__ = ["COMPONENTS", "TARGET_COMPONENTS", "Challenge", "Component", "challenge_of"]

_EGO_HALF_WIDTH_M = 1.0
_MOTION_RANGE_M = 30.0
_MOTION_FRAMES = 2  # a second: one step of half a second trembles with the annotation
_MANY_VULNERABLE, _MANY_UNUSUAL, _MANY_HIDDEN = 4, 3, 5
_KEY = ["scene", "frame"]
_DECIMALS = 6


class Component(NamedTuple):
    """A part of the score.

    Attributes:
        weight: What it counts.
        measure: How it is measured.
        reason: Why it counts, and that much.
    """

    weight: float
    measure: str
    reason: str


COMPONENTS: dict[str, Component] = {
    "interaction": Component(
        3.0,
        f"least gap to a road user in {RISK_S:g} s at constant velocities: 1 at none, 0 from {RISK_BOUNDS_M[1]:g} m",
        "the paper's first concern is what becomes dangerous; a small gap is the one thing that always asks for action",
    ),
    "vulnerable": Component(
        2.0,
        f"pedestrians and moving cycles within {DENSITY_RANGE_M:g} m, {_MANY_VULNERABLE} count as 1",
        "people are small in a grid, move as they like, and are what must not be missed",
    ),
    "unusual_motion": Component(
        2.0,
        f"road users within {_MOTION_RANGE_M:g} m that turn, brake or cross ahead, {_MANY_UNUSUAL} count as 1",
        "who goes straight on at a steady speed is guessed without looking at earlier frames",
    ),
    "density": Component(
        1.0,
        f"road users within {TRAFFIC_RANGE_M:g} m, {TRAFFIC_BOUNDS[-1]} count as 1",
        "more can be confused with one another; alone it says little, since parked cars make dense scenes too",
    ),
    "occlusion": Component(
        1.0,
        f"objects within {TRAFFIC_RANGE_M:g} m of visibility up to level {SEEN_LEVEL}, {_MANY_HIDDEN} count as 1",
        "what is hidden has to be remembered; levels are coarse, and some datasets have none",
    ),
    "weather": Component(
        1.0,
        "rain, fog, snow or night, by label or by the description of the scene",
        "worse pictures make everything harder, but whole scenes share it, so that more weight would pick scenes",
    ),
}
"""Of the clip: what the scene around the ego vehicle is like at the query frame."""

TARGET_COMPONENTS: dict[str, Component] = {
    "target_interaction": Component(
        2.0, "the same gap, of the target itself", "the question is then about what matters"
    ),
    "target_unusual_motion": Component(2.0, "it turns, brakes or crosses ahead", "its motion cannot be guessed"),
    "target_vulnerable": Component(1.0, "a pedestrian or a moving cycle", "small, and what must not be missed"),
    "target_occlusion": Component(1.0, f"visibility up to level {SEEN_LEVEL}", "it is seen in part only"),
}
"""Of the target, in questions that have one; they are added to those of its clip."""


class Challenge(NamedTuple):
    """Scores.

    Attributes:
        clips: Columns scene, frame and challenge.
        targets: Columns scene, frame, track and challenge, that of the clip included.
    """

    clips: pl.DataFrame
    targets: pl.DataFrame


def challenge_of(signals: Signals, conditions: pl.DataFrame) -> Challenge:
    """Score clips and targets.

    Args:
        signals: Their signals.
        conditions: The clips, with what `conditions_of` says of them.
    """
    objects = _measured(signals)
    around = objects.group_by(_KEY).agg(
        pl.col("gap").max().alias("interaction"),
        _many("target_vulnerable", DENSITY_RANGE_M, _MANY_VULNERABLE).alias("vulnerable"),
        _many("target_unusual_motion", _MOTION_RANGE_M, _MANY_UNUSUAL).alias("unusual_motion"),
        _many("road_user", TRAFFIC_RANGE_M, TRAFFIC_BOUNDS[-1]).alias("density"),
        _many("target_occlusion", TRAFFIC_RANGE_M, _MANY_HIDDEN).alias("occlusion"),
    )
    clips = (
        conditions.join(around, on=_KEY, how="left", maintain_order="left")
        .with_columns(weather=(pl.col("rain") | pl.col("night")).cast(pl.Float64))
        .select(*_KEY, challenge=_weighed(COMPONENTS))
    )
    targets = (
        signals.targets.select(*_KEY, "track")
        .join(objects, on=[*_KEY, "track"], how="left", maintain_order="left")
        .with_columns(target_interaction="gap")
        .join(clips, on=_KEY, how="inner", maintain_order="left")
        .select(*_KEY, "track", challenge=(pl.col("challenge") + _weighed(TARGET_COMPONENTS)).round(_DECIMALS))
    )
    return Challenge(clips, targets)


def _measured(signals: Signals) -> pl.DataFrame:
    """Objects with what the components ask of each: numbers from 0 to 1, null where nothing is known."""
    speed = (pl.col("velocity_x_mps").pow(2) + pl.col("velocity_y_mps").pow(2)).sqrt()
    ego = signals.ego.select(*_KEY, ego_yaw_rad="yaw_rad", ego_x_mps="velocity_x_mps", ego_y_mps="velocity_y_mps")
    objects = signals.objects.join(ego, on=_KEY, how="left", maintain_order="left").with_columns(
        speed_mps=speed, heading_rad=pl.col("yaw_rad") + pl.col("ego_yaw_rad")
    )
    before = objects.select("scene", "track", frame=pl.col("frame") + _MOTION_FRAMES, s="speed_mps", h="heading_rad")
    known = objects.join(before, on=["scene", "track", "frame"], how="left", maintain_order="left")
    brakes = pl.col("s") - pl.col("speed_mps") > SPEED_CHANGE_MPS
    turned = (pl.col("heading_rad") - pl.col("h")).sin().arcsin().degrees().abs()  # boxes turned about are no turns
    turns = moves() & (turned > TURN_DEG)
    vulnerable = (pl.col("label") == "pedestrian") | (is_cycle() & moves())
    return known.select(
        *_KEY,
        "track",
        "range_m",
        road_user=is_road_user().cast(pl.Float64),
        gap=pl.when(is_road_user()).then(1 - _gap_m() / RISK_BOUNDS_M[1]).clip(0, 1),
        target_vulnerable=vulnerable.cast(pl.Float64),
        target_unusual_motion=(is_road_user() & (brakes | turns | crosses_ahead()).fill_null(value=False)).cast(
            pl.Float64
        ),
        target_occlusion=(pl.col("visibility") <= SEEN_LEVEL).cast(pl.Float64),
    )


def _gap_m() -> pl.Expr:
    """Least gap to the ego vehicle within `RISK_S` at constant velocities, of discs as wide as both are, metres."""
    x, y = pl.col("ego_x_m"), pl.col("ego_y_m")
    u = (pl.col("velocity_x_mps") - pl.col("ego_x_mps")).fill_null(0)
    v = (pl.col("velocity_y_mps") - pl.col("ego_y_mps")).fill_null(0)
    closing, squared = -(x * u + y * v), u.pow(2) + v.pow(2)
    when_s = pl.when(squared > 0).then(closing / squared).otherwise(0).clip(0, RISK_S)
    distance = ((x + u * when_s).pow(2) + (y + v * when_s).pow(2)).sqrt()
    half_width = pl.min_horizontal("length_m", "width_m").fill_null(0) / 2
    return (distance - half_width - _EGO_HALF_WIDTH_M).clip(0)


def _many(name: str, range_m: float, many: int) -> pl.Expr:
    return (pl.col(name).filter(pl.col("range_m") <= range_m).sum() / many).clip(0, 1)


def _weighed(components: dict[str, Component]) -> pl.Expr:
    parts = [pl.col(name).fill_null(0) * component.weight for name, component in components.items()]
    return pl.sum_horizontal(parts).round(_DECIMALS)
