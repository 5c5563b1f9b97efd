"""One phrase as a picture: the ways of the ego vehicle and the object from above, and the numbers behind the phrase."""

from __future__ import annotations

import textwrap
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from probe4d.benchmarks.b4dl.annotations import thresholds as at
from probe4d.scenes.ego_vehicle import EGO_FRONT_M, EGO_HALF_WIDTH_M, EGO_REAR_M

COLUMNS, ROWS = 4, 2
PANEL = (470, 560)
_MAP = (470, 380)
_EDGE = 24
_AROUND_M = 4.0
_MOST_PX_PER_M, _LEAST_GRID_PX = 16.0, 40.0
Colour = tuple[int, int, int]
_EGO: Colour = (30, 90, 200)
_OBJECT: Colour = (205, 60, 20)
_PALE: Colour = (236, 236, 236)
_FONT, _SMALL = ImageFont.load_default(15), ImageFont.load_default(13)

Array = NDArray[np.float64]

_EGO_CORNERS: Array = np.array(
    [
        [EGO_FRONT_M, 0],
        [EGO_FRONT_M - 1, EGO_HALF_WIDTH_M],
        [EGO_REAR_M, EGO_HALF_WIDTH_M],
        [EGO_REAR_M, -EGO_HALF_WIDTH_M],
        [EGO_FRONT_M - 1, -EGO_HALF_WIDTH_M],
    ]
)
_BOX_CORNERS: Array = np.array([[1, 0], [0.6, 1], [-1, 1], [-1, -1], [0.6, -1]])
"""Of half the length and half the width: pointed in front."""


class Panel(NamedTuple):
    """What is drawn.

    Attributes:
        number: Its number.
        row: The annotation, with start and end of its sequence.
        ego: Rows of `EGO_SCHEMA` in the window.
        objects: Rows of `OBJECTS_SCHEMA` in the window.
    """

    number: int
    row: dict[str, Any]
    ego: pl.DataFrame
    objects: pl.DataFrame


class _View(NamedTuple):
    """From the global plane to the pixels of the map."""

    origin_m: Array
    turn: Array
    middle_m: Array
    scale: float

    @classmethod
    def of(cls, start: dict[str, Any], places_m: Array) -> _View:
        """The heading of the ego vehicle at a start points up, and places fill the map."""
        yaw, origin = start["yaw_rad"], np.array([start["x_m"], start["y_m"]])
        turn = np.array([[np.sin(yaw), -np.cos(yaw)], [np.cos(yaw), np.sin(yaw)]])
        turned = (places_m - origin) @ turn.T
        low, high = turned.min(axis=0) - _AROUND_M, turned.max(axis=0) + _AROUND_M
        scale = float(min((np.array(_MAP) - 2 * _EDGE) / (high - low)))
        return cls(origin, turn, (low + high) / 2, min(scale, _MOST_PX_PER_M))

    def pixels(self, places_m: Array) -> list[tuple[float, float]]:
        turned = (places_m - self.origin_m) @ self.turn.T - self.middle_m
        return [(x, y) for x, y in turned * self.scale * [1, -1] + np.array(_MAP) / 2]


def panel(it: Panel) -> Image.Image:
    """Draw one."""
    image = Image.new("RGB", PANEL, "white")
    draw = ImageDraw.Draw(image)
    own = it.objects.filter(pl.col("track").eq_missing(it.row["track"])).sort("frame")
    ego = it.ego.sort("frame")
    (start,) = ego.filter(frame=it.row["start_frame"]).to_dicts()
    happens = pl.col("frame").is_between(it.row["start_frame"], it.row["end_frame"])
    view = _View.of(start, np.concatenate([_places(rows.filter(happens)) for rows in (ego, own)]))
    _grid(draw, view.scale)
    for rows, colour in ((ego, _EGO), (own, _OBJECT)):
        _way(draw, view.pixels(_places(rows)), rows.select("frame", happens=happens), colour)
    for frame in (it.row["start_frame"], it.row["end_frame"]):
        (pose,) = ego.filter(frame=frame).to_dicts()
        draw.polygon(view.pixels(_outline(pose, pose["yaw_rad"], _EGO_CORNERS)), outline=_EGO)
        for box in own.filter(frame=frame).iter_rows(named=True):
            corners = np.array([box["length_m"], box["width_m"]]) / 2 * _BOX_CORNERS
            draw.polygon(view.pixels(_outline(box, box["yaw_rad"] + pose["yaw_rad"], corners)), outline=_OBJECT)
    draw.rectangle((0, _MAP[1], *PANEL), fill="white")
    draw.rectangle((0, 0, PANEL[0] - 1, PANEL[1] - 1), outline=(150, 150, 150))
    _text(draw, it.row, it.number)
    return image


