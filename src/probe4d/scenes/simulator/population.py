"""Who is on the street: the ego vehicle, traffic, parked vehicles, pedestrians, work zones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from probe4d.scenes.simulator.motion import WARM_UP_S, Agent
from probe4d.scenes.simulator.street import LANE_WIDTH_M, Path, Street, joined, lane_change, straight_across
from probe4d.scenes.tables import CLASSES

__all__ = ["EGO_CENTRE_AHEAD_M", "EGO_SIZE", "MANOEUVRES", "Plan", "absent_classes", "plan_scene", "populate"]

EGO_SIZE = (4.08, 1.73, 1.56)
EGO_CENTRE_AHEAD_M = 1.36
"""From the rear axle, whose ground point is the origin of the ego frame, to the middle of the vehicle."""

MANOEUVRES = ("straight", "stop", "left", "right", "bend", "queue", "stop and left", "stop and right", "zebra")

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

_DRIVEN = ("car", "truck", "bus", "motorcycle", "construction vehicle", "trailer")
_KERBSIDE = ("car", "car", "car", "car", "truck", "trailer", "construction vehicle", "bus", "motorcycle", "bicycle")


@dataclass(frozen=True)
class Plan:
    """What is decided about a scene before anything is placed.

    Attributes:
        manoeuvre: One of `MANOEUVRES`.
        present: Classes that occur.
        red: Spans of time (s) during which the main street has a red light, and the cross street.
        turns: "left", "right" or "straight": how the ego vehicle leaves the junction.
    """

    manoeuvre: str
    present: tuple[str, ...]
    red: tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]
    turns: str


def absent_classes(seed: int, scene: int) -> set[str]:
    """Three to six classes that do not occur in a scene; any three scenes of a block together show all ten.

    Each block of three scenes shuffles the classes other than car; its scenes leave out a run of three to six
    that begins at position 0, 3 and 6, so that no class is left out by all three.
    """
    block, place = divmod(scene, 3)
    others = [name for name in CLASSES if name != "car"]
    order = np.random.default_rng([seed, 1, block]).permutation(len(others))
    count = int(np.random.default_rng([seed, 2, scene]).choice([3, 4, 5, 6], p=[0.45, 0.3, 0.15, 0.1]))
    return {others[order[(3 * place + i) % len(others)]] for i in range(count)}


def plan_scene(seed: int, scene: int, rng: np.random.Generator) -> Plan:
    """Choose manoeuvre, classes and light phases; nine scenes in a row go through all manoeuvres."""
    block, place = divmod(scene, len(MANOEUVRES))
    order = np.random.default_rng([seed, 3, block]).permutation(len(MANOEUVRES))
    manoeuvre = MANOEUVRES[order[place]]
    absent = absent_classes(seed, scene)
    always = (-60.0, 90.0)
    red: tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]
    if manoeuvre.startswith("stop"):
        change = float(rng.uniform(9.0, 13.0))
        red = (((always[0], change),), ((change - 3.0, always[1]),))
    else:
        red = ((), (always,))
    turns = next((side for side in ("left", "right") if manoeuvre.endswith(side)), "straight")
    return Plan(manoeuvre, tuple(name for name in CLASSES if name not in absent), red, turns)


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
class _Builder:
    """Places agents on a street; every method adds to `agents`."""

    street: Street
    plan: Plan
    rng: np.random.Generator
    duration_s: float
    agents: list[Agent] = field(default_factory=list)
    zebra_s: float = -np.inf

    def size(self, category: str) -> tuple[float, float, float]:
        length, width, height = (
            value * float(np.clip(self.rng.normal(1, 0.05), 0.88, 1.12)) for value in SIZES[category]
        )
        return round(length, 3), round(min(width, 2.95), 3), round(height, 3)

    def has(self, label: str) -> bool:
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
        labels = [name for name in _DRIVEN if self.has(name)]
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


def _deck(labels: list[str], rng: np.random.Generator) -> Callable[[], str]:
    """Draw labels without replacement, shuffled anew when all are drawn, so that none stays away for long."""
    cards: list[str] = []

    def draw() -> str:
        if not cards:
            cards.extend(labels[i] for i in rng.permutation(len(labels)))
        return cards.pop()

    return draw


def populate(street: Street, plan: Plan, duration_s: float, rng: np.random.Generator) -> list[Agent]:
    """Place the ego vehicle (first) and everybody else.

    Args:
        street: The streets.
        plan: What was decided about the scene.
        duration_s: Length of the scene in seconds.
        rng: Source of all choices.

    Returns:
        Agents; a towed one stands directly after the vehicle that draws it.
    """
    build = _Builder(street, plan, rng, duration_s)
    ego_lane = (
        int(rng.integers(street.lanes))
        if plan.turns == "straight"
        else (0 if plan.turns == "left" else street.lanes - 1)
    )
    ego_s = _place_ego(build, ego_lane)
    _traffic(build, ego_lane, ego_s)
    _beside(build, ego_s)
    _pedestrians_crossing(build, ego_s)
    return build.agents


def _place_ego(build: _Builder, lane: int) -> float:
    """Add the ego vehicle; returns where on its lane the warm-up begins."""
    street, plan, rng = build.street, build.plan, build.rng
    path = street.lane(0, 1, lane)
    junction = street.junction_on(path, 0)
    speed = float(rng.uniform(6.5, 10.5))
    if plan.turns != "straight":
        direction = 1 if plan.turns == "left" else -1
        leaving = street.lane(1, direction, 0 if plan.turns == "left" else street.lanes - 1)
        reach = street.curb_d + 1.5
        enter = street.junction_on(leaving, 1) + reach
        path = joined(path, junction - reach, leaving, enter)
    before_m = {"bend": 190.0, "queue": 120.0, "zebra": 150.0}.get(plan.manoeuvre, float(rng.uniform(45, 80)))
    start = junction - before_m - speed * WARM_UP_S * 0.95
    ego = Agent(
        category="ego",
        size=EGO_SIZE,
        role="driver",
        path=path,
        start_s=max(start, 4.0),
        speed=speed,
        stops=build.stops_on(path, 0, start),
        centre_ahead_m=EGO_CENTRE_AHEAD_M,
    )
    if plan.manoeuvre == "zebra":
        line = ego.start_s + speed * (WARM_UP_S + rng.uniform(3, 6))
        begin = float(rng.uniform(0.0, 3.0))
        ego.stops += ((line, ((begin, begin + float(rng.uniform(7, 10))),)),)
        x, y, _ = path.at(line + 3.5)
        build.zebra_s = street.roads[0].nearest(float(x), float(y))
    build.agents.append(ego)
    return ego.start_s


def _traffic(build: _Builder, ego_lane: int, ego_s: float) -> None:
    street, plan, rng = build.street, build.plan, build.rng
    pace = build.agents[0].speed
    others = [name for name in _DRIVEN if build.has(name) and name != "car"]
    for number in range(street.lanes):
        path = street.lane(0, 1, number)
        if number == ego_lane:
            # A leader and a follower near the ego vehicle: without them it would drive alone for most of a scene.
            ahead = 9.0 + rng.uniform(8, 22)
            label = str(rng.choice(others)) if others and rng.random() < 0.6 else "car"
            weave = 0.8 if plan.manoeuvre == "queue" else 0.0
            hitch = 16.0 if label == "trailer" else 6.0 if label == "bus" else 0.0
            build.driver(label, path, ego_s + ahead + hitch, pace * rng.uniform(0.8, 1.1), 0, weave)
            build.driver("car", path, max(ego_s - rng.uniform(14, 24), 2.0), pace * rng.uniform(0.95, 1.2), 0)
            build.fill_lane(path, 0, [(ego_s + ahead + hitch + 26, ego_s + 260)], pace, 30.0)
        else:
            faster = pace * (1.3 if number < ego_lane else 0.8)
            build.fill_lane(path, 0, [(max(ego_s - 110, 4.0), ego_s + 120)], faster, 14.0)
    if ego_lane == street.lanes - 1:
        _overtaker(build, ego_lane, ego_s)
    for number in range(street.lanes):
        oncoming = street.lane(0, -1, number)
        if plan.turns != "left":
            junction = street.junction_on(oncoming, 0)
            build.fill_lane(oncoming, 0, [(max(junction - 250, 4), junction + 170)], pace, 16.0)
        for direction in (1, -1):
            lane = street.lane(1, direction, number)
            line = street.junction_on(lane, 1) - street.stop_before_junction_m
            build.fill_lane(lane, 1, [(max(line - 90, 4), line - 20)], pace * 0.9, 10.0)
    if build.has("bicycle"):
        for direction in (1, -1):
            path = street.beside(0, direction, street.bike_d)
            begin = max(ego_s - 30, 4.0) if direction == 1 else max(path.length_m - ego_s - 220, 4.0)
            for s in begin + np.cumsum(15 + rng.exponential(30, int(rng.integers(2, 6)))):
                build.driver("bicycle", path, min(float(s), path.length_m - 5), float(rng.uniform(3.0, 6.5)), 0)


def _overtaker(build: _Builder, lane: int, ego_s: float) -> None:
    """A fast car or motorcycle that comes from behind, changes lanes, passes and comes back."""
    street, rng = build.street, build.rng
    label = "motorcycle" if build.has("motorcycle") and rng.random() < 0.5 else "car"
    start = max(ego_s - rng.uniform(32, 45), 2.0)
    out = start + rng.uniform(2, 30)
    path = lane_change(street.lane(0, 1, lane), [(out, LANE_WIDTH_M), (out + rng.uniform(130, 180), -LANE_WIDTH_M)])
    build.driver(label, path, start, build.agents[0].speed * 1.5, 0)


def _beside(build: _Builder, ego_s: float) -> None:
    """Parking strips, work zones, sidewalks along the route of the ego vehicle."""
    street, plan, rng = build.street, build.plan, build.rng
    labels = [name for name in _KERBSIDE if build.has(name)]
    labels += [name for name in ("barrier", "traffic cone") if build.has(name)]
    labels += ["gap"] * max(2, len(labels) // 2)
    clear = street.curb_d + 14.0
    spans = [
        (0, max(ego_s - 30, 5.0), street.junction_s[0] - clear),
        (0, street.junction_s[0] + clear, min(ego_s + 330, 590.0)),
    ]
    reach = 130.0 if plan.turns != "straight" else 60.0
    spans += [
        (1, street.junction_s[1] - reach, street.junction_s[1] - clear),
        (1, street.junction_s[1] + clear, street.junction_s[1] + reach),
    ]
    for road, begin, end in spans:
        for side in (-1, 1):
            if begin < end:
                build.kerbside(road, side, begin, end, _deck(labels, rng))
                build.walkers(road, side, begin, end, 16.0)


def _pedestrians_crossing(build: _Builder, ego_s: float) -> None:
    street, plan, rng = build.street, build.plan, build.rng
    if not build.has("pedestrian"):
        return
    if plan.manoeuvre == "zebra":
        (begin, end), *_ = build.agents[0].stops[-1][1]
        build.crossing(0, build.zebra_s, begin - 1.0, end - 9.0, 3)
    walk = street.crosswalk_before_junction_m
    if plan.manoeuvre.startswith("stop"):
        green = plan.red[0][0][1]
        for side in (-1, 1):
            build.crossing(0, street.junction_s[0] + side * walk, -2.0, green - 14.0 + 4.0, int(rng.integers(1, 4)))
    elif plan.turns == "straight":
        for side in (-1, 1):
            build.crossing(1, street.junction_s[1] + side * walk, 0.0, build.duration_s - 6.0, int(rng.integers(2, 5)))
