"""Rules of estimated objects at their lines."""

from __future__ import annotations

import pytest
from waymo_signals import FRAMES, QUERY, SCENE, Seen, answers, drive, moving, still, text

from probe4d.benchmarks.stride.waymo import objects
from probe4d.benchmarks.stride.waymo.signals import standing_on


def test_an_object_has_a_place_and_no_extent() -> None:
    signals = drive([Seen("a", still(20.0, 1.0), "van")], speed_mps=4.0)
    row = signals.objects.filter(frame=QUERY).row(0, named=True)
    assert (row["category"], row["label"], row["words"]) == ("vehicle.van", "car", "van")
    assert (row["ego_x_m"], row["ego_y_m"], row["x_m"], row["y_m"]) == (20.0, 1.0, 28.0, 1.0)
    assert row["velocity_x_mps"] == pytest.approx(4.0)  # as fast as the ego vehicle, from which it looks still
    for unknown in ("box", "length_m", "width_m", "yaw_rad", "bottom_m", "visibility", "lidar_points"):
        assert row[unknown] is None
    target = signals.targets.row(0, named=True)
    assert (target["channel"], target["left"], target["bottom"]) == ("FRONT", 900 / 1920, 700 / 1280)


@pytest.mark.parametrize(
    ("seen", "is_target"),
    [
        (Seen("a", still(40.0, 0.0)), True),
        (Seen("a", still(40.01, 0.0)), False),
        (Seen("a", still(20.0, 0.0), is_cut_off=True), False),
        (Seen("a", still(20.0, 0.0), height_px=35.0), True),
        (Seen("a", still(20.0, 0.0), height_px=34.0), False),
        (Seen("a", [None, *still(20.0, 0.0)[1:]]), False),  # unseen in the first frame of the history
    ],
)
def test_who_is_a_target(seen: Seen, is_target: bool) -> None:
    assert (drive([seen]).targets.filter(frame=QUERY).height == 1) == is_target


@pytest.mark.parametrize(
    ("distance_m", "answer"),
    [
        (6.9, "less than 8 m"),
        (7.1, "too close"),
        (9.1, "8 to 14 m"),
        (20.9, "14 to 22 m"),
        (23.1, "22 to 32 m"),
        (31.1, "too close"),
        (33.1, "more than 32 m"),
    ],
)
def test_distance(distance_m: float, answer: str) -> None:
    assert text(objects.distance, drive([Seen("a", still(distance_m, 0.0))])) == answer


@pytest.mark.parametrize(
    ("share", "answer"),
    [
        (0.0, "less than 10%"),
        (0.06, "too close"),
        (0.2, "10% to 40%"),
        (0.46, "40% to 70%"),
        (0.74, "too close"),
        (0.76, "more than 70%"),
    ],
)
def test_occlusion(share: float, answer: str) -> None:
    assert text(objects.occlusion_proxy, drive([Seen("a", still(20.0, 0.0), occlusion=share)])) == answer


@pytest.mark.parametrize(
    ("place", "answer"),
    [
        ((20.0, 0.0), "it blocks the way straight ahead"),
        ((20.0, 0.6), "too close"),  # a car of two metres may reach out of the way, or not
        ((15.0, 3.0), "it limits the room on the left side"),
        ((15.0, -3.0), "it limits the room on the right side"),
        ((15.0, 6.1), "it does not constrain the ego vehicle"),
        ((15.0, 5.9), "too close"),
        ((31.1, 0.0), "it does not constrain the ego vehicle"),
    ],
)
def test_constraint(place: tuple[float, float], answer: str) -> None:
    assert text(objects.constraint_of_point, drive([Seen("a", still(*place))])) == answer


