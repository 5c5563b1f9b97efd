"""Situational questions about objects: collision, occlusion, a parking spot, a passage (App. D of the paper).

Numbers in them are drawn by seed. Those about pairs are kept so that in each scene as many are Yes as No: most pairs
are far apart, and few objects come to hide another.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.sampling import unit_intervals
from probe4d.benchmarks.spatial_qa.occlusion import begins_ahead, occlusion
from probe4d.benchmarks.spatial_qa.pools import Pools, answered, count_out, drawn_ranks, evened, yes_or_no
from probe4d.benchmarks.spatial_qa.rules import collision, fits_spot, passes_between
from probe4d.benchmarks.spatial_qa.surroundings import VEHICLE

__all__ = ["situation_pools"]

_VEHICLE_WIDTHS_M = (1.5, 3.5)
_CLEARANCES_M = (0.2, 0.6)
_SPARE_M = (0.1, 1.5)
_STEP_M = 0.1

Array = NDArray[np.float64]


def situation_pools(
    askable: pl.DataFrame, pairs: pl.DataFrame, views: pl.DataFrame, seed: int, left_out: Counter[str]
) -> Pools:
    """Judge the situational questions about objects.

    Args:
        askable: Objects that questions may mention, as in `Measured`.
        pairs: Ordered pairs of them, with the columns of `pair_measures`, and object and rank with both suffixes.
        views: Images, as in `Measured`.
        seed: Seed of the build.
        left_out: Where questions without an answer, and those left out for balance, are counted.
    """
    unordered = pairs.filter(pl.col("track_1") < pl.col("track_2"))
    judged = {
        "collision": collision(unordered),
        "occlusion": _occlusions(pairs, views, left_out),
        "passing": passes_between(_with_width(unordered, seed)),
    }
    pools = {}
    for name, table in judged.items():
        ranked = yes_or_no(table).with_columns(rank=drawn_ranks(seed, name, table["rank_1"], table["rank_2"]))
        decided = answered(ranked, name, "it depends on which distance is meant", left_out)
        pools[name] = evened(decided, name, left_out)
    parked = fits_spot(_with_spots(askable.filter(kind=VEHICLE), seed))
    pools["parking"] = yes_or_no(parked).rename({"object": "object_1"})
    return {name: pool.select(_COLUMNS[name]) for name, pool in pools.items()}


_PAIR = ("view", "object_1", "object_2", "answer", "margin")
_COLUMNS: dict[str, tuple[str, ...]] = {
    "collision": (*_PAIR, "distance_m", "gap_m"),
    "occlusion": (*_PAIR, "hidden_after_m"),
    "passing": (*_PAIR, "gap_m", "vehicle_width_m"),
    "parking": (
        "view",
        "object_1",
        "answer",
        "margin",
        "length",
        "width",
        "spot_length_m",
        "spot_width_m",
        "clearance_m",
    ),
}


def _occlusions(pairs: pl.DataFrame, views: pl.DataFrame, left_out: Counter[str]) -> pl.DataFrame:
    """Judge the pairs whose object 1 begins ahead of the camera: no other object 1 ever hides anything."""
    eyes = views.select("view", "eye_x", "eye_y", "eye_z")
    seen = pairs.join(eyes, on="view", how="left", maintain_order="left")
    ahead = seen.filter(begins_ahead(seen))
    count_out(left_out, "occlusion", "object 1 does not begin ahead of the camera", seen.height - ahead.height)
    return occlusion(ahead).with_columns(margin=pl.lit(None, pl.Float64))


def _with_width(pairs: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Give each pair a vehicle to pass between: any width of `_VEHICLE_WIDTHS_M`, whatever the gap is."""
    drawn = unit_intervals(drawn_ranks(seed, "passing/width", pairs["rank_1"], pairs["rank_2"]))
    return pairs.with_columns(vehicle_width_m=pl.Series(_between(_VEHICLE_WIDTHS_M, drawn)))


def _with_spots(objects: pl.DataFrame, seed: int) -> pl.DataFrame:
    """Give each object a parking spot into which it fits or does not, as often the one as the other.

    One that does not fit lacks room in length, in width or in both, each as often.
    """
    coin, lacking, clearance, along, across = (
        unit_intervals(drawn_ranks(seed, f"parking/{what}", objects["rank"]))
        for what in ("answer", "lacking", "clearance", "along", "across")
    )
    fits = coin < 0.5
    short = ~fits & (lacking < 2 / 3)
    narrow = ~fits & ((lacking < 1 / 3) | (lacking >= 2 / 3))
    clearances = _between(_CLEARANCES_M, clearance)
    spots = {
        f"spot_{size}_m": _spot(objects[size].to_numpy() + 2 * clearances, _between(_SPARE_M, drawn), lacks)
        for size, drawn, lacks in (("length", along, short), ("width", across, narrow))
    }
    return objects.with_columns(pl.Series("clearance_m", clearances), *(pl.Series(*spot) for spot in spots.items()))


def _spot(needed: Array, spare: Array, lacks: NDArray[np.bool_]) -> Array:
    """A size of a spot to one decimal, above what is needed or below it; never below one step."""
    size = np.where(lacks, np.floor((needed - spare) / _STEP_M), np.ceil((needed + spare) / _STEP_M))
    return _in_steps(np.maximum(size, 1))


def _between(bounds: tuple[float, float], drawn: Array) -> Array:
    """Numbers of one decimal between two bounds, both included, each as likely."""
    first, last = (round(bound / _STEP_M) for bound in bounds)
    return _in_steps(first + np.floor(drawn * (last - first + 1)))


def _in_steps(steps: Array) -> Array:
    numbers: Array = np.round(steps * _STEP_M, 1)
    return numbers
