"""Rules of estimated objects: SC-8, SP-5, SU-1, TM-2, and those of annotated ones with wider margins (App. A.1)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import polars as pl

from probe4d.benchmarks.stride.rules import events, extrapolation, memory, perception, risk, room
from probe4d.benchmarks.stride.rules.answered import Margin, Rule, answered, queries
from probe4d.benchmarks.stride.rules.risk import with_time_to_collision
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    FRAME_SPACING_S,
    FUTURE_POSITIONS,
    HISTORY_FRAMES,
    LANE_FAR_SIDE_M,
    LEAST_MARGIN,
    MOTION_FRAMES,
    PATH_AHEAD_M,
    PATH_HALF_WIDTH_M,
    TIME_TO_COLLISION_BOUNDS_S,
)
from probe4d.benchmarks.stride.waymo.signals import ESTIMATED, EstimatedSignals, as_points, standing_on
from probe4d.benchmarks.stride.waymo.thresholds import (
    EARLIER_BEARING_DEG,
    EARLIER_NEAR_M,
    ESTIMATED_DISTANCE_BOUNDS_M,
    ESTIMATED_MARGIN_FACTOR,
    LEAST_POINT_ROOM_M,
    LEAST_SHARE,
    LOWEST_CAMERA_M,
    MOST_ESTIMATED_RANGE_M,
    MOST_MOVING_RANGE_M,
    MOST_SLOPE_MPS,
    OCCLUSION_BOUNDS,
    SLOPE_DEG,
)

__all__ = [
    "constraint_of_point",
    "direction_of_motion",
    "distance",
    "earlier_place",
    "ego_response",
    "future_motion",
    "main_risk_source",
    "next_event",
    "occlusion_proxy",
    "recent_motion",
    "time_to_collision",
]

_LEAST = {unit: ESTIMATED_MARGIN_FACTOR * least for unit, least in LEAST_MARGIN.items()}
_FRAME = ["scene", "frame"]
_TARGET = ["scene", "track", "frame"]
_CAR, _LARGE, _EMERGENCY, _CYCLIST, _PEDESTRIAN, _NOBODY = WAYMO_TEMPLATES["SC-8"].options
_SOURCES = {
    "car": _CAR,
    "truck": _LARGE,
    "bus": _LARGE,
    "trailer": _LARGE,
    "construction vehicle": _LARGE,
    "bicycle": _CYCLIST,
    "motorcycle": _CYCLIST,
    "pedestrian": _PEDESTRIAN,
}
"""Kinds of sources of risk by label."""


def main_risk_source(signals: EstimatedSignals) -> pl.DataFrame:
    """SC-8: what kind of road user is met first ahead, else stands nearest on the way.

    Not answered where a border of the image cuts something off that may be as near: its place is not known. It is
    nobody only where no road user is on the way or in a lane beside it as far as targets are. The margin is by how much
    the first comes before the next of another kind; of nobody, how far the nearest is from these lanes.
    """
    far = math.inf
    met_s, ahead_m = pl.col("time_to_collision_s").fill_null(far), pl.col("ego_x_m")
    in_way = ahead_m.is_between(0, PATH_AHEAD_M) & (pl.col("ego_y_m").abs() <= PATH_HALF_WIDTH_M)
    is_met = (met_s < TIME_TO_COLLISION_BOUNDS_S[-1]) & (ahead_m > 0) & (pl.col("ego_y_m").abs() <= LANE_FAR_SIDE_M)
    emergency = pl.col("category").str.starts_with("vehicle.emergency")
    kind = pl.col("label").replace_strict(_SOURCES, default=None, return_dtype=pl.String)
    users = (
        with_time_to_collision(signals, signals.objects)
        .with_columns(kind=pl.when(emergency).then(pl.lit(_EMERGENCY)).otherwise(kind))
        .filter(pl.col("kind").is_not_null())
    )
    off_lanes = pl.max_horizontal(-ahead_m, ahead_m - MOST_ESTIMATED_RANGE_M, pl.col("ego_y_m").abs() - LANE_FAR_SIDE_M)
    nearest = users.group_by(_FRAME).agg(off_lanes_m=off_lanes.min())
    ordered = (
        users.filter(in_way | is_met)
        .with_columns(met_s=pl.when(is_met).then(met_s).otherwise(far))
        .sort(*_FRAME, "met_s", "ego_x_m", "track")
    )
    first = ordered.unique(_FRAME, keep="first", maintain_order=True)
    other = (
        ordered.join(first.select(*_FRAME, first_kind="kind"), on=_FRAME, maintain_order="left")
        .filter(pl.col("kind") != pl.col("first_kind"))
        .unique(_FRAME, keep="first", maintain_order=True)
        .select(*_FRAME, next_s="met_s", next_x_m="ego_x_m", next_kind="kind")
    )
    near = pl.col("distance_m") <= PATH_AHEAD_M
    cut_off = signals.boxes.filter(pl.col("is_cut_off") & near)
    table = (
        queries(signals)
        .select(*_FRAME)
        .join(cut_off, on=_FRAME, how="anti", maintain_order="left")
        .join(first, on=_FRAME, how="left", maintain_order="left")
        .join(other, on=_FRAME, how="left", maintain_order="left")
        .join(nearest, on=_FRAME, how="left", maintain_order="left")
        .with_columns(decided_by="track", track=pl.lit(None, pl.String))
    )
    lead_s, lead_m = pl.col("next_s") - pl.col("met_s"), pl.col("next_x_m") - pl.col("ego_x_m")
    approaches = pl.col("met_s").is_finite()
    nobody = pl.col("kind").is_null() & (pl.col("off_lanes_m") > 0).fill_null(value=True)
    return answered(
        table,
        pl.when(nobody).then(pl.lit(_NOBODY)).otherwise("kind"),
        {
            "decided_by": pl.col("decided_by"),
            "words": pl.col("words"),
            "x_m": pl.col("ego_x_m"),
            "y_m": pl.col("ego_y_m"),
            "time_to_collision_s": pl.when(approaches).then("met_s"),
            "next_kind": pl.col("next_kind"),
            "off_lanes_m": pl.col("off_lanes_m"),
        },
        Margin(pl.when(approaches & lead_s.is_finite()).then(lead_s), "seconds", least=_LEAST["seconds"]),
        Margin(pl.when(~approaches).then(lead_m), "metres", least=_LEAST["metres"]),
        Margin(pl.when(nobody).then("off_lanes_m"), "metres", least=LEAST_POINT_ROOM_M),
    )


def occlusion_proxy(signals: EstimatedSignals) -> pl.DataFrame:
    """SP-5: the share of the target's box that boxes of nearer objects cover."""
    share = pl.col("occlusion")
    number = pl.sum_horizontal((share >= bound).cast(pl.Int32) for bound in OCCLUSION_BOUNDS)
    names = dict(enumerate(WAYMO_TEMPLATES["SP-5"].options))
    covered = signals.boxes.select(*_FRAME, "track", "occlusion")
    return answered(
        signals.targets.join(covered, on=[*_FRAME, "track"], maintain_order="left"),
        number.replace_strict(names, return_dtype=pl.String),
        {"covered_share": share},
        Margin(pl.min_horizontal((share - bound).abs() for bound in OCCLUSION_BOUNDS), "share", least=LEAST_SHARE),
    )