def _places(rows: pl.DataFrame) -> Array:
    return rows.select("x_m", "y_m").to_numpy()


def _outline(thing: dict[str, Any], yaw_rad: float, corners_m: Array) -> Array:
    """Corners of a thing in the global plane."""
    rotation = np.array([[np.cos(yaw_rad), -np.sin(yaw_rad)], [np.sin(yaw_rad), np.cos(yaw_rad)]])
    placed: Array = corners_m @ rotation.T + [thing["x_m"], thing["y_m"]]
    return placed


def _grid(draw: ImageDraw.ImageDraw, scale: float) -> None:
    """Lines at even distances, and how far apart they are."""
    step = next(metres for metres in (1, 2, 5, 10, 20, 50) if metres * scale >= _LEAST_GRID_PX)
    for at_px in np.arange(0, max(_MAP), step * scale):
        draw.line((at_px, 0, at_px, _MAP[1]), fill=_PALE)
        draw.line((0, at_px, _MAP[0], at_px), fill=_PALE)
    draw.line((10, _MAP[1] - 8, 10 + step * scale, _MAP[1] - 8), fill="black", width=2)
    draw.text((14 + step * scale, _MAP[1] - 18), f"{step} m", font=_SMALL, fill="black")


def _way(draw: ImageDraw.ImageDraw, px: list[tuple[float, float]], frames: pl.DataFrame, colour: Colour) -> None:
    """The whole way in the window thin, the event's part thick, a dot a key frame, its ends numbered."""
    inside = frames["happens"].to_list()
    event = [point for point, happens in zip(px, inside, strict=True) if happens]
    faint: Colour = tuple((2 * 255 + value) // 3 for value in colour)  # type: ignore[assignment]  # three
    for points, shade, width in ((px, faint, 1), (event, colour, 2)):
        if len(points) > 1:
            draw.line(points, fill=shade, width=width)
    for (x, y), happens in zip(px, inside, strict=True):
        radius = 3.0 if happens else 1.5
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour if happens else faint)
    numbers = frames.filter("happens")["frame"].to_list()
    for place in {0, len(event) - 1} if event else ():
        draw.text((event[place][0] + 6, event[place][1] - 7), str(numbers[place]), font=_SMALL, fill=colour)


def _text(draw: ImageDraw.ImageDraw, row: dict[str, Any], number: int) -> None:
    y = _MAP[1] + 4
    for line in textwrap.wrap(f"{number}. {row['phrase']}", 62):
        draw.text((8, y), line, font=_FONT, fill="black")
        y += 19
    for line in [f"{row['scene']}, window {row['start']}-{row['end']}, event {row['event']}", *_numbers(row)]:
        draw.text((8, y), line, font=_SMALL, fill=(70, 70, 70))
        y += 16


def _numbers(row: dict[str, Any]) -> list[str]:
    """The measures of an annotation, each with the thresholds that it is held against."""
    turn = "" if row["turn_deg"] is None else f"turn {row['turn_deg']:.0f} deg (a turn >= {at.TURN_DEG:g})"
    speed = f"speed {_from_to(row, 'speed_{}_mps')} m/s (moves >= {at.MOVES_MPS:g}, stands < {at.STANDS_MPS:g})"
    if row["track"] is None:
        return [speed, f"{turn}; change of speed told >= {at.SPEED_CHANGE_MPS:g} m/s"]
    own, ego = row["nearer_by_object_m"], row["nearer_by_ego_m"]
    places = (f"({row[f'ego_x_{end}_m']:.1f}, {row[f'ego_y_{end}_m']:.1f})" for end in ("start", "end"))
    return [
        f"range {_from_to(row, 'range_{}_m')} m (change >= {at.RANGE_CHANGE_M:g})",
        f"nearer by object {own:+.1f}, by ego {ego:+.1f} m (cause >= {at.SHARE_M:g})",
        f"ego frame {' -> '.join(places)} m; points >= {row['lidar_points']}",
        speed,
        *([turn] if turn else []),
    ]


def _from_to(row: dict[str, Any], name: str) -> str:
    return " -> ".join(f"{row[name.format(end)]:.1f}" for end in ("start", "end"))
