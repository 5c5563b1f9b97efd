"""What things look like to a camera: coloured quads on cuboids and on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probe4d.scenes.simulator.motion import Agent
from probe4d.scenes.simulator.street import LANE_WIDTH_M, Path, Street

__all__ = ["Quads", "agent_quads", "building_quads", "ground_quads"]

Floats = NDArray[np.float64]
Colour = tuple[int, int, int]
Patch = tuple[str, float, float, float, float, Colour]
"""Faces (letters of front, back, left, right, top), then left, right, bottom, top as shares of a face, and colour."""

_SIDES = "fblr"
_GLASS: Colour = (46, 60, 74)
_RUBBER: Colour = (30, 30, 32)
_SKIN: Colour = (214, 172, 140)
_PAINTS: tuple[Colour, ...] = (
    (188, 40, 38),
    (226, 228, 230),
    (44, 82, 140),
    (58, 60, 64),
    (150, 156, 160),
    (28, 108, 92),
    (198, 148, 52),
    (112, 60, 96),
)
_CLOTHES: tuple[Colour, ...] = (
    (170, 52, 60),
    (52, 96, 160),
    (90, 130, 70),
    (220, 200, 120),
    (120, 84, 150),
    (70, 70, 78),
)
_FACADES: tuple[Colour, ...] = ((186, 168, 148), (164, 118, 96), (148, 152, 158), (204, 192, 168), (132, 124, 120))
_LIGHT = {"f": 0.86, "b": 0.74, "l": 0.95, "r": 0.66, "t": 1.08}


@dataclass(frozen=True)
class Quads:
    """Planar quadrilaterals in the order in which they cover each other.

    Attributes:
        corners: Shape (Q, 4, 3), metres, in the frame of their owner.
        normals: Outward unit normals, shape (Q, 3).
        colours: Red, green, blue, shape (Q, 3), 0 to 255.
        owner: Index of the object that each belongs to, shape (Q,).
    """

    corners: Floats
    normals: Floats
    colours: Floats
    owner: NDArray[np.intp]


_FACES: dict[str, tuple[tuple[float, float, float], tuple[float, float, float], tuple[float, float, float]]] = {
    # Normal, the direction of a face's width as seen from outside, and of its height.
    "f": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "b": ((-1, 0, 0), (0, -1, 0), (0, 0, 1)),
    "l": ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
    "r": ((0, -1, 0), (1, 0, 0), (0, 0, 1)),
    "t": ((0, 0, 1), (0, -1, 0), (1, 0, 0)),
}


def _quads(sizes: Sequence[tuple[float, float, float]], patches: Sequence[Sequence[Patch]]) -> Quads:
    corners, normals, colours, owner = [], [], [], []
    for index, (size, painted) in enumerate(zip(sizes, patches, strict=True)):
        half = np.array(size) / 2
        for faces, left, right, bottom, top, colour in painted:
            for face in faces:
                normal, across, up = (np.array(axis, dtype=np.float64) for axis in _FACES[face])
                u = 2 * np.array([left, right, right, left]) - 1
                v = 2 * np.array([bottom, bottom, top, top]) - 1
                corners.append((normal + u[:, None] * across + v[:, None] * up) * half)
                normals.append(normal)
                colours.append(np.clip(np.array(colour) * _LIGHT[face], 0, 255))
                owner.append(index)
    return Quads(np.array(corners), np.array(normals), np.array(colours), np.array(owner))


def agent_quads(agents: Sequence[Agent]) -> Quads:
    """Quads of all agents, each in the frame of its box (origin in the middle)."""
    return _quads([agent.size for agent in agents], [_agent_patches(agent, i) for i, agent in enumerate(agents)])


def _agent_patches(agent: Agent, index: int) -> list[Patch]:
    kind = agent.category
    paint, cloth = _PAINTS[index * 5 % len(_PAINTS)], _CLOTHES[index * 5 % len(_CLOTHES)]
    if kind.startswith("human."):
        cloth = (238, 130, 30) if kind.endswith("construction_worker") else cloth
        return [*_person(0.0, cloth, ("lr", 0.1, 0.9)), *_person(0.0, cloth)]
    if kind in ("vehicle.bicycle", "vehicle.motorcycle"):
        frame: Colour = (64, 66, 72) if kind.endswith("bicycle") else paint
        if not agent.rider:
            return [
                ("fblrt", 0, 1, 0, 1, frame),
                ("lr", 0.02, 0.36, 0, 0.55, _RUBBER),
                ("lr", 0.64, 0.98, 0, 0.55, _RUBBER),
            ]
        wheels: list[Patch] = [("lr", 0.02, 0.34, 0, 0.36, _RUBBER), ("lr", 0.66, 0.98, 0, 0.36, _RUBBER)]
        return [("fblr", 0, 1, 0, 0.45, frame), *wheels, *_person(0.4, cloth, ("lr", 0.26, 0.7)), *_person(0.4, cloth)]
    if kind == "movable_object.barrier":
        stripes: list[Patch] = [("fb", i / 8, (i + 1) / 8, 0.35, 1, (206, 44, 40)) for i in range(0, 8, 2)]
        return [("fblrt", 0, 1, 0, 1, (236, 234, 230)), *stripes, ("fb", 0, 1, 0, 0.15, (90, 90, 94))]
    if kind == "movable_object.trafficcone":
        return [("fblrt", 0, 1, 0, 1, (240, 104, 24)), (_SIDES, 0, 1, 0.45, 0.68, (244, 244, 240))]
    if not kind.startswith("vehicle."):
        return [("fblrt", 0, 1, 0, 1, (52, 92, 60)), (_SIDES, 0, 1, 0.84, 0.9, (30, 56, 36))]
    return _vehicle(kind, paint)


def _person(bottom: float, cloth: Colour, sides: tuple[str, float, float] | None = None) -> list[Patch]:
    """Legs, torso and head from a share of the height upwards.

    Args:
        bottom: Where the legs begin.
        cloth: Colour of the torso.
        sides: Left and right faces and the share of their width that the body takes; null paints front and
            back over their whole width.
    """
    faces, begin, end = sides or ("fb", 0.0, 1.0)
    inner = 0.2 * (end - begin)
    shares = [bottom + (1 - bottom) * share for share in (0, 0.5, 0.84, 0.91)]
    hair: Colour = (72, 52, 40)
    return [
        (faces, begin, end, shares[0], shares[1], (54, 56, 74)),
        (faces, begin, end, shares[1], shares[2], cloth),
        (faces, begin + inner, end - inner, shares[2], 1, _SKIN),
        (faces, begin + inner, end - inner, shares[3], 1, hair),
    ]


def _vehicle(kind: str, paint: Colour) -> list[Patch]:
    wheels: list[Patch] = [("lr", a, a + 0.14, 0, 0.3, _RUBBER) for a in (0.12, 0.74)]
    lights: list[Patch] = [
        *(("f", a, a + 0.16, 0.3, 0.42, (255, 246, 206)) for a in (0.05, 0.79)),
        *(("b", a, a + 0.14, 0.3, 0.44, (214, 24, 28)) for a in (0.05, 0.81)),
    ]
    skirt: Patch = (_SIDES, 0, 1, 0, 0.1, (44, 44, 48))
    if kind.startswith("vehicle.bus"):
        paint = (214, 176, 44) if sum(paint) % 2 else (54, 116, 160)
        panes: list[Patch] = [("lr", i / 8 + 0.012, (i + 1) / 8 - 0.012, 0.48, 0.84, _GLASS) for i in range(8)]
        wheels = [("lr", a, a + 0.09, 0, 0.24, _RUBBER) for a in (0.12, 0.78)]
        front: list[Patch] = [("f", 0.06, 0.94, 0.4, 0.9, _GLASS), ("b", 0.1, 0.9, 0.52, 0.84, _GLASS)]
        return [("fblrt", 0, 1, 0, 1, paint), skirt, *panes, *front, *wheels, *lights]
    if kind == "vehicle.truck":
        box: Patch = ("lrt", 0, 1, 0.14, 1, (222, 220, 212))
        cab: list[Patch] = [
            ("l", 0, 0.24, 0, 1, paint),
            ("r", 0.76, 1, 0, 1, paint),
            ("f", 0.08, 0.92, 0.5, 0.84, _GLASS),
        ]
        windows: list[Patch] = [("l", 0.04, 0.17, 0.52, 0.82, _GLASS), ("r", 0.83, 0.96, 0.52, 0.82, _GLASS)]
        return [("fblrt", 0, 1, 0, 1, paint), box, skirt, *cab, *windows, *wheels, *lights]
    if kind == "vehicle.trailer":
        stripe: Patch = ("blr", 0, 1, 0.42, 0.56, paint)
        wheels = [("lr", a, a + 0.1, 0, 0.24, _RUBBER) for a in (0.08, 0.22, 0.78)]
        return [("fblrt", 0, 1, 0, 1, (208, 206, 198)), stripe, skirt, *wheels, *lights[2:]]
    if kind == "vehicle.construction":
        glass: list[Patch] = [("f", 0.1, 0.9, 0.5, 0.9, _GLASS), ("lr", 0.36, 0.64, 0.52, 0.9, _GLASS)]
        wheels = [("lr", a, a + 0.26, 0, 0.4, _RUBBER) for a in (0.06, 0.68)]
        return [("fblrt", 0, 1, 0, 1, (230, 172, 28)), (_SIDES, 0, 1, 0.4, 0.45, (40, 40, 40)), *glass, *wheels]
    panes = [("lr", 0.2, 0.49, 0.54, 0.92, _GLASS), ("lr", 0.51, 0.8, 0.54, 0.92, _GLASS)]
    front = [("fb", 0.08, 0.92, 0.54, 0.92, _GLASS), ("f", 0.3, 0.7, 0.26, 0.4, (34, 34, 38))]
    return [("fblrt", 0, 1, 0, 1, paint), skirt, *panes, *front, *wheels, *lights]


def building_quads(buildings: Floats) -> Quads:
    """Quads of houses and poles, each in the frame of its middle.

    Args:
        buildings: x, y, yaw, length, width, height, shape (B, 6).
    """
    patches = [_facade(i, *(float(value) for value in row[3:6])) for i, row in enumerate(buildings)]
    return _quads([(row[3], row[4], row[5]) for row in buildings.tolist()], patches)


def _facade(index: int, length: float, width: float, height: float) -> list[Patch]:
    if length < 1:
        return [("fblrt", 0, 1, 0, 1, (112, 116, 118))]
    patches: list[Patch] = [("fblrt", 0, 1, 0, 1, _FACADES[index * 3 % len(_FACADES)])]
    floors = max(int(height / 3.1), 1)
    for faces, extent in (("lr", length), ("fb", width)):
        bays = max(int(extent / 3.0), 1)
        for floor in range(floors):
            bottom, top = (floor + 0.28) / floors, (floor + 0.76) / floors
            patches += [(faces, (i + 0.26) / bays, (i + 0.74) / bays, bottom, top, (88, 104, 120)) for i in range(bays)]
    return patches


def ground_quads(layout: Street) -> Quads:
    """Sidewalks, lanes and their markings as quads on the ground (global), those below first."""
    strips: list[tuple[int, Floats, Colour]] = []
    paint: Colour = (222, 222, 216)
    for road, path in enumerate(layout.roads):
        before = layout.junction_s[road] - layout.stop_before_junction_m
        after = layout.junction_s[road] + layout.stop_before_junction_m
        end = path.length_m
        strips.append((0, _strip(path, 0, end, 6, -layout.wall_d - 0.3, layout.wall_d + 0.3), (150, 147, 142)))
        strips.append((1, _strip(path, 0, end, 6, -layout.curb_d, layout.curb_d), (84, 86, 90)))
        for begin, stop in ((0.0, before), (after, end)):
            strips.append((2, _strip(path, begin, stop, 8, -0.09, 0.09), (226, 184, 70)))
            for side in (-1, 1):
                edge = side * layout.half_width_m
                strips.append((2, _strip(path, begin, stop, 8, edge - 0.07, edge + 0.07), paint))
                for lane in range(1, layout.lanes):
                    d = side * lane * LANE_WIDTH_M
                    strips.append((2, _strip(path, begin, stop, 3, d - 0.07, d + 0.07)[::3], paint))
        strips.append((2, _strip(path, before - 0.4, before, 1, -layout.half_width_m, 0), paint))
        strips.append((2, _strip(path, after, after + 0.4, 1, 0, layout.half_width_m), paint))
        for side in (-1, 1):
            middle = layout.junction_s[road] + side * layout.crosswalk_before_junction_m
            bars = np.arange(-layout.half_width_m + 0.4, layout.half_width_m - 0.5, 1.0).tolist()
            strips += [(2, _strip(path, middle - 1.5, middle + 1.5, 3, d, d + 0.5), paint) for d in bars]
    strips.sort(key=lambda strip: strip[0])
    corners = np.concatenate([quads for _, quads, _ in strips])
    colours = np.concatenate(
        [np.tile(np.array(colour, dtype=np.float64), (len(quads), 1)) for _, quads, colour in strips]
    )
    up = np.tile([0.0, 0.0, 1.0], (len(corners), 1))
    return Quads(corners, up, colours, np.arange(len(corners)))


def _strip(path: Path, begin: float, end: float, step: float, right_d: float, left_d: float) -> Floats:
    """Quads between two lateral positions, each `step` metres long, shape (Q, 4, 3)."""
    s = np.append(np.arange(begin, end - 1e-6, step), end)
    right, left = (np.stack(path.at(s, d)[:2], axis=1) for d in (right_d, left_d))
    flat = np.stack([right[:-1], right[1:], left[1:], left[:-1]], axis=1)
    return np.concatenate([flat, np.zeros((*flat.shape[:2], 1))], axis=2)
