"""How road users move: car following along paths, walking, standing.

Vehicles follow the Intelligent Driver Model (Treiber, Hennecke, Helbing 2000, Eq. 3): each keeps to its path
and brakes for whatever stands or drives in the corridor ahead of it, for red lights and for curves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from probe4d.scenes.simulator.street import Path

__all__ = ["Agent", "Motion", "simulate_motion"]

Floats = NDArray[np.float64]

STEP_S = 0.2
WARM_UP_S = 6.0
LOOK_AHEAD_M = 48
_ACCELERATION, _BRAKING = 1.6, 2.2  # comfortable, m/s^2
_HARDEST_BRAKING = 6.5
_STANDSTILL_GAP_M, _TIME_GAP_S = 2.2, 1.3
_SIDE_ACCELERATION = 2.0  # in curves, m/s^2


@dataclass(kw_only=True)
class Agent:
    """One road user or object.

    Attributes:
        category: nuScenes category name.
        size: Length, width, height of its box, metres.
        role: `driver` follows its path by the car-following model, `walker` at constant speed, `towed` hangs
            behind the agent before it, `fixed` stays where its path begins.
        path: Where it goes; one sample is enough for a fixed one.
        start_s: Metres along the path at the beginning of the warm-up (`driver`, `towed`), or where a walker starts.
        speed: Desired speed, m/s.
        start_time_s: When a walker sets off.
        stops: Stop lines on the path: metres along it and the time spans (s) during which it is red.
        centre_ahead_m: How far the box's centre lies ahead of the point that follows the path.
        parked: A vehicle without driver.
        rider: Whether a cycle has a rider; null for everything else.
        weave: Speed swing of stop-and-go traffic, as a share of the desired speed.
    """

    category: str
    size: tuple[float, float, float]
    role: str
    path: Path
    start_s: float = 0.0
    speed: float = 0.0
    start_time_s: float = 0.0
    stops: tuple[tuple[float, tuple[tuple[float, float], ...]], ...] = ()
    centre_ahead_m: float = 0.0
    parked: bool = False
    rider: bool | None = None
    weave: float = 0.0


class _Paths:
    """The paths of some agents as arrays: a row an agent, a column a metre."""

    def __init__(self, agents: Sequence[Agent]) -> None:
        longest = max(2, *(len(agent.path.yaw) for agent in agents))
        self.points = np.stack([_padded(agent.path.points, longest) for agent in agents])
        self.yaw = np.stack([_padded(agent.path.yaw, longest) for agent in agents])
        self.rows = np.arange(len(agents))

    def sample(self, table: Floats, s: Floats) -> Floats:
        """Values of a table of these rows and columns at `s` metres along each row."""
        column = np.clip(s.astype(np.intp), 0, table.shape[1] - 2)
        share = np.clip(s - column, 0, 1).reshape((-1,) + (1,) * (table.ndim - 2))
        values: Floats = table[self.rows, column] * (1 - share) + table[self.rows, column + 1] * share
        return values

    def poses(self, s: Floats) -> Floats:
        """x, y, yaw at `s` metres along each path, shape (N, 3)."""
        return np.column_stack([self.sample(self.points, s), self.sample(self.yaw, s)])


class Motion:
    """Where every agent is at any time of the scene.

    Attributes:
        agents: The agents, the ego vehicle first.
        times: Time grid of the simulation, seconds, shape (T,).
        along: Metres along its path, shape (N, T).
    """

    def __init__(self, agents: Sequence[Agent], times: Floats, along: Floats) -> None:
        self.agents, self.times, self.along = list(agents), times, along
        self._paths = _Paths(self.agents)
        self._ahead = np.array([agent.centre_ahead_m for agent in self.agents])

    def poses_at(self, time_s: float) -> Floats:
        """x, y, yaw of the point of every agent that follows its path, shape (N, 3)."""
        index, share = self._cell(time_s)
        return self._paths.poses(self.along[:, index] * (1 - share) + self.along[:, index + 1] * share)

    def boxes_at(self, time_s: float) -> Floats:
        """x, y, yaw of every agent's box, shape (N, 3)."""
        poses = self.poses_at(time_s)
        poses[:, 0] += self._ahead * np.cos(poses[:, 2])
        poses[:, 1] += self._ahead * np.sin(poses[:, 2])
        return poses

    def speeds_at(self, time_s: float) -> Floats:
        """Speed of every agent, m/s, shape (N,)."""
        index, _ = self._cell(time_s)
        speeds: Floats = (self.along[:, index + 1] - self.along[:, index]) / STEP_S
        return speeds

    def without(self, indices: Sequence[int]) -> Motion:
        """The same motion without some agents."""
        keep = np.setdiff1d(np.arange(len(self.agents)), indices)
        return Motion([self.agents[i] for i in keep], self.times, self.along[keep])

    def _cell(self, time_s: float) -> tuple[int, float]:
        index = min(max(int((time_s - self.times[0]) / STEP_S), 0), len(self.times) - 2)
        return index, float((time_s - self.times[index]) / STEP_S)


