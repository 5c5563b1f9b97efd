"""What gets past what, what stops, starts and turns, and what the ego vehicle does."""

from __future__ import annotations

import pytest
from annotation_making import DRIVES, annotated, arc, events, said

from placed_streets import Place, Thing, driving, moving, still
from probe4d.benchmarks.b4dl.annotations import EVENTS

PERSON = {"size": (0.6, 0.6, 1.8), "category": "human.pedestrian.adult"}
RIDER = {"size": (1.8, 0.6, 1.7), "category": "vehicle.bicycle", "attributes": ["cycle.with_rider"]}


def first(event: str, things: list[Thing], ego: list[Place] | None = None) -> str | None:
    """The phrase of an event."""
    phrases = annotated(things, ego).filter(event=event)["phrase"].to_list()
    return phrases[0] if phrases else None


def test_a_faster_car_from_behind_overtakes() -> None:
    phrase = first("overtakes", [Thing("it", moving(16, 3.5, (14, 0)))], DRIVES)
    assert phrase == "A car on the left overtakes the ego vehicle from frame 003 to frame 006."


def test_a_parked_car_and_a_slower_bicycle_are_passed_by_the_ego_vehicle() -> None:
    parked = first("is-passed", [Thing("it", still(16, -3), attributes=["vehicle.parked"])], DRIVES)
    assert parked == "A parked car on the right is passed by the ego vehicle from frame 002 to frame 005."
    rider = first("is-passed", [Thing("it", moving(17, -2.5, (4, 0)), **RIDER)], DRIVES)
    assert rider == "A bicycle with a rider on the right is passed by the ego vehicle from frame 002 to frame 006."


def test_an_oncoming_car_passes_in_the_opposite_direction() -> None:
    phrase = first("passes", [Thing("it", moving(17, 3.5, (-9, 0), 180.0))], DRIVES)
    assert phrase == "A car on the left passes the ego vehicle in the opposite direction from frame 003 to frame 005."


@pytest.mark.parametrize(("mps", "way"), [(6, "back to front"), (-6, "front to back")])
def test_who_stands_is_passed_from_either_side(mps: float, way: str) -> None:
    phrase = first("passes", [Thing("it", moving(1, -3, (mps, 0)))])
    assert phrase is not None
    assert f"A car on the right passes the standing ego vehicle from {way} from frame" in phrase


def test_the_ego_vehicle_passes_who_walks_towards_it_slowly() -> None:
    table = annotated([Thing("it", moving(24, -3, (-1.4, 0), 180.0), **PERSON)], DRIVES)
    assert {"is-passed", "approaches"} <= {event for event, _, _ in events(table)}
    assert "passes" not in [event for event, _, _ in events(table)]


def test_what_stays_ahead_or_in_the_way_is_not_passed() -> None:
    for place in (still(16, 0.2), still(16, -12), moving(30, 3, (8, 0))):
        assert not {"is-passed", "overtakes", "passes"} & {
            e for e, _, _ in events(annotated([Thing("it", place)], DRIVES))
        }


def test_objects_that_swing_past_a_turning_ego_vehicle_are_neither_passed_nor_cross() -> None:
    spinning: list[Place] = [(0.0, 0.0, 20.0 * frame) for frame in range(10)]
    table = annotated([Thing("it", still(12, -3)), Thing("walks", moving(12, -4, (0.3, 1.2)), **PERSON)], spinning)
    assert not {"is-passed", "passes", "crosses-left", "crosses-right"} & set(table["event"])


@pytest.mark.parametrize(
    ("x", "mps", "event", "words"),
    [
        (12, 1.5, "crosses-left", "in front of the ego vehicle from right to left"),
        (12, -1.5, "crosses-right", "in front of the ego vehicle from left to right"),
        (-8, 1.5, "crosses-left", "behind the ego vehicle from right to left"),
    ],
)
def test_who_walks_across_crosses(x: float, mps: float, event: str, words: str) -> None:
    table = annotated([Thing("it", moving(x, 0, (0, mps), 90.0), **PERSON, attributes=["pedestrian.moving"])])
    phrase = table.filter(event=event)["phrase"].item()
    assert phrase == f"A moving pedestrian crosses {words} from frame 000 to frame 009."


def test_a_crossing_needs_both_sides_and_a_way_of_its_own() -> None:
    one_side = [Thing("it", moving(12, 6, (0, 1.2), 90.0), **PERSON)]
    along = [Thing("it", moving(14, 0, (-4, 0.8), 170.0))]
    for things in (one_side, along):
        assert not {"crosses-left", "crosses-right"} & set(annotated(things)["event"])


