"""What the simulator itself says of an annotation: its motion at every tenth of a second, in plain numbers.

Nothing here knows how annotations are measured: no smoothing, no boxes, no key frames but those that a phrase names.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from probe4d.scenes.simulator.world import World

STEP_S = 0.1

Pose = tuple[float, float, float]
"""x, y and heading in radians."""
FRONT_M, REAR_M = 3.2, -0.9
AROUND_DEG = {
    "ahead": 0,
    "ahead on the left": 45,
    "on the left": 90,
    "behind on the left": 135,
    "behind": 180,
    "behind on the right": -135,
    "on the right": -90,
    "ahead on the right": -45,
}


class Moves:
    """Where the agents of a world are at any time; times within a hundredth of a second are one."""

    def __init__(self, world: World) -> None:
        self.agents = world.motion.agents
        self._world = world
        self._known: dict[int, list[Pose]] = {}

    def pose(self, agent: int, time: float) -> Pose:
        """Of an agent's box, of the ego vehicle's origin for agent 0."""
        place = round(time * 100)
        if place not in self._known:
            boxes = self._world.motion.boxes_at(place / 100).tolist()
            self._known[place] = [self._world.ego_pose(place / 100), *map(tuple, boxes[1:])]
        return self._known[place][agent]


class Truth:
    """A thing and the ego vehicle from one time to another."""

    def __init__(self, moves: Moves, agent: int, start_s: float, end_s: float) -> None:
        self.moves, self.agent, self.start_s, self.end_s = moves, agent, start_s, end_s
        between = [step / 10 for step in range(math.ceil(start_s * 10 + 0.1), math.ceil(end_s * 10 - 0.1))]
        self.times = [start_s, *between, end_s]
        self.own = [moves.pose(agent, time) for time in self.times]
        self.ego = [moves.pose(0, time) for time in self.times]

    def speed(self, time: float, agent: int | None = None) -> float:
        """Over the tenth of a second around a time."""
        who = self.agent if agent is None else agent
        (ax, ay, _), (bx, by, _) = (self.moves.pose(who, time + shift) for shift in (-STEP_S / 2, STEP_S / 2))
        return math.hypot(bx - ax, by - ay) / STEP_S

    def speeds(self, agent: int | None = None) -> list[float]:
        return [self.speed(time, agent) for time in self.times]

    def ranges(self) -> list[float]:
        return [math.hypot(x - ex, y - ey) for (x, y, _), (ex, ey, _) in zip(self.own, self.ego, strict=True)]

    def seen(self) -> list[tuple[float, float]]:
        """Places in the ego frame of each time."""
        return [self.in_frame(ego, (x, y)) for (x, y, _), ego in zip(self.own, self.ego, strict=True)]

    @staticmethod
    def in_frame(ego: tuple[float, float, float], place: tuple[float, float]) -> tuple[float, float]:
        x, y, yaw = ego
        east, north = place[0] - x, place[1] - y
        return math.cos(yaw) * east + math.sin(yaw) * north, math.cos(yaw) * north - math.sin(yaw) * east

    def nearer(self) -> tuple[float, float]:
        """How much nearer the way of the thing brings it, and that of the ego vehicle, step by step."""
        by_own = by_ego = 0.0
        for before in range(len(self.times) - 1):
            own, own_after = self.own[before], self.own[before + 1]
            ego, ego_after = self.ego[before], self.ego[before + 1]
            apart = math.hypot(own[0] - ego[0], own[1] - ego[1])
            moved_own = math.hypot(own_after[0] - ego[0], own_after[1] - ego[1])
            by_own += apart - moved_own
            by_ego += moved_own - math.hypot(own_after[0] - ego_after[0], own_after[1] - ego_after[1])
        return by_own, by_ego

    def length(self, agent: int | None = None) -> float:
        way = self.ego if agent == 0 else self.own
        return sum(math.hypot(b[0] - a[0], b[1] - a[1]) for a, b in pairwise(way))

    def displacement(self) -> tuple[float, float]:
        """Of the thing, in the ego frame of the start."""
        return self.in_frame((*self.own[0][:2], self.ego[0][2]), self.own[-1][:2])

    def turned_deg(self, agent: int | None = None) -> float:
        way = self.ego if agent == 0 else self.own
        steps = (math.remainder(b[2] - a[2], 2 * math.pi) for a, b in pairwise(way))
        return math.degrees(sum(steps))


def faults(row: dict[str, Any], truth: Truth) -> list[str]:
    """What of an annotation is not as the simulator has it."""
    wrong = [] if truth.agent == 0 else [*_numbers(row, truth), *_subject(row, truth)]
    return [*wrong, *(claim for claim, holds in _claims(row, truth).items() if not holds)]


def _numbers(row: dict[str, Any], truth: Truth) -> list[str]:
    ranges, seen = truth.ranges(), truth.seen()
    by_own, by_ego = truth.nearer()
    expected = {
        "range_start_m": (ranges[0], 0.05),
        "range_end_m": (ranges[-1], 0.05),
        "ego_x_start_m": (seen[0][0], 0.05),
        "ego_y_start_m": (seen[0][1], 0.05),
        "ego_x_end_m": (seen[-1][0], 0.05),
        "ego_y_end_m": (seen[-1][1], 0.05),
        "nearer_by_object_m": (by_own, 0.8 + 0.1 * truth.length()),
        "nearer_by_ego_m": (by_ego, 0.8 + 0.1 * truth.length(0)),
    }
    return [
        f"{name} is {row[name]:.2f}, truly {value:.2f}"
        for name, (value, near) in expected.items()
        if abs(row[name] - value) > near
    ]


def _subject(row: dict[str, Any], truth: Truth) -> list[str]:
    """Words of the phrase before the event: attribute and place."""
    agent = truth.moves.agents[truth.agent]
    phrase: str = row["phrase"]
    x, y = truth.seen()[0]
    place = next((words for words in sorted(AROUND_DEG, key=len, reverse=True) if f" {words} " in f"{phrase} "), None)
    wrong = []
    if row["event"] in ("overtakes", "passes", "is-passed"):
        if (f" on the {'left' if y > 0 else 'right'} ") not in phrase:
            wrong.append("side")
    elif not row["event"].startswith("crosses"):
        off = math.remainder(math.atan2(y, x) - math.radians(AROUND_DEG[place or "ahead"]), 2 * math.pi)
        if place is None or abs(math.degrees(off)) > 22.6:
            wrong.append(f"place: {place}")
    still = _farthest(truth) <= 1.2
    if " parked " in phrase and not (agent.parked and still):
        wrong.append("parked")
    if (" stationary " in phrase or " standing " in phrase.split(" ego ")[0] or " stopped " in phrase) and not still:
        wrong.append("stands")
    if " moving " in phrase and max(truth.speeds()) < 0.5:
        wrong.append("moving")
    if "with a rider" in phrase and not agent.rider:
        wrong.append("rider")
    return wrong


def _farthest(truth: Truth) -> float:
    """From its first place."""
    return max(math.hypot(x - truth.own[0][0], y - truth.own[0][1]) for x, y, _ in truth.own)


def _claims(row: dict[str, Any], truth: Truth) -> dict[str, bool]:
    """What an event says, one condition a name."""
    event, phrase = row["event"], row["phrase"]
    ranges, seen, speeds = truth.ranges(), truth.seen(), truth.speeds()
    by_own, by_ego = truth.nearer()
    ego_speeds = truth.speeds(0)
    change = ranges[0] - ranges[-1]
    forward, left = truth.displacement()
    if event in ("approaches", "recedes", "comes-nearer", "is-left-behind"):
        sign = 1 if event in ("approaches", "comes-nearer") else -1
        own, ego = sign * by_own, sign * by_ego
        claims = {"range changes": sign * change >= 2.9}
        if event in ("approaches", "recedes"):
            claims["by itself"] = own >= 1.5 and own >= 0.4 * truth.length()
            if "standing ego vehicle" in phrase:
                claims["ego stands"] = max(ego_speeds) < 0.9
            if "drives towards it" in phrase:
                claims["ego towards"] = by_ego >= 1.5
            if "drives away from it" in phrase:
                claims["ego away"] = by_ego <= -1.5
        else:
            claims["not by itself"] = own < 2.6 or own < 0.6 * truth.length()
            claims["by ego"] = ego >= 1.5 and ego >= 0.4 * sign * change
            if "towards it" in phrase or "away from it" in phrase:
                claims["straight"] = ego >= 0.65 * truth.length(0) or "falls back" in phrase
        return claims
    if event == "keeps-distance":
        return {"range": max(ranges) - min(ranges) <= 2.5, "both move": min(speeds) >= 0.7 and min(ego_speeds) >= 0.7}
    if event in ("overtakes", "passes", "is-passed"):
        half = truth.moves.agents[truth.agent].size[0] / 2 + 0.1
        ends = (seen[0][0], seen[-1][0])
        to_front = ends[0] - half <= REAR_M + half and ends[1] + half >= FRONT_M - half and ends[1] > ends[0]
        to_back = ends[0] + half >= FRONT_M - half and ends[1] - half <= REAR_M + half and ends[1] < ends[0]
        claims = {"one side": min(y * seen[0][1] for _, y in seen) > 0, "not far": max(abs(y) for _, y in seen) <= 8.5}
        if event == "overtakes":
            return claims | {
                "to front": to_front,
                "same way": forward > abs(left),
                "ego drives": truth.length(0) >= 1.8,
            }
        if event == "is-passed":
            return claims | {
                "to back": to_back,
                "ego drives": truth.length(0) >= 1.8,
                "slower": truth.length() < truth.length(0),
            }
        if "opposite direction" in phrase:
            return claims | {"to back": to_back, "opposite": -forward > abs(left)}
        return claims | {
            "ego stands": max(ego_speeds) < 0.9,
            "past": to_front if "back to front" in phrase else to_back,
        }
    if event in ("crosses-left", "crosses-right"):
        sign = 1 if event == "crosses-left" else -1
        at_line = min(seen, key=lambda place: abs(place[1]))[0]
        return {
            "from the one side to the other": sign * seen[0][1] < -0.9 and sign * seen[-1][1] > 0.9,
            "by itself": sign * left >= 1.8,
            "where": at_line >= FRONT_M - 0.5 if "in front of" in phrase else at_line <= REAR_M + 0.5,
        }
    return _own_claims(event, phrase, truth)


def _own_claims(event: str, phrase: str, truth: Truth) -> dict[str, bool]:
    """Of events that the ego vehicle has too."""
    speeds = truth.speeds()
    turned = truth.turned_deg()
    before, after = (truth.speed(time) for time in (truth.start_s, truth.end_s))
    match event:
        case "stays":
            return {"stays": _farthest(truth) <= 1.2}
        case "stops":
            return {
                "moved": max(before, truth.speed(truth.start_s - 0.4)) >= 0.9,
                "stands": truth.speed(truth.end_s + 0.4) < 0.7,
            }
        case "starts":
            return {
                "stood": truth.speed(truth.start_s - 0.4) < 0.7,
                "moves": max(after, truth.speed(truth.end_s + 0.4)) >= 0.9,
            }
        case "turns-left" | "turns-right":
            return {"turned": (turned if event == "turns-left" else -turned) >= 29, "moved": truth.length() >= 1.8}
        case "drives-on":
            claims = {
                "drives": min(speeds) >= 0.5,
                "no turn": max(map(abs, [turned])) <= 5.5 * (truth.end_s - truth.start_s),
            }
            if "straight" in phrase:
                claims["straight"] = abs(turned) <= 15.5
            if "steady" in phrase:
                claims["steady"] = max(speeds) - min(speeds) <= 2.0
            return claims
        case "accelerates":
            return {"faster": after - before >= 1.8}
        case "brakes":
            return {"slower": before - after >= 1.8}
    return {f"{event} is known": False}
