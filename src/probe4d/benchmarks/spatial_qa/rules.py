"""The answer rules of NuScenes-SpatialQA for objects, pairs of objects and options: measures and judgments.

Pure functions over columns; the questions are those of App. D of the paper, the edges those of App. C.2. An object
is a row of a table of objects in views: its box in the ego frame of the key frame (x forward, y left, z up) and its
centre in the camera's frame (x right, y down, z forward), metres and radians. A pair is two objects of one view,
with suffixes `_1` and `_2`. The paper does not say what its relations compare: here it is always one measure of the
two boxes, so that of two opposite relations exactly one holds.

What is compared is rounded to `DECIMALS` first, so that no answer rests on the last bits of a number; nor has a
question an answer whose two sides are equal then.

The rules for what is near the ego vehicle or an object are in `surroundings`, that for occlusion is in `occlusion`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.spatial_qa.referring import VIEW
from probe4d.scenes.footprints import Footprints, gaps_m

__all__ = [
    "CENTRE_DISTANCE_M",
    "COLLISION_M",
    "DECIMALS",
    "EGO_DISTANCE_M",
    "RELATIONS",
    "Relation",
    "best_option",
    "collision",
    "fits_spot",
    "in_half_open_circle",
    "pair_measures",
    "pairs_of",
    "passes_between",
    "quantities",
    "related",
]

DECIMALS = 6
"""Decimals of metres and cubic metres to which measures are compared."""

COLLISION_M = 2.0 * 5.0
"""By how much a distance shrinks that falls by 2 m/s for 5 s (App. D, Situational Reasoning)."""


def _length_m(offsets: Iterable[pl.Expr]) -> pl.Expr:
    return pl.sum_horizontal(offset.pow(2) for offset in offsets).sqrt().round(DECIMALS)


CENTRE_DISTANCE_M: pl.Expr = _length_m(pl.col(f"ego_{axis}_2") - pl.col(f"ego_{axis}_1") for axis in "xyz")
"""Distance between the centres of a pair, in space."""
EGO_DISTANCE_M: pl.Expr = _length_m(pl.col(f"ego_{axis}") for axis in "xyz")
"""Distance from the ego origin to the centre of an object, in space."""


class Relation(NamedTuple):
    """When a relation between two objects holds.

    Attributes:
        measure: A difference of `pair_measures`, object 1 minus object 2.
        sign: 1 where the relation holds for a positive difference, -1 where it holds for a negative one.
    """

    measure: str
    sign: int


RELATIONS: dict[str, Relation] = {
    "above": Relation("elevation_difference_m", 1),
    "below": Relation("elevation_difference_m", -1),
    "left": Relation("sideways_difference_m", -1),
    "right": Relation("sideways_difference_m", 1),
    "in-front": Relation("depth_difference_m", -1),
    "behind": Relation("depth_difference_m", 1),
    "larger": Relation("volume_difference_m3", 1),
    "smaller": Relation("volume_difference_m3", -1),
    "longer": Relation("length_difference_m", 1),
    "shorter-in-length": Relation("length_difference_m", -1),
    "taller": Relation("height_difference_m", 1),
    "shorter-in-height": Relation("height_difference_m", -1),
    "wider": Relation("width_difference_m", 1),
    "thinner": Relation("width_difference_m", -1),
}
"""The fourteen relations (App. D, Qualitative); each measure decides two that exclude each other."""


def pairs_of(objects: pl.DataFrame) -> pl.DataFrame:
    """Pair each object of a view with each other one, in both orders.

    Args:
        objects: Objects in views; columns scene, frame, channel and track among them.

    Returns:
        Columns scene, frame, channel, and all others twice, with suffixes `_1` and `_2`.
    """
    first, second = (objects.select(*VIEW, pl.exclude(VIEW).name.suffix(suffix)) for suffix in ("_1", "_2"))
    pairs = first.join(second, on=VIEW, how="inner", maintain_order="left_right")
    return pairs.filter(pl.col("track_1") != pl.col("track_2"))


def pair_measures(pairs: pl.DataFrame) -> pl.DataFrame:
    """Measure pairs of objects.

    Args:
        pairs: Columns ego_x, ego_y, ego_z, camera_x, camera_z, length, width and height with both suffixes.

    Returns:
        The pairs, with the seven differences, object 1 minus object 2:

        - elevation_difference_m, of the centres' heights in the ego frame;
        - sideways_difference_m and depth_difference_m, of the centres to the right and along the view of the camera;
        - volume_difference_m3, length_difference_m, width_difference_m, height_difference_m, of the boxes;

        and the edge between them: distance_m, of the centres in space; longitudinal_m and lateral_m, magnitudes of
        their offset along and across the ego vehicle's heading; bearing_deg, from object 1 to object 2 in the ego
        frame, (-180, 180], counter-clockwise from the heading, null where one centre is above the other.
    """
    forward, left = _change("ego_x"), _change("ego_y")
    differences = {
        "elevation_difference_m": "ego_z",
        "sideways_difference_m": "camera_x",
        "depth_difference_m": "camera_z",
        **{f"{size}_difference_m": size for size in ("length", "width", "height")},
    }
    return pairs.with_columns(
        *((-_change(column)).alias(name) for name, column in differences.items()),
        volume_difference_m3=(_volume("_1") - _volume("_2")).round(DECIMALS),
        distance_m=CENTRE_DISTANCE_M,
        longitudinal_m=forward.abs(),
        lateral_m=left.abs(),
        bearing_deg=pl.when((forward != 0) | (left != 0)).then(
            in_half_open_circle(pl.arctan2(left, forward).degrees())
        ),
    )


def quantities(objects: pl.DataFrame) -> pl.DataFrame:
    """Measure objects by themselves and against the ego vehicle.

    Args:
        objects: Columns ego_x, ego_y, ego_z, length, width and height.

    Returns:
        The objects, with ego_distance_m (from the ego origin to the centre in space), ego_longitudinal_m and
        ego_lateral_m (magnitudes of the centre's offset along and across the heading) and volume_m3.
    """
    return objects.with_columns(
        ego_distance_m=EGO_DISTANCE_M,
        ego_longitudinal_m=pl.col("ego_x").round(DECIMALS).abs(),
        ego_lateral_m=pl.col("ego_y").round(DECIMALS).abs(),
        volume_m3=_volume("").round(DECIMALS),
    )


def in_half_open_circle(degrees: pl.Expr) -> pl.Expr:
    """Bearings in [-180, 180] as bearings in (-180, 180]; rounding one just above -180 gives -180 again."""
    return pl.when(degrees <= -180).then(180.0).otherwise(degrees)


def related(measured: pl.DataFrame, relation: str) -> pl.DataFrame:
    """Judge one of `RELATIONS` for pairs with the columns of `pair_measures`.

    Returns:
        The pairs, with `holds` and `margin` (the difference without its sign, in metres or cubic metres); both are
        null where the objects are equal in what is compared.
    """
    measure, sign = RELATIONS[relation]
    return _judged(measured, sign * pl.col(measure), decided=pl.col(measure) != 0)


def best_option(questions: pl.DataFrame, *, largest: bool = False) -> pl.DataFrame:
    """Find the option that is closest, or largest (App. D, Direct Reasoning).

    Args:
        questions: A column `measures`, a list of two or more numbers a row: the distance or volume of each option.
        largest: Whether the greatest number is sought, not the least.

    Returns:
        The questions, with `best` (index of the option) and `margin` (by how much the next one is worse); both are
        null where two options are equally good.
    """
    measures = pl.col("measures").list.eval(pl.element().round(DECIMALS))
    ordered = measures.list.sort(descending=largest)
    margin = (ordered.list.get(1) - ordered.list.get(0)).abs().round(DECIMALS)
    best = measures.list.arg_max() if largest else measures.list.arg_min()
    return questions.with_columns(best=pl.when(margin > 0).then(best), margin=pl.when(margin > 0).then(margin))


def collision(measured: pl.DataFrame) -> pl.DataFrame:
    """Judge whether two objects whose distance falls by 2 m/s collide within 5 s (App. D, Situational Reasoning).

    They do if even their centres are at most `COLLISION_M` apart, and do not if even their footprints are farther
    apart; in between it depends on which distance is meant, and the question has no answer.

    Args:
        measured: Pairs with the columns of `pair_measures`, and ego_yaw with both suffixes.

    Returns:
        The pairs, with gap_m (between the footprints), `holds` and `margin` (metres from the bound); the latter two
        are null where there is no answer.
    """
    with_gaps = _with_gaps(measured)
    centres_meet, footprints_meet = COLLISION_M - pl.col("distance_m"), COLLISION_M - pl.col("gap_m")
    surplus = pl.when(centres_meet >= 0).then(centres_meet).otherwise(footprints_meet)
    return _judged(with_gaps, surplus, decided=(centres_meet >= 0) | (footprints_meet < 0))


def passes_between(pairs: pl.DataFrame) -> pl.DataFrame:
    """Judge whether a vehicle fits through the gap between two footprints (App. D, Situational Reasoning).

    Args:
        pairs: Columns ego_x, ego_y, ego_yaw, length and width with both suffixes, and vehicle_width_m.

    Returns:
        The pairs, with gap_m, `holds` and `margin` (gap and width, how far apart).
    """
    return _judged(_with_gaps(pairs), pl.col("gap_m") - pl.col("vehicle_width_m"))


def fits_spot(objects: pl.DataFrame) -> pl.DataFrame:
    """Judge whether an object fits into a parking spot with clearance on all four sides (App. D, Situational).

    Args:
        objects: Columns length, width, spot_length_m, spot_width_m and clearance_m.

    Returns:
        The objects, with `holds` and `margin`: how far, in the plane of length and width, the spot is from the
        nearest one for which the answer is the other.
    """
    lengthways, sideways = (
        (pl.col(f"spot_{size}_m") - pl.col(size) - 2 * pl.col("clearance_m")).round(DECIMALS)
        for size in ("length", "width")
    )
    spare = pl.min_horizontal(lengthways, sideways)
    lacking = (lengthways.clip(upper_bound=0).pow(2) + sideways.clip(upper_bound=0).pow(2)).sqrt()
    return _judged(objects, pl.when(spare >= 0).then(spare).otherwise(-lacking))


def _judged(table: pl.DataFrame, surplus: pl.Expr, *, decided: pl.Expr | None = None) -> pl.DataFrame:
    """Add `holds` and `margin` by a number that is negative where the answer is No; null where it is not decided."""
    exact = surplus.round(DECIMALS)
    decided = pl.lit(True) if decided is None else decided
    return table.with_columns(holds=pl.when(decided).then(exact >= 0), margin=pl.when(decided).then(exact.abs()))


def _with_gaps(pairs: pl.DataFrame) -> pl.DataFrame:
    gaps = gaps_m(Footprints.of(pairs, "_1"), Footprints.of(pairs, "_2"))
    return pairs.with_columns(gap_m=pl.Series(gaps, dtype=pl.Float64).round(DECIMALS))


def _change(column: str) -> pl.Expr:
    """From object 1 to object 2."""
    return (pl.col(f"{column}_2") - pl.col(f"{column}_1")).round(DECIMALS)


def _volume(suffix: str) -> pl.Expr:
    return pl.col(f"length{suffix}") * pl.col(f"width{suffix}") * pl.col(f"height{suffix}")
