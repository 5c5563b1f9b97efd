"""One simulated scene in full: who moves where, what stands around, and when the sensors look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probe4d.scenes.simulator.lidar import Cuboids
from probe4d.scenes.simulator.motion import Agent, Motion, simulate_motion
from probe4d.scenes.simulator.plan import Plan, plan_scene
from probe4d.scenes.simulator.population import populate
from probe4d.scenes.simulator.street import Street, street

__all__ = ["World", "make_world"]

Floats = NDArray[np.float64]

FRAME_S = 0.5
_BOTTOM_M = 0.05  # boxes end just above the ground, so that ground returns stay out of them
_INSET_M = 0.05
_EGO_INSET_M = 0.35  # bonnet and roof slope away: as a full cuboid the vehicle would hide the ground around it


@dataclass(frozen=True)
class World:
    """A scene that can be looked at.

    Attributes:
        plan: Manoeuvre and classes.
        street: The streets.
        motion: Agents and where they go, the ego vehicle first.
        times: Time of each key frame's LiDAR scan, seconds, shape (F,).
        buildings: x, y, yaw, length, width, height of houses and poles (global), shape (B, 6).
    """

    plan: Plan
    street: Street
    motion: Motion
    times: Floats
    buildings: Floats

    @property
    def sizes(self) -> Floats:
        """Length, width, height of every agent's box, shape (N, 3)."""
        return np.array([agent.size for agent in self.motion.agents])

    def ego_pose(self, time_s: float) -> tuple[float, float, float]:
        """x, y, yaw of the ego vehicle's rear axle (global) at a time."""
        x, y, yaw = self.motion.poses_at(time_s)[0]
        return float(x), float(y), float(yaw)

    def boxes(self, time_s: float) -> tuple[Floats, Floats]:
        """Box centres (N, 3) and yaws (N,) (global) of all agents at a time."""
        poses = self.motion.boxes_at(time_s)
        return np.column_stack([poses[:, :2], self.sizes[:, 2] / 2 + _BOTTOM_M]), poses[:, 2]

    def cuboids(self, time_s: float) -> Cuboids:
        """Agents, then buildings, in the ego frame at a time."""
        centres, yaws = self.boxes(time_s)
        b = self.buildings
        centres = np.concatenate([centres, np.column_stack([b[:, 0], b[:, 1], b[:, 5] / 2])])
        x, y, yaw = self.ego_pose(time_s)
        offset = centres[:, :2] - [x, y]
        cos, sin = np.cos(yaw), np.sin(yaw)
        local = np.column_stack(
            [cos * offset[:, 0] + sin * offset[:, 1], cos * offset[:, 1] - sin * offset[:, 0], centres[:, 2]]
        )
        agents = len(yaws)
        reflectivity = np.concatenate([_reflectivity(self.motion.agents), np.full(len(b), 0.3)])
        inset = np.concatenate([[_EGO_INSET_M], np.full(agents - 1, _INSET_M), np.zeros(len(b))])
        yaws = np.concatenate([yaws, b[:, 2]]) - yaw
        return Cuboids(local, np.concatenate([self.sizes, b[:, 3:6]]), yaws, inset, reflectivity)


def _reflectivity(agents: list[Agent]) -> Floats:
    bright = {"movable_object.trafficcone": 0.7, "movable_object.barrier": 0.5, "vehicle.trailer": 0.45}
    return np.array([bright.get(agent.category, 0.15 + 0.02 * (i * 7 % 13)) for i, agent in enumerate(agents)])


def make_world(seed: int, scene: int, attempt: int) -> World:
    """Lay out and simulate a scene.

    Args:
        seed: Seed of the dataset.
        scene: Index of the scene.
        attempt: Number of layouts already given up because a class did not come into view.
    """
    rng = np.random.default_rng([seed, 0, scene, attempt])
    plan = plan_scene(seed, scene, rng)
    frames = int(rng.choice([39, 40, 41], p=[0.1, 0.6, 0.3]))
    times = np.arange(frames) * FRAME_S + np.concatenate([[0.0], rng.choice([0.0, 0.0, 0.0, 0.05], frames - 1)])
    layout = street(rng, bend=plan.manoeuvre == "bend")
    agents = populate(layout, plan, float(times[-1]), rng)
    motion, buildings = _apart(simulate_motion(agents, float(times[-1])), _buildings(layout, rng), times)
    return World(plan, layout, motion, times, buildings)


