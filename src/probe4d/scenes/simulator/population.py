"""Who is on the street: the ego vehicle, traffic, parked vehicles, work zones, pedestrians."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from probe4d.scenes.simulator.builder import DRIVEN, Builder
from probe4d.scenes.simulator.motion import WARM_UP_S, Agent
from probe4d.scenes.simulator.plan import Plan
from probe4d.scenes.simulator.street import LANE_WIDTH_M, Street, joined, lane_change

__all__ = ["EGO_CENTRE_AHEAD_M", "EGO_SIZE", "populate"]

EGO_SIZE = (4.08, 1.73, 1.56)
EGO_CENTRE_AHEAD_M = 1.36
"""From the rear axle, whose ground point is the origin of the ego frame, to the middle of the vehicle."""

_KERBSIDE = ("car", "car", "car", "car", "truck", "trailer", "construction vehicle", "bus", "motorcycle", "bicycle")


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
    build = Builder(street, plan, rng, duration_s)
    outer = street.lanes - 1
    ego_lane = {"left": 0, "right": outer}.get(plan.turns, int(rng.integers(street.lanes)))
    ego_s = _place_ego(build, ego_lane)
    _traffic(build, ego_lane, ego_s)
    _beside(build, ego_s)
    _pedestrians_crossing(build)
    return build.agents


def _place_ego(build: Builder, lane: int) -> float:
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


def _traffic(build: Builder, ego_lane: int, ego_s: float) -> None:
    street, plan, rng = build.street, build.plan, build.rng
    pace = build.agents[0].speed
    others = [name for name in DRIVEN if build.has(name) and name != "car"]
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


def _overtaker(build: Builder, lane: int, ego_s: float) -> None:
    """A fast car or motorcycle that comes from behind, changes lanes, passes and comes back."""
    street, rng = build.street, build.rng
    label = "motorcycle" if build.has("motorcycle") and rng.random() < 0.5 else "car"
    start = max(ego_s - rng.uniform(32, 45), 2.0)
    out = start + rng.uniform(2, 30)
    path = lane_change(street.lane(0, 1, lane), [(out, LANE_WIDTH_M), (out + rng.uniform(130, 180), -LANE_WIDTH_M)])
    build.driver(label, path, start, build.agents[0].speed * 1.5, 0)


def _beside(build: Builder, ego_s: float) -> None:
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


def _pedestrians_crossing(build: Builder) -> None:
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