@pytest.mark.parametrize(
    ("then", "answer"),
    [
        ((15.0, 0.0), "ahead, nearer than 20 m"),
        ((15.0, 1.3), "ahead, nearer than 20 m"),  # 4.95 degrees
        ((15.0, 1.4), "too close"),  # 5.3 degrees
        ((15.0, 2.8), "too close"),  # 10.6 degrees
        ((15.0, 3.0), "to the left, nearer than 20 m"),  # 11.3 degrees
        ((15.0, -5.0), "to the right, nearer than 20 m"),
        ((19.5, 0.0), "too close"),
        ((25.0, -9.0), "to the right, farther than 20 m"),
        ((25.0, 9.0), "to the left, farther than 20 m"),
        ((25.0, 0.0), "ahead, farther than 20 m"),
    ],
)
def test_earlier_place(then: tuple[float, float], answer: str) -> None:
    places = still(10.0, 0.0)
    places[QUERY - 4] = then
    assert text(objects.earlier_place, drive([Seen("a", places)])) == answer


@pytest.mark.parametrize(
    ("across_mps", "answer"),
    [
        (0.0, "it stands still"),
        (1.0, "it stands still"),
        (1.2, "too close"),
        (1.8, "too close"),
        (2.0, "across, from right to left"),
        (-2.0, "across, from left to right"),
    ],
)
def test_motion_needs_more_than_of_annotated_objects(across_mps: float, answer: str) -> None:
    assert text(objects.direction_of_motion, drive([Seen("a", moving(20.0, 0.0, 0.0, across_mps))])) == answer


def test_beyond_25_m_it_is_not_asked_how_something_moves() -> None:
    rules = (objects.direction_of_motion, objects.recent_motion, objects.future_motion, objects.time_to_collision)
    near, far = drive([Seen("a", still(25.0, 0.0))]), drive([Seen("a", still(25.1, 0.0))])
    for rule in rules:
        assert [len(answers(rule, signals)) for signals in (near, far)] == [1, 0]


def test_patterns_have_wider_lines() -> None:
    def faster(change_mps: float) -> str | None:
        """As fast as the ego vehicle until one second before the query frame, then faster."""
        places = [(10.0 + (max(step + 2, 0) / 2 - 1) * change_mps, 0.0) for step in range(-QUERY, FRAMES - QUERY)]
        return text(objects.recent_motion, drive([Seen("a", places)], speed_mps=5.0))

    assert [faster(change) for change in (0.0, 2.5, 2.7)] == [*["moved straight on at a steady speed"] * 2, "too close"]
    assert faster(3.5) == "sped up"
    beside = drive([Seen("a", still(10.0, 3.0))], speed_mps=5.0)
    assert text(objects.future_motion, beside) == "moves straight on at a steady speed"


@pytest.mark.parametrize(
    ("speed_mps", "is_asked"), [(0.0, True), (1.0, True), (1.8, True), (2.2, False), (10.0, False)]
)
def test_what_a_slope_could_make_up_is_not_asked(speed_mps: float, is_asked: bool) -> None:
    """What stands 10 m ahead, from a car that drives towards it."""
    signals = drive([Seen("a", moving(10.0, 0.0, -speed_mps))], speed_mps=speed_mps)
    answer = text(objects.direction_of_motion, signals)
    assert answer == ("it stands still" if is_asked else "too close")


@pytest.mark.parametrize(
    ("closing_mps", "answer"),
    [
        (0.5, "they do not approach each other"),
        (0.9, "too close"),
        (1.5, "more than 8 s"),
        (3.4, "4 to 8 s"),
        (4.0, "too close"),  # 5 s, and a slope could take more than a second off
        (7.0, "2 to 4 s"),
    ],
)
def test_time_to_collision(closing_mps: float, answer: str) -> None:
    assert text(objects.time_to_collision, drive([Seen("a", moving(20.0, 0.0, -closing_mps))])) == answer


