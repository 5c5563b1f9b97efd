"""SP: where a target is, and where it moves, in the query frame (Sec. 3.1 and App. A.4)."""

from __future__ import annotations

import numpy as np
import polars as pl

from probe4d.benchmarks.stride.rules.answered import Margin, answered, movable_targets, visible_targets
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import DIRECTION_DEG, DISTANCE_BOUNDS_M, LEAST_ROOM_M, PLANE_M
from probe4d.benchmarks.stride.windows import in_ego_frame, object_window
from probe4d.scenes.geometry import bearing_deg, sector_index, sector_margin_deg

__all__ = [
    "direction_of_motion",
    "distance",
    "distance_in",
    "ground_contact",
    "occlusion_state",
    "relative_position",
    "sector_answers",
]

_SAME, _OPPOSITE, _TO_RIGHT, _TO_LEFT, _STILL = TEMPLATES["SP-1"].options
_ON, _ABOVE, _BELOW = TEMPLATES["SP-6"].options
_DIRECTION_STEPS = 2
"""Steps over which a direction is measured: one alone trembles too much."""


def direction_of_motion(signals: Signals) -> pl.DataFrame:
    """SP-1: the displacement over ground of the last second, against the heading of the ego vehicle."""
    window = object_window(signals, movable_targets(signals), -_DIRECTION_STEPS, 0)
    ends = in_ego_frame(signals, window.table, window.positions_m[:, [0, -1]])
    moved = ends[:, 1] - ends[:, 0]
    elapsed_s = -window.times_s[:, 0]
    table = window.table.with_columns(
        elapsed_s=pl.Series(elapsed_s, dtype=pl.Float64),
        displacement_x_m=pl.Series(moved[:, 0], dtype=pl.Float64),
        displacement_y_m=pl.Series(moved[:, 1], dtype=pl.Float64),
        direction_deg=pl.Series(bearing_deg(moved[:, 0], moved[:, 1]), dtype=pl.Float64),
        speed_mps=pl.Series(np.hypot(moved[:, 0], moved[:, 1]) / elapsed_s, dtype=pl.Float64),
    )
    direction, moves = pl.col("direction_deg"), pl.col("speed_mps") >= signals.lines.still_mps
    answer = (
        pl.when(~moves)
        .then(pl.lit(_STILL))
        .when(direction.abs() <= DIRECTION_DEG)
        .then(pl.lit(_SAME))
        .when(direction.abs() >= 180 - DIRECTION_DEG)
        .then(pl.lit(_OPPOSITE))
        .when(direction > 0)
        .then(pl.lit(_TO_LEFT))
        .otherwise(pl.lit(_TO_RIGHT))
    )
    off_lines = pl.min_horizontal((direction.abs() - line).abs() for line in (DIRECTION_DEG, 180 - DIRECTION_DEG))
    facts = ("displacement_x_m", "displacement_y_m", "elapsed_s", "speed_mps")
    return answered(
        table,
        answer,
        {name: pl.col(name) for name in facts} | {"direction_deg": pl.when(moves).then(direction)},
        Margin((pl.col("speed_mps") - signals.lines.still_mps).abs(), "metres per second"),
        Margin(pl.when(moves).then(off_lines), "degrees"),
    )


def relative_position(signals: Signals) -> pl.DataFrame:
    """SP-2: the sector of 45 degrees in which the centre of the target lies, seen from the ego origin."""
    return sector_answers(visible_targets(signals))


def sector_answers(places: pl.DataFrame) -> pl.DataFrame:
    """The sectors of places in the ego frame: columns scene, frame, track, ego_x_m and ego_y_m."""
    bearings = bearing_deg(places["ego_x_m"].to_numpy(), places["ego_y_m"].to_numpy())
    sectors = np.array(TEMPLATES["SP-2"].options)[sector_index(bearings)]
    table = places.with_columns(
        sector=pl.Series(sectors, dtype=pl.String),
        bearing_deg=pl.Series(bearings, dtype=pl.Float64),
        off_border_deg=pl.Series(sector_margin_deg(bearings), dtype=pl.Float64),
        range_m=(pl.col("ego_x_m").pow(2) + pl.col("ego_y_m").pow(2)).sqrt(),
    )
    facts = {"x_m": pl.col("ego_x_m"), "y_m": pl.col("ego_y_m")}
    facts |= {name: pl.col(name) for name in ("bearing_deg", "range_m", "sector")}
    return answered(table, pl.col("sector"), facts, Margin(pl.col("off_border_deg"), "degrees"))


def distance(signals: Signals) -> pl.DataFrame:
    """SP-3: the distance in the plane from the ego origin to the centre of the target; lower bounds are included."""
    return distance_in(signals, DISTANCE_BOUNDS_M, TEMPLATES["SP-3"].options)


def distance_in(signals: Signals, bounds_m: tuple[float, ...], options: tuple[str, ...]) -> pl.DataFrame:
    """The distance of targets in bins: ascending bounds and the names of the bins that they make."""
    table = visible_targets(signals)
    ranges = table["range_m"].to_numpy()
    names = np.array(options)[np.searchsorted(bounds_m, ranges, side="right")]
    return answered(
        table,
        pl.lit(pl.Series(names, dtype=pl.String)),
        {"x_m": pl.col("ego_x_m"), "y_m": pl.col("ego_y_m"), "range_m": pl.col("range_m")},
        Margin(pl.min_horizontal((pl.col("range_m") - bound).abs() for bound in bounds_m), "metres"),
    )


def occlusion_state(signals: Signals) -> pl.DataFrame:
    """SP-5: how much of the target is visible over all cameras, as the dataset says; no line is measured."""
    level = pl.col("visibility")
    names = dict(enumerate(TEMPLATES["SP-5"].options, start=1))
    return answered(
        signals.targets,
        level.replace_strict(names, default=None, return_dtype=pl.String),
        {"visibility_level": level, "lidar_points": pl.col("lidar_points")},
    )


def ground_contact(signals: Signals) -> pl.DataFrame:
    """SP-6: the lower side of the target against the plane of the ego vehicle's wheels."""
    height = pl.col("bottom_m")
    answer = (
        pl.when(height.abs() <= PLANE_M)
        .then(pl.lit(_ON))
        .when(height > PLANE_M)
        .then(pl.lit(_ABOVE))
        .when(height < -PLANE_M)
        .then(pl.lit(_BELOW))
    )
    off_line = (height.abs() - PLANE_M).abs()
    return answered(
        visible_targets(signals), answer, {"bottom_m": height}, Margin(off_line, "metres", least=LEAST_ROOM_M)
    )
