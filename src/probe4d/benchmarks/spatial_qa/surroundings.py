"""Whether anything of a kind is near, wide or tall: the questions that begin with "any" (App. D of the paper).

The answer is Yes where an object of the view, which passes the filters, has what is asked for. It is No only where
no annotated box has it that could be meant at all: none that shows in the image, however small or hidden, and for
what is near the ego vehicle none of the key frame. Where only such a box has it, the question has no answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

import polars as pl

from probe4d.benchmarks.spatial_qa.referring import VIEW
from probe4d.benchmarks.spatial_qa.rules import CENTRE_DISTANCE_M, DECIMALS, EGO_DISTANCE_M

__all__ = [
    "ANY_ROAD_USER",
    "DECIDING_SIZES",
    "NEAR_EGO_M",
    "NEAR_OBJECT_M",
    "OVERSIZED_M",
    "PEDESTRIAN",
    "VEHICLE",
    "near_ego",
    "near_objects",
    "oversized_vehicles",
]

PEDESTRIAN, VEHICLE = "pedestrian", "vehicle"
ANY_ROAD_USER = (PEDESTRIAN, VEHICLE)
"""Kinds of objects that questions ask for."""

NEAR_OBJECT_M = 5.0
NEAR_EGO_M = 10.0
OVERSIZED_M = 2.0
"""Bounds that the questions name: within the first two, greater than the third."""

DECIDING_SIZES: Mapping[str, Literal["width", "height"]] = {"wide-vehicle": "width", "bridge": "height"}
"""Size of a vehicle that a template asks of, by its name, which is that of its rule too."""

_KEYFRAME = VIEW[:2]


def near_objects(objects: pl.DataFrame, shown: pl.DataFrame) -> pl.DataFrame:
    """Judge whether another pedestrian or vehicle is within `NEAR_OBJECT_M` of each object, centre to centre in space.

    Args:
        objects: Objects in views: columns scene, frame, channel, token, kind, ego_x, ego_y, ego_z.
        shown: The same columns of all boxes that show in the images, those objects among them.

    Returns:
        The objects, with `holds`, `margin` (metres between the bound and the measure of the box that decides: the
        nearest one; null where there is no box of these kinds) and `witness` (token of that box). All three are
        null where only a box that the filters left out has what is asked for.
    """
    here = pl.col("ego_x", "ego_y", "ego_z")
    others = _of_kinds(shown, ANY_ROAD_USER).select(*VIEW, here.name.suffix("_2"), witness="token")
    found = (
        objects.select(*VIEW, "token", here.name.suffix("_1"))
        .join(others, on=VIEW, how="inner")
        .filter(pl.col("token") != pl.col("witness"))
        .select(*VIEW, "token", "witness", surplus=NEAR_OBJECT_M - CENTRE_DISTANCE_M)
    )
    of_view = found.join(objects.select(*VIEW, witness="token"), on=[*VIEW, "witness"], how="semi")
    keys = [*VIEW, "token"]
    return _judged(objects, _foremost(of_view, keys), _foremost(found, keys))


def near_ego(
    views: pl.DataFrame, objects: pl.DataFrame, boxes: pl.DataFrame, *, kinds: Sequence[str] = ANY_ROAD_USER
) -> pl.DataFrame:
    """Judge whether an object of given kinds is within `NEAR_EGO_M` of the ego origin, centre in space.

    Args:
        views: Camera images asked about: columns scene, frame, channel.
        objects: Objects in views: columns scene, frame, channel, token, kind, ego_x, ego_y, ego_z.
        boxes: All boxes of the key frames: the same columns but channel.
        kinds: Kinds of objects that count.

    Returns:
        The views, with `holds`, `margin` and `witness` as in `near_objects`.
    """
    surplus = NEAR_EGO_M - EGO_DISTANCE_M
    return _judged(
        views,
        _foremost(_measured(objects, kinds, surplus), VIEW),
        _foremost(_measured(boxes, kinds, surplus), _KEYFRAME),
    )


def oversized_vehicles(views: pl.DataFrame, objects: pl.DataFrame, shown: pl.DataFrame, *, size: str) -> pl.DataFrame:
    """Judge whether a vehicle in the image has a width or height of more than `OVERSIZED_M`.

    Args:
        views: Camera images asked about: columns scene, frame, channel.
        objects: Objects in views: columns scene, frame, channel, token, kind and the size.
        shown: The same columns of all boxes that show in the images.
        size: `width` or `height`.

    Returns:
        The views, with `holds`, `margin` and `witness` as in `near_objects`; the largest box decides.
    """
    of_view, of_image = (
        _foremost(_measured(table, (VEHICLE,), pl.col(size) - OVERSIZED_M), VIEW) for table in (objects, shown)
    )
    return _judged(views, of_view, of_image, bound_included=False)


def _of_kinds(table: pl.DataFrame, kinds: Sequence[str]) -> pl.DataFrame:
    return table.filter(pl.col("kind").is_in(kinds))


def _measured(table: pl.DataFrame, kinds: Sequence[str], surplus: pl.Expr) -> pl.DataFrame:
    """Boxes of given kinds, with `witness` and `surplus`: metres by which a box has what is asked for."""
    return _of_kinds(table, kinds).with_columns(surplus=surplus, witness="token")


def _foremost(found: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """The box of greatest surplus for each key, of equal ones that of the smaller token."""
    ordered = found.with_columns(pl.col("surplus").round(DECIMALS)).sort("surplus", "witness", descending=[True, False])
    return ordered.unique(keys, keep="first", maintain_order=True).select(*keys, "surplus", "witness")


def _judged(
    asked: pl.DataFrame, of_view: pl.DataFrame, of_all: pl.DataFrame, *, bound_included: bool = True
) -> pl.DataFrame:
    """Judge rows by the foremost box that passes the filters, and the foremost of all that could be meant."""

    def reached(surplus: str) -> pl.Expr:
        return (pl.col(surplus) >= 0 if bound_included else pl.col(surplus) > 0).fill_null(False)

    joined = asked
    for found, suffix in ((of_view, "_of_view"), (of_all, "_of_all")):
        measured = ["surplus", "witness"]
        keys = [name for name in found.columns if name not in measured]
        joined = joined.join(
            found.rename({name: name + suffix for name in measured}), on=keys, how="left", maintain_order="left"
        )
    yes, no = reached("surplus_of_view"), ~reached("surplus_of_all")
    return joined.select(
        *asked.columns,
        holds=pl.when(yes | no).then(yes),
        margin=pl.when(yes).then("surplus_of_view").when(no).then("surplus_of_all").abs(),
        witness=pl.when(yes).then("witness_of_view").when(no).then("witness_of_all"),
    )
