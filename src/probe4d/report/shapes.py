"""What pictures are made of: SVG paths and labels in drawing units, from metres and radians in the ego frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

import msgspec

from probe4d.scenes.ego_vehicle import EGO_FRONT_M, EGO_HALF_WIDTH_M, EGO_REAR_M

__all__ = [
    "EXTENTS_M",
    "LETTER_WIDTH",
    "PANEL",
    "Grid",
    "Label",
    "Panel",
    "Shape",
    "View",
    "apart",
    "extent_for",
    "grid",
    "outline",
]

PANEL = 400.0
"""Width and height of a bird's-eye panel in drawing units."""

EXTENTS_M = (12, 20, 30, 40, 60, 80, 120, 160)
"""Half widths that a panel may have."""

LABEL_GAP = 15.0
ROUNDING = 0.5
BOTTOM = 6.0
LETTER_WIDTH = 8.3  # of the bold 13-unit labels, on average

Point = tuple[float, float]


class Shape(msgspec.Struct, frozen=True, array_like=True):
    """An SVG path and the class that says what it stands for."""

    kind: str
    d: str


class Label(msgspec.Struct, frozen=True, array_like=True):
    """A text at a point; `anchor` is SVG's text-anchor."""

    kind: str
    x: float
    y: float
    anchor: str
    text: str


class Panel(msgspec.Struct, frozen=True, omit_defaults=True):
    """One panel of a picture.

    Attributes:
        title: What it shows, such as `frame 012`.
        height: Height in drawing units.
        extent: Half width in metres, which `grid` takes; null for a panel that is no bird's-eye view.
        frame: Key frame whose faint boxes lie below; null without.
        shapes: Drawn over the faint boxes, in order.
        labels: Texts over everything.
        width: Width in drawing units.
        photograph: Key of the camera image that lies below; null without.
    """

    title: str
    height: float
    extent: int | None
    frame: int | None
    shapes: list[Shape]
    labels: list[Label]
    width: float = PANEL
    photograph: str | None = None


class Grid(msgspec.Struct, frozen=True):
    """What every panel of one extent shares: range rings and the ego vehicle; `scale` is in units a metre."""

    scale: float
    shapes: list[Shape]
    labels: list[Label]


class View:
    """Seen from above: the ego vehicle in the middle, heading up; x forward, y left, in metres."""

    def __init__(self, extent_m: float) -> None:
        self.extent_m = extent_m
        self.scale = PANEL / 2 / extent_m

    def at(self, point: Point) -> Point:
        """Drawing coordinates of a point of the ego frame."""
        return PANEL / 2 - point[1] * self.scale, PANEL / 2 - point[0] * self.scale

    def path(self, points: Sequence[Point], *, closed: bool = False) -> str:
        """Path through points of the ego frame."""
        steps = "L".join(f"{x:.1f} {y:.1f}" for x, y in map(self.at, points))
        return f"M{steps}{'Z' if closed else ''}"

    def dots(self, points: Sequence[Point], radius: float = 2.2) -> str:
        """Path of a small disc at each point; `radius` is in drawing units."""
        arc = f"a{radius} {radius} 0 1 0 "
        discs = ((x - radius, y) for x, y in map(self.at, points))
        return "".join(f"M{x:.1f} {y:.1f}{arc}{2 * radius} 0{arc}{-2 * radius} 0" for x, y in discs)

    def wedge(self, centre_deg: float, width_deg: float, radius_m: float) -> str:
        """Path of a circle's sector about the ego origin, its bearing counter-clockwise from straight ahead."""
        low, high = (math.radians(centre_deg + side * width_deg / 2) for side in (-1, 1))
        ends = [self.at((radius_m * math.cos(angle), radius_m * math.sin(angle))) for angle in (low, high)]
        middle, radius = PANEL / 2, radius_m * self.scale
        (x0, y0), (x1, y1) = ends
        # Counter-clockwise in the ego frame is counter-clockwise on the page too, SVG's sweep 0.
        return f"M{middle:g} {middle:g}L{x0:.1f} {y0:.1f}A{radius:.1f} {radius:.1f} 0 0 0 {x1:.1f} {y1:.1f}Z"