def simulate_motion(agents: list[Agent], duration_s: float) -> Motion:
    """Move all agents from the warm-up before time 0 until `duration_s`.

    Args:
        agents: The ego vehicle first; a towed agent directly after its towing one.
        duration_s: Length of the scene in seconds.
    """
    times = np.arange(-WARM_UP_S, duration_s + 2 * STEP_S, STEP_S)
    along = np.zeros((len(agents), len(times)))
    for index, agent in enumerate(agents):
        if agent.role == "walker":
            walked = agent.start_s + agent.speed * np.maximum(times - agent.start_time_s, 0)
            along[index] = np.minimum(walked, agent.path.length_m)
    _drive(agents, times, along)
    for index, agent in enumerate(agents):
        if agent.role == "towed":
            along[index] = np.maximum(along[index - 1] - _hitch_m(agents[index - 1], agent), 0)
    return Motion(agents, times, along)


def _hitch_m(towing: Agent, towed: Agent) -> float:
    return (towing.size[0] + towed.size[0]) / 2 + 0.7


class _Drivers(_Paths):
    """The drivers among all agents, and what governs each."""

    def __init__(self, agents: list[Agent]) -> None:
        self.index = np.array([i for i, agent in enumerate(agents) if agent.role == "driver"])
        drivers = [agents[i] for i in self.index]
        super().__init__(drivers)
        self.limit = np.stack([_padded(_speed_limit(agent), self.yaw.shape[1]) for agent in drivers])
        self.end = np.array([agent.path.length_m for agent in drivers])
        self.front = np.array([agent.size[0] / 2 + agent.centre_ahead_m for agent in drivers])
        self.half_width = np.array([agent.size[1] / 2 for agent in drivers])
        self.stops = [agent.stops for agent in drivers]
        self.weave = np.array([agent.weave for agent in drivers])


def _padded(values: Floats, length: int) -> Floats:
    pad = [(0, length - len(values))] + [(0, 0)] * (values.ndim - 1)
    return np.pad(values, pad, mode="edge")


def _speed_limit(agent: Agent) -> Floats:
    """Desired speed along the path: slower in curves, and braking comfortably ahead of them."""
    curvature = np.abs(np.gradient(agent.path.yaw)) if len(agent.path.yaw) > 1 else np.zeros(1)
    limit = np.minimum(agent.speed, np.sqrt(_SIDE_ACCELERATION / np.maximum(curvature, 1e-4)))
    for s in range(len(limit) - 2, -1, -1):
        limit[s] = min(limit[s], np.sqrt(limit[s + 1] ** 2 + 2 * 1.4))
    return limit


def _drive(agents: list[Agent], times: Floats, along: Floats) -> None:
    drivers = _Drivers(agents)
    obstacles = _Obstacles(agents, drivers)
    s = np.array([agents[i].start_s for i in drivers.index])
    v = drivers.sample(drivers.limit, s) * 0.9
    along[drivers.index, 0] = s
    for step, time in enumerate(times[:-1]):
        desired = drivers.sample(drivers.limit, s)
        desired = desired * (1 - drivers.weave * (0.5 + 0.5 * np.sin(time * 0.7)))
        gap, lead = obstacles.ahead(drivers, s, along[:, step])
        acceleration = _following(v, desired, gap, lead)
        for row, stops in enumerate(drivers.stops):
            for line, red in stops:
                distance = line - s[row] - drivers.front[row]
                if any(begin <= time < end for begin, end in red) and _can_stop(v[row], distance):
                    held = _following(v[row : row + 1], desired[row : row + 1], np.array([distance + 1.5]), np.zeros(1))
                    acceleration[row] = min(acceleration[row], held[0])
        acceleration = np.clip(acceleration, -_HARDEST_BRAKING, _ACCELERATION)
        moved = np.maximum(v * STEP_S + acceleration * STEP_S**2 / 2, 0)
        v = np.maximum(v + acceleration * STEP_S, 0)
        s = np.minimum(s + moved, drivers.end)
        along[drivers.index, step + 1] = s


