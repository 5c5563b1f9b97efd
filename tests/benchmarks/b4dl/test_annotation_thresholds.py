"""Every line that the rules draw: what is said just below it, at it and just above it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pytest
from annotation_making import DRIVES, annotated, arc, events, said

from placed_streets import Place, Thing, driving, moving, still
from probe4d.benchmarks.b4dl.annotations import thresholds

PERSON = {"size": (0.5, 0.5, 1.8), "category": "human.pedestrian.adult"}
PARKED = ["vehicle.parked"]


@dataclass(frozen=True)
class Line:
    """A threshold.

    Attributes:
        name: Of the constant.
        holds: Whether the event comes about that the constant decides on, if the measure is a value.
        above: Whether it does above the constant, or below it.
        at: Whether it does at the constant; null where the measure changes on the way.
        near: How far from it is `just`.
    """

    name: str
    holds: Callable[[float], bool]
    above: bool
    at: bool | None = True
    near: float = 1e-4


def has(event: str, things: list[Thing], ego: list[Place] | None = None, **options: object) -> bool:
    track = "it" if things else None
    return event in [name for name, _, _ in events(annotated(things, ego, **options), track)]


def says(words: str, things: list[Thing], ego: list[Place] | None = None) -> bool:
    return any(words in phrase for phrase in said(annotated(things, ego), "it" if things else None))


def during(places: list[Place | None], frames: float) -> list[Place | None]:
    return [*places[: round(frames)], *[None] * (len(places) - round(frames))]


def along_y(ys: list[float], x: float = 10.0, heading: float = 90.0) -> list[Place | None]:
    return [(x, y, heading) for y in ys]


def across(mps: float, x: float = 10.0, **thing: object) -> list[Thing]:
    """Somebody who walks to the left in front of the ego vehicle, over its centre line at key frame 4."""
    return [Thing("it", moving(x, 0.0, (0.0, mps), 90.0), **PERSON | thing)]


def standing_for(frames: float) -> list[Thing]:
    """A car that drives, stands for some key frames, and drives on."""
    drive = [20.0 - 2 * step for step in range(4)]
    stand = [drive[-1]] * (round(frames) + 1)
    return [Thing("it", [(x, 6.0, 180.0) for x in [*drive, *stand, *(stand[-1] - 2 * step for step in range(1, 5))]])]


def ego_turning(total_deg: float, frames: int = 10) -> list[Place]:
    return arc(total_deg, frames, 5.0)


def turning_box(box_deg: float, way_deg: float) -> list[Thing]:
    """A car whose box turns more than its way."""
    way = [(x + 10.0, y + 10.0, heading) for x, y, heading in ego_turning(way_deg)]
    return [Thing("it", [(x, y, box_deg / 9 * frame) for frame, (x, y, _) in enumerate(way)])]


def spinning(total_deg: float) -> list[Place]:
    return [(0.0, 0.0, -total_deg / 9 * frame) for frame in range(10)]


def bearing(degrees: float, range_m: float) -> tuple[float, float]:
    return range_m * math.cos(math.radians(degrees)), range_m * math.sin(math.radians(degrees))


def heading_for(degrees: float) -> list[Thing]:
    """A car 40 m ahead that drives for a second at this angle to the line to the ego vehicle, which stands."""
    x, y = bearing(degrees, -8.0)
    return [Thing("it", during(moving(40, 0, (x, y), frames=10, at=1), 3))]


def passing_at(degrees: float) -> list[Thing]:
    """Somebody who runs past the standing ego vehicle to the front, at this angle to its heading."""
    x, y = bearing(degrees, 4.0)
    return [Thing("it", moving(1.0, 4.0, (x, y), frames=10, at=3), **PERSON)]


def ranges(changes_m: list[float]) -> list[Thing]:
    """A car that comes nearer from straight ahead, from 30 m on, by these amounts from key frame to key frame."""
    xs = [30.0]
    for change in changes_m:
        xs.append(xs[-1] - change)
    return [Thing("it", [(x, 0.0, 180.0) for x in xs])]


def ego_steps(mps: float, steps: float) -> list[Place]:
    """The ego vehicle stands, drives for some steps, and stands."""
    return driving([0.0] * 4 + [mps] * round(steps) + [0.0] * 4)


def accelerating(mps2: float, frames: int, start_mps: float = 5.0) -> list[Place]:
    return [(start_mps * t + mps2 * t * t / 2, 0.0, 0.0) for t in (frame / 2 for frame in range(frames))]


LINES = [
    Line("MOST_RANGE_M", lambda m: has("stays", [Thing("it", still(m, 0.0))]), above=False),
    Line("LEAST_FRAMES", lambda n: has("approaches", [Thing("it", during(moving(30, 0, (-9, 0)), n))]), True, near=1),
    Line(
        "MOST_SPACING_S",
        lambda s: has("approaches", [Thing("it", moving(30, 0, (-9, 0)))], spacing_us=round(s * 1e6)),
        above=False,
    ),
    Line("MOVES_MPS", lambda v: has("crosses-left", across(v)), above=True),
    Line(
        "STANDS_MPS",
        lambda v: has("stays", [Thing("it", during(moving(10, 0, (v, 0)), 5))]),
        above=False,
        at=False,
    ),
    Line(
        "STILL_RADIUS_M",
        lambda m: has("stays", [Thing("it", along_y([m * (step - 4) / 4 for step in range(9)]))]),
        above=False,
    ),
    Line(
        "PARKED_RADIUS_M",
        lambda m: has("stays", [Thing("it", along_y([0.0] * 4 + [m] + [0.0] * 4), attributes=PARKED)]),
        above=False,
    ),
    # Of a drive of four steps and a stand after it, the last half second is between moving and standing.
    Line("MOVED_M", lambda m: has("stops", ranges([m / 3] * 4 + [0.0] * 6)), above=True),
    Line("STAND_STEPS", lambda n: has("stops", standing_for(n + 1)), above=True, near=1),
    Line("STAY_STEPS", lambda n: has("stays", [Thing("it", during(still(10, 0), n + 1))]), above=True, near=1),
    Line("RANGE_RATE_MPS", lambda v: has("approaches", ranges([v / 2] * 18), STANDING), above=True),
    Line("RANGE_CHANGE_M", lambda m: has("approaches", ranges([m / 8] * 8)), above=True),
    Line("RANGE_STEPS", lambda n: has("approaches", ranges([0] * 3 + [5.0] * round(n) + [0] * 3)), True, near=1),
    Line(
        "SHARE_M",
        lambda m: says("which drives towards it", [Thing("it", moving(30, 0, (-4, 0)))], driving([m / 4.5] * 9)),
        above=True,
    ),
    Line(
        "OBJECT_SHARE",
        lambda share: has("approaches", heading_for(math.degrees(math.acos(share)))),
        True,
        at=None,
        near=0.02,
    ),
    Line("EGO_SHARE", lambda share: says("drives towards it", *seen_at(share)), above=True, at=None, near=0.01),
    Line("KEEP_MPS", lambda v: has("keeps-distance", beside(sideways=v, frames=5), DRIVES), above=False),
    Line("KEEP_STEPS", lambda n: has("keeps-distance", beside(frames=n + 1), DRIVES), above=True, near=1),
    Line("KEEP_CHANGE_M", lambda m: has("keeps-distance", beside(forward=m / 4.5), DRIVES), above=False),
    Line("KEEP_RADIUS_M", lambda m: has("keeps-distance", beside(sideways=m / 2.25), DRIVES), above=False),
    Line("DIRECTION_DEG", lambda degrees: has("passes", passing_at(degrees)), above=False),
    Line("PASS_ASIDE_M", lambda m: has("is-passed", [Thing("it", still(10, -m))], DRIVES), above=False),
    Line("PASS_BESIDE_M", lambda m: has("is-passed", [Thing("it", still(10, m))], DRIVES), above=True),
    Line("STEADY_DEG", lambda degrees: has("crosses-left", across(2.0, x=5.0), spinning(degrees)), above=False),
    Line(
        "PASS_SHARE",
        lambda times: has("is-passed", [Thing("it", moving(10, 3, (-8 / times, 0), 180.0), **PERSON)], DRIVES),
        above=True,
    ),
    Line("CROSS_SHARE", lambda share: has("crosses-left", slanting(share)), above=True),
    Line("CROSS_CLEAR_M", lambda m: has("crosses-left", [beginning(-m)]), above=True),
    Line("CROSS_REACH_M", lambda m: has("crosses-left", across(2.0, x=m)), above=False),
    Line("CROSS_ASIDE_M", lambda m: ("crosses-left", 0, 9) in events(annotated([beginning(-m, 6.5)])), above=False),
    Line("TURN_RATE_DEG_S", lambda rate: has("turns-left", [], ego_turning(9 * rate, 19)), above=True),
    Line("TURN_DEG", lambda degrees: has("turns-left", [], ego_turning(degrees)), above=True),
    # Directions of a way of nine steps are known at its eight inner key frames: they show seven ninths of its turn.
    Line("TURN_AGREEMENT", lambda share: has("turns-left", turning_box(40.0, 40.0 * share * 9 / 7)), above=True),
    Line("ACCELERATION_MPS2", lambda a: has("accelerates", [], accelerating(a, 19)), above=True),
    # Smoothed speeds show a change of speed but for half a second at both ends.
    Line("SPEED_CHANGE_MPS", lambda v: has("brakes", [], accelerating(-v / 3.5, 10)), above=True),
    Line("DRIVE_STEPS", lambda n: has("drives-on", [], ego_steps(4.0, n)), above=True, near=1),
    Line("STEADY_MPS", lambda v: says("at a steady speed", [], accelerating(v / 3.5, 10)), above=False),
    Line("STEADY_SHARE", lambda share: says("at a steady speed", [], gaining(share)), above=False),
    Line("STRAIGHT_DEG", lambda degrees: says("straight on", [], ego_turning(degrees)), above=False),
]


def gaining(share: float) -> list[Place]:
    """The ego vehicle gets faster by a share of its mean speed, as smoothed speeds show it, from 2 m/s on."""
    return accelerating(2.0 * share / (3.5 - 2.25 * share), 10, 2.0)


STANDING: list[Place] = [(0.0, 0.0, 0.0)] * 19


def seen_at(share: float) -> tuple[list[Thing], list[Place]]:
    """A parked car 48 m off in a direction that takes this share of the ego vehicle's way, which is short."""
    x, y = bearing(math.degrees(math.acos(share)), 48.0)
    return [Thing("it", still(x + 2.0, y))], driving([2.0] * 4)