def _apart(motion: Motion, buildings: Floats, times: Floats) -> tuple[Motion, Floats]:
    """Take away agents whose boxes ever touch another's: nobody drives through anybody. Poles in the way go too."""
    agents = len(motion.agents)
    half = np.concatenate([[agent.size[:2] for agent in motion.agents], buildings[:, 3:5]]) / 2 + 0.05
    touching: set[tuple[int, int]] = set()
    for time in np.union1d(times, np.arange(0, times[-1], 0.25)):
        poses = np.concatenate([motion.boxes_at(float(time)), buildings[:, :3]])
        touching.update(_overlaps(poses, half, agents))
    gone: set[int] = set()
    for first, second in sorted(touching):
        if first not in gone and second not in gone:
            gone.add(second)
    for index, agent in enumerate(motion.agents):
        if agent.role == "towed" and (index in gone or index - 1 in gone):
            gone |= {index, index - 1}
    standing = [index for index in range(len(buildings)) if agents + index not in gone]
    return motion.without([index for index in sorted(gone) if index < agents]), buildings[standing]


def _overlaps(poses: Floats, half: Floats, agents: int) -> list[tuple[int, int]]:
    """Pairs (i < j, i one of the agents, which come first) of rectangles that overlap, by the separating-axis test."""
    reach = np.hypot(half[:, 0], half[:, 1])
    apart = np.hypot(poses[:agents, None, 0] - poses[None, :, 0], poses[:agents, None, 1] - poses[None, :, 1])
    i, j = np.nonzero(np.triu(apart < reach[:agents, None] + reach[None, :], k=1))
    offset = poses[j, :2] - poses[i, :2]
    turn = poses[j, 2] - poses[i, 2]
    cos, sin = np.abs(np.cos(turn)), np.abs(np.sin(turn))
    overlap = np.ones(len(i), dtype=bool)
    for own, other in ((i, j), (j, i)):
        ahead = np.abs(offset[:, 0] * np.cos(poses[own, 2]) + offset[:, 1] * np.sin(poses[own, 2]))
        left = np.abs(offset[:, 1] * np.cos(poses[own, 2]) - offset[:, 0] * np.sin(poses[own, 2]))
        overlap &= ahead < half[own, 0] + cos * half[other, 0] + sin * half[other, 1]
        overlap &= left < half[own, 1] + sin * half[other, 0] + cos * half[other, 1]
    return [(int(a), int(b)) for a, b in zip(i[overlap], j[overlap], strict=True)]


def _buildings(layout: Street, rng: np.random.Generator) -> Floats:
    """Houses along both streets, and poles on the sidewalks: x, y, yaw, length, width, height."""
    rows: list[tuple[float, float, float, float, float, float]] = []
    for road in (0, 1):
        path, junction = layout.roads[road], layout.junction_s[road]
        clear = layout.wall_d + (0.5 if road == 0 else 13.0)
        for side in (-1, 1):
            s = 5.0
            while s < path.length_m - 20:
                length, depth, height = rng.uniform(9, 15), rng.uniform(8, 12), rng.uniform(5, 17)
                middle = s + length / 2
                if abs(middle - junction) > clear + length / 2 and rng.random() < 0.85:
                    x, y, yaw = path.at(middle, side * (layout.wall_d + 0.3 + depth / 2))
                    rows.append((float(x), float(y), float(yaw), length * 0.96, depth, height))
                s += length + (0.3 if rng.random() < 0.7 else rng.uniform(3, 9))
            for s in np.arange(15.0, path.length_m - 10, 28.0) + rng.uniform(-4, 4):
                if abs(s - junction) > layout.curb_d + 2:
                    x, y, yaw = path.at(float(s), side * (layout.curb_d + 0.45))
                    rows.append((float(x), float(y), float(yaw), 0.22, 0.22, 6.5))
    return np.array(rows)