def earlier_place(signals: EstimatedSignals) -> pl.DataFrame:
    """TM-2: ahead or to a side, near or far, at the first frame of the history, in the ego frame of then."""
    key = ["scene", "track", "frame"]
    then = signals.objects.select(
        "scene", "track", "ego_x_m", "ego_y_m", "range_m", frame=pl.col("frame") + HISTORY_FRAMES
    )
    bearing = pl.col("bearing_deg")
    ahead, left, right = 0, 1, 2
    side = pl.when(bearing.abs() <= EARLIER_BEARING_DEG).then(ahead).when(bearing > 0).then(left).otherwise(right)
    is_far = (pl.col("range_m") >= EARLIER_NEAR_M).cast(pl.Int32)
    options = WAYMO_TEMPLATES["TM-2"].options
    number = side + is_far * (len(options) // 2)
    table = signals.targets.select(key).join(then, on=key, maintain_order="left")
    return answered(
        table.with_columns(bearing_deg=pl.arctan2("ego_y_m", "ego_x_m").degrees()),
        number.replace_strict(dict(enumerate(options)), return_dtype=pl.String),
        {"x_m": pl.col("ego_x_m"), "y_m": pl.col("ego_y_m"), "bearing_deg": bearing, "range_m": pl.col("range_m")},
        Margin((bearing.abs() - EARLIER_BEARING_DEG).abs(), "degrees"),
        Margin((pl.col("range_m") - EARLIER_NEAR_M).abs(), "metres", least=_LEAST["metres"]),
    )


def _slope_speed(signals: Signals, first: int, last: int) -> pl.DataFrame:
    """Speed that a slope of `SLOPE_DEG` could give to targets that stand, from one key frame of a window to another.

    Args:
        signals: The signals.
        first: First key frame of the window, counted from the query frame.
        last: Last key frame.

    Returns:
        Columns scene, frame, track and slope_mps, of the objects that are placed at both ends.
    """
    off_per_square_m = math.radians(SLOPE_DEG) / LOWEST_CAMERA_M
    ends = (
        signals.objects.select("scene", "track", pl.col("frame") - step, pl.col("range_m").alias(name))
        for step, name in ((first, "before_m"), (last, "after_m"))
    )
    before, after = ends
    elapsed_s = (last - first) * FRAME_SPACING_S
    off_m = (pl.col("before_m").pow(2) - pl.col("after_m").pow(2)).abs() * off_per_square_m
    return before.join(after, on=_TARGET, maintain_order="left").select(*_TARGET, slope_mps=off_m / elapsed_s)


def _moving(signals: EstimatedSignals, *, rule: Rule, first: int, last: int) -> pl.DataFrame:
    """A rule of how annotated targets move in a window, of estimated ones whose motion no slope makes up."""
    found = _estimated(signals, rule=rule, most_range_m=MOST_MOVING_RANGE_M)
    slopes = _slope_speed(signals, first, last)
    too_close = pl.col("too_close") | (pl.col("slope_mps") > MOST_SLOPE_MPS).fill_null(value=True)
    told = found.join(slopes, on=_TARGET, how="left", maintain_order="left")
    return told.with_columns(too_close=too_close).drop("slope_mps")


def time_to_collision(signals: EstimatedSignals) -> pl.DataFrame:
    """TE-2 of estimated targets, where the closing speed that a slope could add changes no answer."""
    found = _estimated(signals, rule=risk.time_to_collision, most_range_m=MOST_MOVING_RANGE_M)
    closing, seconds, slope = pl.col("closing_speed_mps"), pl.col("time_to_collision_s"), pl.col("slope_mps")
    off_bounds = pl.min_horizontal((seconds - bound).abs() for bound in TIME_TO_COLLISION_BOUNDS_S)
    unsure = ((closing - ESTIMATED.approach_mps).abs() < slope) | (off_bounds < seconds * slope / closing)
    measured = (
        with_time_to_collision(signals, signals.targets)
        .join(_slope_speed(signals, -1, 0), on=_TARGET, maintain_order="left")
        .select(*_TARGET, unsure=unsure.fill_null(value=False))
    )
    told = found.join(measured, on=_TARGET, how="left", maintain_order="left")
    return told.with_columns(too_close=pl.col("too_close") | pl.col("unsure").fill_null(value=True)).drop("unsure")


def _estimated(
    signals: Signals, *, rule: Rule, least: Mapping[str, float] = _LEAST, most_range_m: float = math.inf
) -> pl.DataFrame:
    """A rule of annotated objects, of targets that are near enough and with margins as estimates need them."""
    near = replace(signals, targets=signals.targets.filter(pl.col("range_m") <= most_range_m))
    needed = pl.col("margin_unit").replace_strict(least, default=None, return_dtype=pl.Float64)
    too_close = pl.col("too_close") | (pl.col("margin") < needed).fill_null(value=False)
    return rule(near).with_columns(too_close=too_close)


distance = partial(
    _estimated,
    rule=partial(perception.distance_in, bounds_m=ESTIMATED_DISTANCE_BOUNDS_M, options=WAYMO_TEMPLATES["SP-3"].options),
)
direction_of_motion = partial(_moving, rule=perception.direction_of_motion, first=-2, last=0)
recent_motion = partial(_moving, rule=memory.recent_motion, first=-HISTORY_FRAMES, last=0)
future_motion = partial(_moving, rule=extrapolation.future_motion, first=0, last=MOTION_FRAMES)


def constraint_of_point(signals: EstimatedSignals) -> pl.DataFrame:
    """SU-1 of a place without extent."""
    return _estimated(as_points(signals), rule=room.physical_constraint, least={"metres": LEAST_POINT_ROOM_M})


def ego_response(signals: EstimatedSignals) -> pl.DataFrame:
    """TE-4, of targets that are on the way ahead as places without extent, or would be met in time."""
    return extrapolation.ego_response(as_points(signals))


def next_event(signals: EstimatedSignals) -> pl.DataFrame:
    """TE-5, of places without extent; what stands stays where it was seen last."""
    return events.next_event(as_points(standing_on(signals, ESTIMATED.still_mps, FUTURE_POSITIONS)))