class TestMainRisk:
    def test_whom_the_vehicle_meets_first(self) -> None:
        met_in_4_s, met_in_2_s = moving(20.0, 0.0, -5.0), moving(18.0, 4.0, -9.0)
        both = [Seen("a", met_in_4_s, "truck", "truck"), Seen("b", met_in_2_s, "cyclist", "bicycle")]
        (row,) = answers(objects.main_risk_source, drive(both))
        assert (row["answer"], row["facts"]["decided_by"]) == ("a cyclist or motorcyclist", "b")
        assert row["facts"]["next_kind"] == "a truck, bus, trailer or construction vehicle"
        assert (row["margin_unit"], row["track"]) == ("seconds", None)

    def test_who_stands_nearest_on_the_way_where_nobody_is_met(self) -> None:
        standing = [Seen("a", still(22.0, 1.0)), Seen("b", still(12.0, 0.0), "pedestrian", "pedestrian")]
        aside = [Seen("c", still(8.0, 1.6), "bus", "bus")]
        assert text(objects.main_risk_source, drive([*standing, *aside])) == "a pedestrian"

    @pytest.mark.parametrize(("x_m", "answer"), [(12.9, "too close"), (13.1, "a pedestrian")])
    def test_the_next_of_another_kind_is_behind(self, x_m: float, answer: str) -> None:
        both = [Seen("a", still(x_m, 0.0)), Seen("b", still(12.0, 0.0), "pedestrian", "pedestrian")]
        assert text(objects.main_risk_source, drive(both)) == answer

    @pytest.mark.parametrize(
        "seen",
        [
            Seen("a", still(41.1, 0.0)),  # beyond where targets are
            Seen("a", moving(10.0, 6.1, -5.0)),  # met, and too far aside
            Seen("a", still(10.0, 0.0), "traffic cone", "traffic cone"),  # no road user
        ],
    )
    def test_nobody(self, seen: Seen) -> None:
        assert text(objects.main_risk_source, drive([seen])) == "no road user"
        assert text(objects.main_risk_source, drive()) == "no road user"

    @pytest.mark.parametrize(
        ("seen", "answer"),
        [
            (Seen("a", still(40.9, 0.0)), "too close"),
            (Seen("a", still(10.0, 5.9)), "too close"),
            (Seen("a", still(31.0, 0.0)), None),  # ahead, and not on the way yet
            (Seen("a", still(10.0, 1.6)), None),  # in the next lane, and not met
        ],
    )
    def test_nobody_is_said_where_nobody_is_near(self, seen: Seen, answer: str | None) -> None:
        assert text(objects.main_risk_source, drive([seen])) == answer

    def test_an_emergency_vehicle_is_one(self) -> None:
        seen = Seen("a", still(10.0, 0.0), "emergency vehicle", None)
        assert text(objects.main_risk_source, drive([seen])) == "an emergency vehicle"

    @pytest.mark.parametrize(("place", "is_asked"), [((10.0, 8.0), False), ((29.9, 0.0), False), ((30.1, 0.0), True)])
    def test_nothing_is_asked_beside_what_is_cut_off(self, place: tuple[float, float], is_asked: bool) -> None:
        cut_off = Seen("b", still(*place), is_cut_off=True)
        signals = drive([Seen("a", still(12.0, 0.0)), cut_off])
        assert (text(objects.main_risk_source, signals) is not None) == is_asked


def test_what_stands_is_passed_after_it_is_seen_last() -> None:
    seen = [(19.0 - 2.5 * frame, -3.0) if frame < 6 else None for frame in range(FRAMES)]  # gone from 4 m on
    signals = drive([Seen("a", seen)], speed_mps=5.0)
    assert text(objects.next_event, signals) == "the ego vehicle passes a standing road user"
    kept = standing_on(signals, 1.5, 5).objects.filter(scene=SCENE, track="a")
    assert kept["frame"].to_list() == list(range(11))
    assert kept.filter(frame=9).select("ego_x_m", "ego_y_m", "x_m").row(0) == pytest.approx((-3.5, -3.0, 19.0))


def test_the_response_to_who_is_on_the_way() -> None:
    signals = drive([Seen("a", still(15.0, 0.5)), Seen("b", still(15.0, 3.0))], speed_mps=6.0)
    (row,) = answers(objects.ego_response, signals)
    assert (row["track"], row["answer"]) == ("a", "it keeps its course and speed")
