"""Detections that fit the images that they are of, or are refused by row."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.estimated.road_users import ROAD_USER_PROMPTS, road_user
from probe4d.scenes.estimated.schema import BOX, DETECTIONS_SCHEMA, IMAGE
from probe4d.scenes.tables import Scenes
from probe4d.wording import counted, listed

__all__ = ["checked_detections", "front_camera"]

FRONT_CAMERAS = ("CAM_FRONT", "FRONT")
"""Names of the camera ahead, in the order in which they are looked for."""

OUTSIDE_PX = 1.0
"""How far a box may reach out of its image, by which detectors round; it is cut off there."""

_OPTIONAL = ("mask_quality", "area_px")
_MEND = "Mend the detections, or leave that row out."


def front_camera(scenes: Scenes) -> str:
    """The channel of the camera ahead.

    Raises:
        InputError: There is none of a name that is known.
    """
    cameras = scenes.sensors.filter(pl.col("modality") == "camera")["channel"].unique().sort().to_list()
    for channel in FRONT_CAMERAS:
        if channel in cameras:
            return channel
    raise InputError(
        f"has no camera {listed(FRONT_CAMERAS, 'or')}.",
        path=scenes.root / scenes.version,
        remedy=f"Name one of {listed(cameras)} (channel=, --channel NAME)." if cameras else "It has no cameras at all.",
    )


def checked_detections(
    detections: pl.DataFrame, scenes: Scenes, *, path: Path | None = None, row: Callable[[int], str] | None = None
) -> pl.DataFrame:
    """See that detections are of images of the scenes and have values that there are, or name the first that has not.

    Boxes that reach out of their image by no more than `OUTSIDE_PX` are cut off at its borders.

    Args:
        detections: Columns of `DETECTIONS_SCHEMA`.
        scenes: The scenes.
        path: The file that they were read from, for errors.
        row: Names the row of a number, from 0, for errors.

    Returns:
        The same rows, in the same order.

    Raises:
        InputError: A row is of no scene, key frame or camera reading; its box has no corners, reversed ones, or lies
            outside the image; a confidence or a mask quality is not within 0 and 1; an area is not above 0; a class
            is not known; or a row is there twice.
    """
    images = scenes.sensors.filter(pl.col("modality") == "camera").select(
        *IMAGE, "width", "height", has_image=pl.lit(value=True)
    )
    table = detections.select(list(DETECTIONS_SCHEMA)).join(images, on=IMAGE, how="left", maintain_order="left")
    for fault in _faults(table, scenes):
        wrong = table.with_row_index("number").filter(fault.is_wrong.fill_null(value=False))
        if wrong.height:
            number, said = wrong["number"][0], wrong.select(fault.words.alias("words"))["words"][0]
            others = f" ({counted(wrong.height - 1, 'more row')} like it)" if wrong.height > 1 else ""
            raise InputError(
                f"{said}{others}.",
                path=path,
                row=row(number) if row is not None else number,
                remedy=fault.remedy,
            )
    left, top, right, bottom = (pl.col(name) for name in BOX)
    return table.with_columns(
        left.clip(0, pl.col("width")),
        top.clip(0, pl.col("height")),
        right.clip(0, pl.col("width")),
        bottom.clip(0, pl.col("height")),
    ).select(list(DETECTIONS_SCHEMA))


class _Fault(NamedTuple):
    """What may be wrong with a row.

    Attributes:
        is_wrong: Whether it is.
        words: What is wrong, as a sentence without its stop.
        remedy: What to do about it.
    """

    is_wrong: pl.Expr
    words: pl.Expr
    remedy: str = _MEND


def _faults(table: pl.DataFrame, scenes: Scenes) -> list[_Fault]:
    """Everything that may be wrong with detections that know the size of their image, in the order of the telling."""
    known = [word for word in table["category"].unique().drop_nulls() if road_user(word) is not None]
    frames = pl.col("scene").replace_strict(
        dict(scenes.scenes.select("scene", "keyframes").iter_rows()), default=None, return_dtype=pl.Int32
    )
    return [
        *(
            _Fault(pl.col(name).is_null(), pl.lit(f"has no {name}"))
            for name in DETECTIONS_SCHEMA
            if name not in _OPTIONAL
        ),
        _Fault(frames.is_null(), pl.format("is of the scene {}, which the dataset does not have", pl.col("scene"))),
        _Fault(
            (pl.col("frame") < 0) | (pl.col("frame") >= frames),
            pl.format("is of key frame {} of {}, which has {}", pl.col("frame"), pl.col("scene"), frames),
        ),
        _Fault(
            pl.col("has_image").is_null(),
            pl.format("is of an image of {}, which key frame {} of {} does not have", "channel", "frame", "scene"),
        ),
        *_faults_of_boxes(),
        *_faults_of_numbers(),
        _Fault(
            ~pl.col("category").is_in(known),
            pl.format("has the class {}, which is not known", pl.col("category")),
            f"Known are {listed(list(dict.fromkeys((*ROAD_USER_PROMPTS, *CLASSES))))}, and the categories of nuScenes.",
        ),
        _Fault(
            pl.struct(*IMAGE, "category", *BOX).is_duplicated(),
            pl.lit("is there twice: the same class and box in the same image"),
        ),
    ]


def _faults_of_boxes() -> list[_Fault]:
    left, top, right, bottom = (pl.col(name) for name in BOX)
    box = pl.format("({}, {}, {}, {})", *BOX)
    beyond_x, beyond_y = pl.col("width") + OUTSIDE_PX, pl.col("height") + OUTSIDE_PX
    return [
        _Fault(
            ~pl.all_horizontal(pl.col(name).is_finite() for name in BOX),
            pl.format("has a box {} that is not of finite numbers", box),
        ),
        _Fault(
            (right <= left) | (bottom <= top),
            pl.format("has a box {} whose right lower corner is not right of and below its left upper one", box),
        ),
        _Fault(
            (left < -OUTSIDE_PX) | (top < -OUTSIDE_PX) | (right > beyond_x) | (bottom > beyond_y),
            pl.format("has a box {} that reaches out of its image of {} x {} pixels", box, "width", "height"),
        ),
        _Fault(
            (right <= 0) | (bottom <= 0) | (left >= pl.col("width")) | (top >= pl.col("height")),
            pl.format("has a box {} outside its image of {} x {} pixels", box, "width", "height"),
        ),
    ]


def _faults_of_numbers() -> list[_Fault]:
    return [
        *(
            _Fault(
                ~pl.col(name).is_between(0, 1) | pl.col(name).is_nan(),
                pl.format(f"has a {name.replace('_', ' ')} of {{}}, which is not within 0 and 1", name),
                "Divide percentages by 100, and give what a detector is sure of as a probability.",
            )
            for name in ("confidence", "mask_quality")
        ),
        _Fault(
            ~(pl.col("area_px").is_finite() & (pl.col("area_px") > 0)),
            pl.format("has an area of {} pixels, which is not above 0", "area_px"),
        ),
    ]