def outline(x: float, y: float, length: float, width: float, yaw: float) -> list[Point]:
    """Corners of an oriented box seen from above, in metres, front left first, counter-clockwise."""
    cos, sin = math.cos(yaw), math.sin(yaw)
    corners = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))
    return [
        (x + along * length * cos - across * width * sin, y + along * length * sin + across * width * cos)
        for along, across in corners
    ]


def extent_for(points: Sequence[Point]) -> int:
    """Smallest extent that shows all points with some room; 40 m where there are none."""
    if not points:
        return 40
    reach = 1.18 * max(max(abs(x), abs(y)) for x, y in points)
    return next((extent for extent in EXTENTS_M if reach <= extent), EXTENTS_M[-1])


@cache
def grid(extent_m: int) -> Grid:
    """Range rings with their radii, and the ego vehicle, for panels of one extent."""
    view = View(extent_m)
    step = next(step for step in (5, 10, 20, 40) if extent_m / step <= 4)
    radii = range(step, extent_m + 1, step)
    rings = "".join(_circle(radius * view.scale) for radius in radii)
    ego = outline((EGO_FRONT_M + EGO_REAR_M) / 2, 0.0, EGO_FRONT_M - EGO_REAR_M, 2 * EGO_HALF_WIDTH_M, 0.0)
    nose = [(EGO_FRONT_M - 1.1, EGO_HALF_WIDTH_M), (EGO_FRONT_M, 0.0), (EGO_FRONT_M - 1.1, -EGO_HALF_WIDTH_M)]
    shapes = [
        Shape("ring", rings),
        Shape("axis", f"M{PANEL / 2:g} 0V{PANEL:g}M0 {PANEL / 2:g}H{PANEL:g}"),
        Shape("ego", view.path(ego, closed=True)),
        Shape("ego-nose", view.path(nose)),
    ]
    middle = PANEL / 2
    labels = [Label("ring", middle + 3, middle + radius * view.scale - 3, "start", f"{radius} m") for radius in radii]
    return Grid(view.scale, shapes, labels)


def apart(
    labels: Sequence[Label], *, height: float = PANEL, gap: float = LABEL_GAP, letter_width: float = LETTER_WIDTH
) -> list[Label]:
    """Move labels of a panel up or down, as little as it takes, until none lies on another.

    Args:
        labels: The labels; those that come first move less.
        height: Height of the panel, which no label leaves.
        gap: From line to line.
        letter_width: Of their letters, on average.
    """
    placed: list[Label] = []
    for label in labels:
        start, end = _reach(label, letter_width)
        taken = [one.y for one in placed if start < _reach(one, letter_width)[1] and _reach(one, letter_width)[0] < end]
        wanted = min(max(label.y, gap - 1), height - BOTTOM)
        places = [wanted, *(other + step for other in taken for step in (-gap, gap))]
        free = [
            y
            for y in places
            if gap - 1 <= y <= height - BOTTOM and all(abs(y - other) >= gap - ROUNDING for other in taken)
        ]
        y = min(free, key=lambda y: abs(y - wanted), default=wanted)
        placed.append(Label(label.kind, label.x, round(y, 1), label.anchor, label.text))
    return placed


def _reach(label: Label, letter_width: float) -> tuple[float, float]:
    """From where to where a label reaches, about."""
    width = letter_width * len(label.text)
    start = label.x - width * {"start": 0.0, "middle": 0.5, "end": 1.0}[label.anchor]
    return start, start + width


def _circle(radius: float) -> str:
    middle = PANEL / 2
    arc = f"A{radius:.1f} {radius:.1f} 0 1 0 "
    return (
        f"M{middle - radius:.1f} {middle:g}{arc}{middle + radius:.1f} {middle:g}{arc}{middle - radius:.1f} {middle:g}"
    )