def _can_stop(speed: float, distance_m: float) -> bool:
    return distance_m > -0.5 and speed**2 / (2 * max(distance_m, 0.3)) < 5.0


def _following(v: Floats, desired: Floats, gap: Floats, lead: Floats) -> Floats:
    desired = np.maximum(desired, 0.1)
    approach = v * (v - lead) / (2 * np.sqrt(_ACCELERATION * _BRAKING))
    wanted = _STANDSTILL_GAP_M + np.maximum(v * _TIME_GAP_S + approach, 0)
    result: Floats = _ACCELERATION * (1 - (v / desired) ** 4 - (wanted / np.maximum(gap, 0.1)) ** 2)
    return result


class _Obstacles(_Paths):
    """What a driver may have to brake for: drivers, what they tow, and walkers, as three discs each."""

    def __init__(self, agents: list[Agent], drivers: _Drivers) -> None:
        self.index = np.array([i for i, agent in enumerate(agents) if agent.role != "fixed"])
        chosen = [agents[i] for i in self.index]
        super().__init__(chosen)
        self.offsets = np.array([[a.centre_ahead_m + share * a.size[0] for share in (-0.38, 0, 0.38)] for a in chosen])
        self.radius = np.array([agent.size[1] / 2 for agent in chosen])
        towed = np.array([agent.role == "towed" for agent in chosen])
        self.hitch = np.array(
            [_hitch_m(agents[i - 1], agents[i]) if agents[i].role == "towed" else 0.0 for i in self.index]
        )
        pulled_by = np.where(towed, self.index - 1, self.index)
        self.own = pulled_by[None, :] == drivers.index[:, None]
        # Which driver moves each obstacle: itself, or the one that tows it; walkers are moved by none.
        self.driver = np.where(self.own.any(0), self.own.argmax(0), -1)
        self.previous: Floats | None = None

    def ahead(self, drivers: _Drivers, s: Floats, along: Floats) -> tuple[Floats, Floats]:
        """Free distance ahead of each driver (inf without obstacle) and the obstacle's speed along its heading.

        Args:
            drivers: The drivers.
            s: Metres along its path of each driver.
            along: The same of every agent; only those of walkers are read.
        """
        at = np.where(self.driver >= 0, s[self.driver] - self.hitch, along[self.index])
        poses = self.poses(np.maximum(at, 0))
        velocity = np.zeros((len(poses), 2)) if self.previous is None else (poses[:, :2] - self.previous) / STEP_S
        self.previous = poses[:, :2]
        heading = np.stack([np.cos(poses[:, 2]), np.sin(poses[:, 2])], axis=1)
        discs = poses[:, None, :2] + self.offsets[:, :, None] * heading[:, None, :]

        mine = drivers.poses(s)
        distance = np.hypot(mine[:, None, 0] - poses[None, :, 0], mine[:, None, 1] - poses[None, :, 1])
        row, obstacle = np.nonzero((distance < LOOK_AHEAD_M + 16) & ~self.own)
        steps = np.arange(0, LOOK_AHEAD_M, 1.5)
        columns = np.rint(s[:, None] + drivers.front[:, None] + steps).astype(np.intp)
        corridor = drivers.points[drivers.rows[:, None], np.minimum(columns, drivers.points.shape[1] - 1)]
        across = corridor[row, :, None, 0] - discs[obstacle, None, :, 0]
        along_y = corridor[row, :, None, 1] - discs[obstacle, None, :, 1]
        reach = drivers.half_width[row] + self.radius[obstacle] + 0.25
        hit = (across**2 + along_y**2).min(-1) < (reach**2)[:, None]
        gap = np.full((len(s), len(poses)), np.inf)
        gap[row, obstacle] = np.where(hit.any(1), steps[hit.argmax(1)], np.inf)
        nearest = gap.argmin(1)
        lead = velocity[nearest, 0] * np.cos(mine[:, 2]) + velocity[nearest, 1] * np.sin(mine[:, 2])
        return gap[drivers.rows, nearest], np.maximum(lead, 0)
