"""TE-5: what happens first in front of the ego vehicle after the query frame (Sec. 3.1)."""

from __future__ import annotations

import polars as pl

from probe4d.benchmarks.stride.lines import Lines
from probe4d.benchmarks.stride.rules.answered import answered
from probe4d.benchmarks.stride.rules.counting import ROAD_USERS
from probe4d.benchmarks.stride.signals import Signals
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    DIRECTION_DEG,
    FREE_AHEAD_M,
    FUTURE_POSITIONS,
    PATH_AHEAD_M,
)
from probe4d.benchmarks.stride.windows import ego_window, objects_later
from probe4d.benchmarks.stride.zones import ahead, footprints_of, on_the_left, on_the_right

__all__ = ["next_event"]

_FRAME = ["scene", "frame"]
_OBJECT = [*_FRAME, "track"]
*_EVENTS, _NOTHING = TEMPLATES["TE-5"].options


def next_event(signals: Signals) -> pl.DataFrame:
    """TE-5: the first event of the next key frames; of two at one step the first in the order of the options.

    The way ahead is that of the query frame, and places are in its ego frame. At each step, a road user that moves

    - crosses, where its footprint has come into the way since the step before, moving across;
    - slows down, where its footprint is in the way at the query frame, and its speed has changed to a lower one;
    - moves into the way, where its footprint has come into it for the first time, moving along;

    and the ego vehicle passes a standing one whose centre was ahead of its origin and is behind it, seen from each
    step, with the footprint in a strip beside. No line has a margin: too many meet.
    """
    ego = ego_window(signals, 0, FUTURE_POSITIONS).table
    road_users = signals.objects.filter(pl.col("label").is_in(ROAD_USERS)).drop_nulls(["length_m", "width_m"])
    steps = _placed(signals, ego, road_users)
    happened = _happened(_with_step_before(steps), signals.lines)
    first = happened.sort("step", "event", "track").unique(_FRAME, keep="first", maintain_order=True)
    table = ego.join(first.select(*_FRAME, "step", "event", "words", decided_by="track"), on=_FRAME, how="left")
    names = dict(enumerate(_EVENTS))
    return answered(
        table,
        pl.col("event").replace_strict(names, return_dtype=pl.String).fill_null(_NOTHING),
        {name: pl.col(name) for name in ("step", "words", "decided_by")},
    )


def _placed(signals: Signals, ego: pl.DataFrame, road_users: pl.DataFrame) -> pl.DataFrame:
    """Road users at each step after each query frame, `frame`, and whether they are in its way.

    Returns:
        Columns scene, frame, track, words, step, query_x_m and query_y_m (see `objects_later`), ego_x_m (in the ego
        frame of the step), speed_mps, in_way and beside (in a strip beside the way, in the ego frame of the step).
    """
    footprints = footprints_of(road_users)
    left, right = (
        strip(-FREE_AHEAD_M, FREE_AHEAD_M).separations_m(footprints) for strip in (on_the_left, on_the_right)
    )
    speed = (pl.col("velocity_x_mps").pow(2) + pl.col("velocity_y_mps").pow(2)).sqrt()
    own = road_users.with_columns(beside=(left <= 0) | (right <= 0), speed_mps=speed)
    later = objects_later(signals, ego, own, range(FUTURE_POSITIONS + 1))
    return later.select(
        *_OBJECT,
        *("words", "step", "query_x_m", "query_y_m", "ego_x_m", "speed_mps", "beside"),
        in_way=ahead(PATH_AHEAD_M).separations_m(footprints_of(later, "query")) <= 0,
    )


def _with_step_before(steps: pl.DataFrame) -> pl.DataFrame:
    """Steps but the first, each with what was at the step before (`_before`) and at the query frame (`_at_query`)."""
    measured = ("query_x_m", "query_y_m", "ego_x_m", "in_way")
    before = steps.select(*_OBJECT, pl.col("step") + 1, pl.col(measured).name.suffix("_before"))
    at_query = steps.filter(pl.col("step") == 0).select(
        *_OBJECT, pl.col("in_way", "speed_mps").name.suffix("_at_query")
    )
    return (
        steps.filter(pl.col("step") > 0)
        .join(before, on=[*_OBJECT, "step"], how="left")
        .join(at_query, on=_OBJECT, how="left")
    )


def _happened(steps: pl.DataFrame, lines: Lines) -> pl.DataFrame:
    """A row an event, by its number among the options: columns scene, frame, step, event, track, words."""
    moved_x, moved_y = (pl.col(name) - pl.col(f"{name}_before") for name in ("query_x_m", "query_y_m"))
    direction = pl.arctan2(moved_y, moved_x).degrees().abs()
    across = (direction > DIRECTION_DEG) & (direction < 180 - DIRECTION_DEG)
    moves = pl.col("speed_mps") >= lines.still_mps
    enters = pl.col("in_way") & ~pl.col("in_way_before") & moves
    slower = pl.col("speed_mps_at_query") - pl.col("speed_mps") > lines.speed_change_mps
    events = (
        enters & across,
        pl.col("in_way_at_query") & slower,
        enters & ~across & ~pl.col("in_way_at_query"),
        ~moves & pl.col("beside") & (pl.col("ego_x_m_before") > 0) & (pl.col("ego_x_m") < 0),
    )
    return pl.concat(
        steps.filter(event).select(*_FRAME, "step", "track", "words", event=pl.lit(number))
        for number, event in enumerate(events)
    )
