"""Every question that scenes allow, a table for each template, before any draw and any wording.

Relations run over ordered pairs of objects of an image, quantities of pairs over unordered ones, questions about one
object over all objects, and those about an image over all images that show an object to be asked about; options are
drawn by seed (see `choices`), and so are numbers in situational questions (see `situations`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.spatial_qa.choices import choice_pools
from probe4d.benchmarks.spatial_qa.measuring import Measured, Measuring, measure
from probe4d.benchmarks.spatial_qa.pools import Pools, answered, yes_or_no
from probe4d.benchmarks.spatial_qa.referring import VIEW
from probe4d.benchmarks.spatial_qa.rules import RELATIONS, pair_measures, pairs_of, quantities, related
from probe4d.benchmarks.spatial_qa.situations import situation_pools
from probe4d.benchmarks.spatial_qa.surroundings import (
    DECIDING_SIZES,
    PEDESTRIAN,
    near_ego,
    near_objects,
    oversized_vehicles,
)
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.scenes.tables import Scenes

__all__ = ["Candidates", "candidates_of", "merged"]

_QUANTITIES_OF_PAIRS = {
    "distance": "distance_m",
    "longitudinal-offset": "longitudinal_m",
    "lateral-offset": "lateral_m",
    "bearing": "bearing_deg",
}
_QUANTITIES_OF_OBJECTS = {
    "ego-distance": "ego_distance_m",
    "ego-longitudinal-offset": "ego_longitudinal_m",
    "ego-lateral-offset": "ego_lateral_m",
    "length": "length",
    "width": "width",
    "height": "height",
}
"""Templates that ask for a number, and the measure that is their answer."""

_PAIRED = ("track", "category", "ego_x", "ego_y", "ego_z", "ego_yaw", "length", "width", "height")
_EQUAL = "objects equal in what is compared"
_FILTERED_OUT = "only an object that the filters left out has what is asked for"


class Candidates(NamedTuple):
    """Questions that some scenes allow.

    Attributes:
        objects: Objects that questions may mention, as in `Measured`.
        views: Images that questions may ask about, as in `Measured`.
        pools: Candidates by template, see `pools`.
        exclusions: Number of objects and questions that were left out, by reason.
        answers: Number of candidates by template and answer; by template alone where the answer is a number. They
            count the candidates that there were, even if pools were cut since.
    """

    objects: pl.DataFrame
    views: pl.DataFrame
    pools: Pools
    exclusions: dict[str, int]
    answers: dict[str, Counter[str]]


def candidates_of(scenes: Scenes, measuring: Measuring) -> Candidates:
    """Find every question that some scenes allow.

    Raises:
        InputError: A camera reading has no image size, or no intrinsics of a pinhole camera.
    """
    measured = measure(scenes, measuring)
    askable = measured.objects.filter("askable")
    pairs = pair_measures(
        pairs_of(askable.select(*VIEW, "view", "object", "rank", "camera_x", "camera_z", *_PAIRED))
    ).rename({"view_1": "view"})
    left_out: Counter[str] = Counter(measured.exclusions)
    pools = {
        **_relations(pairs, left_out),
        **_quantities(pairs, quantities(askable.rename({"object": "object_1"})), left_out),
        **choice_pools(askable, pairs, measured.views, measuring.seed, left_out),
        **_surroundings(measured, askable, left_out),
        **situation_pools(askable, pairs, measured.views, measuring.seed, left_out),
    }
    in_order = {name: pools[name] for name in TEMPLATES}
    answers = {name: _answers(name, pool) for name, pool in in_order.items()}
    return Candidates(measured.objects, measured.views, in_order, dict(left_out), answers)


def merged(parts: Sequence[Candidates]) -> Candidates:
    """Put the candidates of several groups of scenes together; rows of objects and views are counted through."""
    objects, views = pl.concat([part.objects for part in parts]), pl.concat([part.views for part in parts])
    pools: dict[str, list[pl.DataFrame]] = {name: [] for name in TEMPLATES}
    exclusions: Counter[str] = Counter()
    answers: dict[str, Counter[str]] = {name: Counter() for name in TEMPLATES}
    first_object = first_view = 0
    for part in parts:
        for name, pool in part.pools.items():
            pools[name].append(pool.with_columns(pl.col("^object_[1-5]$") + first_object, pl.col("view") + first_view))
            answers[name].update(part.answers[name])
        first_object, first_view = first_object + part.objects.height, first_view + part.views.height
        exclusions.update(part.exclusions)
    whole = {name: pl.concat(some) for name, some in pools.items()}
    return Candidates(objects, views, whole, dict(exclusions), answers)


def _answers(name: str, pool: pl.DataFrame) -> Counter[str]:
    if TEMPLATES[name].format == "number":
        return Counter({"": pool.height})
    return Counter(dict(pool.group_by("answer").len().sort("answer").iter_rows()))


def _relations(pairs: pl.DataFrame, left_out: Counter[str]) -> Pools:
    pools = {}
    for name, relation in RELATIONS.items():
        judged = yes_or_no(related(pairs.select("view", "object_1", "object_2", relation.measure), name))
        pools[name] = answered(judged, name, _EQUAL, left_out)
    return pools


def _quantities(pairs: pl.DataFrame, objects: pl.DataFrame, left_out: Counter[str]) -> Pools:
    unordered = pairs.filter(pl.col("track_1") < pl.col("track_2"))
    pools = {}
    for table, measures, keys in (
        (unordered, _QUANTITIES_OF_PAIRS, ["object_1", "object_2"]),
        (objects, _QUANTITIES_OF_OBJECTS, ["object_1"]),
    ):
        for name, column in measures.items():
            answer, margin = in_hundredths(column), pl.lit(None, pl.Float64)
            numbers = table.select("view", *keys, column, answer=answer, margin=margin)
            pools[name] = answered(numbers, name, "one object is right above the other", left_out)
    return pools


def _surroundings(measured: Measured, askable: pl.DataFrame, left_out: Counter[str]) -> Pools:
    objects, views = measured.objects, measured.views
    judged = {
        "near-object": near_objects(objects, measured.shown).join(askable.select("object"), on="object", how="semi"),
        "near-ego": near_ego(views, objects, measured.boxes),
        "wide-vehicle": oversized_vehicles(views, objects, measured.shown, size=DECIDING_SIZES["wide-vehicle"]),
        "pedestrian-risk": near_ego(views, objects, measured.boxes, kinds=(PEDESTRIAN,)),
        "bridge": oversized_vehicles(views, objects, measured.shown, size=DECIDING_SIZES["bridge"]),
    }
    pools = {}
    for name, table in judged.items():
        keys = ["object_1"] if "object" in table.columns else []
        pool = yes_or_no(table).rename({"object": "object_1"}, strict=False)
        pools[name] = answered(pool.select("view", *keys, "witness", "answer", "margin"), name, _FILTERED_OUT, left_out)
    return pools


def in_hundredths(column: str) -> pl.Expr:
    """A number with two decimals, as text; an angle that rounds to -180 is 180."""
    hundredths = (pl.col(column) * 100).round().cast(pl.Int64)
    if column.endswith("_deg"):
        hundredths = pl.when(hundredths == -18_000).then(18_000).otherwise(hundredths)
    sign = pl.when(hundredths < 0).then(pl.lit("-")).otherwise(pl.lit(""))
    whole, rest = hundredths.abs() // 100, hundredths.abs() % 100
    return sign + whole.cast(pl.String) + "." + rest.cast(pl.String).str.zfill(2)