def test_a_car_stops_and_starts_with_a_stand_between() -> None:
    xs = [40, 36, 32, 28, 26, 26, 26, 26, 26, 24, 20, 16]
    table = annotated([Thing("it", [(x, 4, 180.0) for x in xs])], [(0, 0, 0)] * 12)
    own = [row for row in events(table) if row[0] in ("stops", "starts", "stays")]
    assert own == [("stops", 4, 5), ("starts", 7, 8)]


def test_a_stop_of_half_a_second_is_none() -> None:
    xs = [40, 36, 32, 28, 28, 24, 20, 16, 12, 8]
    assert not {"stops", "starts", "stays"} & {
        e for e, _, _ in events(annotated([Thing("it", [(x, 4, 180.0) for x in xs])]))
    }


@pytest.mark.parametrize(("side", "sign"), [("left", 1), ("right", -1)])
def test_a_car_turns(side: str, sign: int) -> None:
    way = [(x + 15, y + 8, heading) for x, y, heading in arc(sign * 90, 10, 6.0)]
    table = annotated([Thing("it", way)])
    assert (f"turns-{side}", 0, 9) in events(table)
    assert table.filter(event=f"turns-{side}")["turn_deg"].item() == pytest.approx(sign * 90)


def test_what_a_dataset_calls_a_vehicle_and_no_more_turns_too() -> None:
    way = [(x + 15, y + 8, heading) for x, y, heading in arc(90, 10, 6.0)]
    phrases = said(annotated([Thing("it", way, category="vehicle")]))
    assert "A vehicle ahead on the left turns left from frame 000 to frame 009." in phrases


def test_a_box_that_is_annotated_backwards_for_a_while_does_not_turn() -> None:
    flipped = [
        (x + 15, y, heading + (180 if frame in (3, 4) else 0))
        for frame, (x, y, heading) in enumerate(driving([6.0] * 9))
    ]
    assert not [event for event, _, _ in events(annotated([Thing("it", flipped)])) if event.startswith("turns")]


def test_people_who_turn_are_not_said_to() -> None:
    way = [(x + 15, y + 8, heading) for x, y, heading in arc(90, 10, 2.0)]
    assert not [e for e, _, _ in events(annotated([Thing("it", way, **PERSON)])) if e.startswith("turns")]


def test_a_car_that_goes_with_the_ego_vehicle_keeps_its_distance() -> None:
    for x, place in ((20, "ahead"), (-15, "behind")):
        table = annotated([Thing("it", moving(x + 16, 0.3, (8, 0)), attributes=["vehicle.moving"])], DRIVES)
        words = f"A moving car {place} keeps its distance from the ego vehicle from frame 000 to frame 009."
        assert said(table) == [words]


@pytest.mark.parametrize(
    ("way", "expected"),
    [
        ([(0.0, 0.0, 0.0)] * 10, ["The ego vehicle stands still from frame 000 to frame 009."]),
        (DRIVES, ["The ego vehicle drives straight on at a steady speed from frame 000 to frame 009."]),
        ([(-x, y, h) for x, y, h in DRIVES], ["The ego vehicle drives backwards from frame 000 to frame 009."]),
        (arc(90, 10, 6.0), ["The ego vehicle turns left from frame 000 to frame 009."]),
        (arc(-60, 10, 6.0), ["The ego vehicle turns right from frame 000 to frame 009."]),
        (arc(20, 10, 6.0), ["The ego vehicle drives on at a steady speed from frame 000 to frame 009."]),
        (
            [(5 * t + t * t / 2, 0.0, 0.0) for t in (f / 2 for f in range(10))],
            [
                "The ego vehicle accelerates from frame 000 to frame 009.",
                "The ego vehicle drives straight on from frame 000 to frame 009.",
            ],
        ),
        (
            [(9 * t - t * t / 2, 0.0, 0.0) for t in (f / 2 for f in range(10))],
            [
                "The ego vehicle brakes from frame 000 to frame 009.",
                "The ego vehicle drives straight on from frame 000 to frame 009.",
            ],
        ),
    ],
)
def test_what_the_ego_vehicle_does(way: list[Place], expected: list[str]) -> None:
    table = annotated([], way)
    assert said(table, None) == expected
    assert set(table["words"]) == {"ego vehicle"}
    assert set(table["event"]) <= set(EVENTS)


def test_the_ego_vehicle_stops_and_starts() -> None:
    own = events(annotated([], driving([6, 6, 5, 3, 1, 0, 0, 0, 0, 2, 4, 6, 6])), None)
    assert [row for row in own if row[0] != "drives-on"] == [
        ("brakes", 2, 5),
        ("stops", 4, 6),
        ("starts", 8, 9),
        ("accelerates", 9, 11),
    ]