def beside(*, forward: float = 0.0, sideways: float = 0.0, frames: float = 10) -> list[Thing]:
    """A car 20 m ahead that drives as the ego vehicle does, or a bit faster or aside; as far aside before as after."""
    ahead = [20.0 + 4 * frame + forward * frame / 2 for frame in range(10)]
    return [
        Thing("it", during([(x, sideways * (frame / 2 - 2.25), 0.0) for frame, x in enumerate(ahead)], frames)),
    ]


def slanting(share: float) -> list[Thing]:
    mps = 3.0
    return [Thing("it", moving(12, 0, (mps * math.sqrt(1 - share**2), mps * share)), **PERSON)]


def beginning(y: float, mps: float = 2.0) -> Thing:
    """A car that goes to the left from here at the first key frame."""
    return Thing("it", moving(12.0, y, (0.0, mps), 90.0, at=0))


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.name)
def test_a_line_divides_what_is_said_from_what_is_not(line: Line) -> None:
    value = float(getattr(thresholds, line.name))
    inward = 1 if line.above else -1
    assert line.holds(value + inward * line.near)
    assert not line.holds(value - inward * line.near)
    if line.at is not None:  # but for rounding, as places are sums of steps
        assert line.holds(value + inward * min(1e-9, line.near) * line.at) == line.at


def test_every_line_is_tested() -> None:
    assert sorted(line.name for line in LINES) == sorted(name for name in vars(thresholds) if name.isupper())
