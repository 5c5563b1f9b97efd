"""Puts single things on a street: vehicles in lanes and at the kerb, work zones, pedestrians."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from probe4d.scenes.simulator.motion import WARM_UP_S, Agent
from probe4d.scenes.simulator.plan import Plan
from probe4d.scenes.simulator.street import Path, Street, straight_across

__all__ = ["DRIVEN", "SIZES", "Builder"]

SIZES: dict[str, tuple[float, float, float]] = {
    "vehicle.car": (4.6, 1.93, 1.72),
    "vehicle.truck": (7.4, 2.5, 2.95),
    "vehicle.bus.rigid": (11.4, 2.9, 3.4),
    "vehicle.bus.bendy": (15.5, 2.9, 3.4),
    "vehicle.trailer": (8.6, 2.6, 3.5),
    "vehicle.construction": (6.2, 2.6, 3.0),
    "vehicle.motorcycle": (2.1, 0.8, 1.5),
    "vehicle.bicycle": (1.75, 0.62, 1.35),
    "human.pedestrian.adult": (0.72, 0.66, 1.76),
    "human.pedestrian.child": (0.5, 0.5, 1.28),
    "human.pedestrian.construction_worker": (0.74, 0.7, 1.8),
    "human.pedestrian.police_officer": (0.74, 0.7, 1.8),
    "movable_object.barrier": (0.55, 2.2, 1.0),
    "movable_object.trafficcone": (0.42, 0.42, 1.02),
    "movable_object.pushable_pullable": (0.65, 0.6, 1.1),
}
"""Typical length, width and height of a box, metres."""

DRIVEN = ("car", "truck", "bus", "motorcycle", "construction vehicle", "trailer")
DRIVEN = ("car", "truck", "bus", "motorcycle", "construction vehicle", "trailer")
"""Classes that drive in lanes."""


def category_of(label: str, rng: np.random.Generator) -> str:
    """A nuScenes category of one of the ten classes."""
    if label == "bus":
        return "vehicle.bus.bendy" if rng.random() < 0.2 else "vehicle.bus.rigid"
    if label == "pedestrian":
        kinds = ("adult", "adult", "adult", "adult", "adult", "child", "construction_worker", "police_officer")
        return f"human.pedestrian.{kinds[rng.integers(len(kinds))]}"
    return {
        "construction vehicle": "vehicle.construction",
        "barrier": "movable_object.barrier",
        "traffic cone": "movable_object.trafficcone",
    }.get(label, f"vehicle.{label}")


@dataclass
class Builder:
    """Places agents on a street; every method adds to `agents`."""

    street: Street
    plan: Plan
    rng: np.random.Generator
    duration_s: float
    agents: list[Agent] = field(default_factory=list)
    zebra_s: float = -np.inf

    def size(self, category: str) -> tuple[float, float, float]:
        """Length, width, height of one thing of a category, metres."""
        length, width, height = (
            value * float(np.clip(self.rng.normal(1, 0.05), 0.88, 1.12)) for value in SIZES[category]
        )
        return round(length, 3), round(min(width, 2.95), 3), round(height, 3)

    def has(self, label: str) -> bool:
        """Whether a class occurs in this scene."""
        return label in self.plan.present

    def fixed(
        self, label: str, road: int, s: float, d: float, turned: float = 0.0, *, from_rear: bool = False
    ) -> float:
        """Add what stands at (s, d), its middle or its rear, turned from the street's direction; gives its length."""
        category = label if "." in label else category_of(label, self.rng)
        size = self.size(category)
        x, y, yaw = (float(value) for value in self.street.roads[road].at(s + (size[0] / 2 if from_rear else 0), d))
        pose = Path(np.array([[x, y]]), np.array([yaw + turned]))
        cycle = label in ("bicycle", "motorcycle")
        parked = category.startswith("vehicle.")
        rider = False if cycle else None
        self.agents.append(Agent(category=category, size=size, role="fixed", path=pose, parked=parked, rider=rider))
        return size[0]

    # Traffic ------------------------------------------------------------------------------------------------

    def stops_on(
        self, path: Path, road: int, before_s: float
    ) -> tuple[tuple[float, tuple[tuple[float, float], ...]], ...]:
        """The junction's stop line on a path with its red spans, if there are any and `before_s` lies before it."""
        line = self.street.junction_on(path, road) - self.street.stop_before_junction_m
        stops = [(line, self.plan.red[road])] if self.plan.red[road] and before_s < line else []
        return tuple(stops)

    def driver(self, label: str, path: Path, s: float, speed: float, road: int, weave: float = 0.0) -> None:
        """Something that drives in a lane; a trailer gets a vehicle that draws it."""
        if label == "trailer":
            self.driver("truck" if self.has("truck") else "car", path, s, speed, road, weave)
            pulling = self.agents[-1]
            light = pulling.category == "vehicle.car"
            size = self.size("vehicle.trailer")
            if light:
                size = (round(size[0] * 0.5, 3), round(size[1] * 0.75, 3), round(size[2] * 0.55, 3))
            self.agents.append(Agent(category="vehicle.trailer", size=size, role="towed", path=path, speed=speed))
            return
        category = category_of(label, self.rng)
        cycle = label in ("bicycle", "motorcycle")
        size = self.size(category)
        if cycle:
            size = (size[0], size[1], round(size[2] + 0.35, 3))
        self.agents.append(
            Agent(
                category=category,
                size=size,
                role="driver",
                path=path,
                start_s=s,
                speed=speed,
                stops=self.stops_on(path, road, s + size[0] / 2),
                rider=True if cycle else None,
                weave=weave,
            )
        )

    def fill_lane(
        self, path: Path, road: int, spans: list[tuple[float, float]], pace: float, mean_gap_m: float
    ) -> None:
        """Put a queue of vehicles on a lane, within spans of its length."""
        labels = [name for name in DRIVEN if self.has(name)]
        weights = np.array([6.0 if name == "car" else 1.0 for name in labels])
        for begin, end in spans:
            s = begin + self.rng.uniform(0, mean_gap_m)
            while s < end:
                label = str(self.rng.choice(labels, p=weights / weights.sum()))
                slow = 0.75 if label == "construction vehicle" else 1.0
                self.driver(label, path, s, pace * slow * self.rng.uniform(0.85, 1.15), road)
                s += 21.0 + self.rng.exponential(mean_gap_m)

    # Beside the lanes ---------------------------------------------------------------------------------------

    def kerbside(self, road: int, side: int, begin: float, end: float, deck: Callable[[], str]) -> None:
        """Fill the parking strip of one side: parked vehicles, gaps and work zones, drawn from a deck."""
        d = side * self.street.parking_d
        backwards = 0.0 if side < 0 else np.pi
        s = begin
        while s < end:
            label = deck()
            if road == 0 and self.zebra_s - 20 < s < self.zebra_s + 4:
                s = self.zebra_s + 4
            elif label == "gap":
                s += self.rng.uniform(6, 20)
            elif label in ("barrier", "traffic cone"):
                s += self.work_zone(label, road, side, s)
            elif label == "bicycle":
                count = int(self.rng.integers(1, 4))
                for i in range(count):
                    self.fixed("bicycle", road, s + 0.6 + 1.1 * i, d, turned=np.pi / 2 * self.rng.choice([-1, 1]))
                s += 1.1 * count + 2.0
            else:
                length = self.fixed(label, road, s, d, backwards + self.rng.normal(0, 0.015), from_rear=True)
                s += length + self.rng.uniform(0.9, 2.5)

    def work_zone(self, label: str, road: int, side: int, s: float) -> float:
        """Barriers or cones around a patch of the parking strip, with machine and workers; its length in metres."""
        street, rng = self.street, self.rng
        length = float(rng.uniform(10, 16))
        edge = street.half_width_m + 1.75
        if label == "barrier":
            for offset in np.arange(1.4, length - 1.0, 2.7):
                self.fixed("barrier", road, s + offset, side * edge, turned=np.pi / 2 + rng.normal(0, 0.03))
        else:
            for offset in np.arange(0.9, length - 0.5, float(rng.uniform(1.8, 3.2))):
                self.fixed("traffic cone", road, s + offset, side * (edge + rng.normal(0, 0.05)))
        if self.has("traffic cone"):
            for offset, beyond in ((0.0, 0.1), (0.0, 0.9), (0.0, 1.7), (length, 0.1), (length, 0.9)):
                self.fixed("traffic cone", road, s + offset, side * (edge + beyond))
        if self.has("construction vehicle"):
            turned = float(rng.choice([0, np.pi]))
            self.fixed("construction vehicle", road, s + length / 2, side * (street.parking_d + 0.8), turned)
        if self.has("pedestrian"):
            category = "human.pedestrian.construction_worker"
            self.fixed(category, road, s + 1.0, side * street.parking_d, rng.uniform(-3, 3))
        return length + 2.0

    def walkers(self, road: int, side: int, begin: float, end: float, mean_gap_m: float) -> None:
        """Pedestrians on a sidewalk: most walk along it, some stand; rubbish bins at the kerb."""
        street, rng = self.street, self.rng
        s = begin + rng.exponential(mean_gap_m)
        while s < end:
            if rng.random() < 0.12:
                self.fixed("movable_object.pushable_pullable", road, s, side * (street.wall_d - 0.45))
            elif self.has("pedestrian"):
                d = side * (street.curb_d + float(rng.uniform(1.1, 2.2)))
                if rng.random() < 0.25:
                    self.fixed("pedestrian", road, s, d, rng.uniform(-3, 3))
                else:
                    self.walk_along(road, s, d, begin, end)
            s += 2.0 + rng.exponential(mean_gap_m)

    def walk_along(self, road: int, s: float, d: float, begin: float, end: float) -> None:
        """A pedestrian who walks along the street from (s, d), either way, within a span of it."""
        category = category_of("pedestrian", self.rng)
        direction = 1 if self.rng.random() < 0.5 else -1
        path = self.street.beside(road, direction, -direction * d)
        x, y, _ = self.street.roads[road].at(s, d)
        last_x, last_y, _ = self.street.roads[road].at(end if direction == 1 else begin, d)
        start, last = path.nearest(float(x), float(y)), int(path.nearest(float(last_x), float(last_y)))
        path = Path(path.points[: last + 1], path.yaw[: last + 1])
        self.agents.append(
            Agent(
                category=category,
                size=self.size(category),
                role="walker",
                path=path,
                start_s=min(start, path.length_m),
                speed=float(self.rng.uniform(0.8, 1.7)),
                start_time_s=-WARM_UP_S if self.rng.random() < 0.8 else float(self.rng.uniform(2, 12)),
            )
        )

    def crossing(self, road: int, s: float, earliest_s: float, latest_s: float, count: int) -> None:
        """Pedestrians who cross a street at `s`, setting off within a span of time."""
        edge = self.street.curb_d + 0.8
        for place in range(count):
            side = 1 if self.rng.random() < 0.5 else -1
            path = straight_across(self.street.roads[road], s - 1.2 + 0.85 * place, -side * edge, side * edge)
            category = category_of("pedestrian", self.rng)
            self.agents.append(
                Agent(
                    category=category,
                    size=self.size(category),
                    role="walker",
                    path=path,
                    speed=float(self.rng.uniform(1.2, 1.8)),
                    start_time_s=float(self.rng.uniform(earliest_s, max(latest_s, earliest_s + 0.1))),
                )
            )
