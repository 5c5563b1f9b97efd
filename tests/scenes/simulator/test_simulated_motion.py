from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.scenes.simulator.motion import Agent, simulate_motion
from probe4d.scenes.simulator.street import Path, joined, lane_change, straight_across, street

ROAD = Path(np.column_stack([np.arange(400.0), np.zeros(400)]), np.zeros(400))
CAR = (4.6, 1.9, 1.7)


def driver(**settings: object) -> Agent:
    return Agent(category="vehicle.car", size=CAR, role="driver", path=ROAD, **settings)  # type: ignore[arg-type]


def test_stops_before_a_red_light_and_goes_on_when_it_turns_green() -> None:
    motion = simulate_motion([driver(start_s=20.0, speed=9.0, stops=((120.0, ((-10.0, 12.0),)),))], 20.0)
    front = motion.along[0] + CAR[0] / 2
    waiting = (motion.times > 8) & (motion.times < 12)
    assert front[waiting].max() <= 120.0
    assert front[waiting].min() > 112.0
    assert motion.speeds_at(11.0)[0] < 0.5
    assert front[-1] > 140.0


def test_keeps_a_gap_to_a_slower_vehicle() -> None:
    motion = simulate_motion([driver(start_s=10.0, speed=12.0), driver(start_s=60.0, speed=4.0)], 20.0)
    gap = motion.along[1] - motion.along[0] - CAR[0]
    assert gap.min() > 1.0
    assert motion.speeds_at(19.0)[0] == pytest.approx(4.0, abs=0.6)


def test_brakes_for_a_pedestrian_in_the_way() -> None:
    crossing = straight_across(ROAD, 110.0, -6.0, 6.0)
    walker = Agent(
        category="human.pedestrian.adult",
        size=(0.7, 0.7, 1.8),
        role="walker",
        path=crossing,
        speed=0.5,
        start_time_s=-6.0,
    )
    motion = simulate_motion([driver(start_s=10.0, speed=9.0), walker], 20.0)
    nearest = min(
        float(np.hypot(*(poses[0, :2] - poses[1, :2]))) for poses in map(motion.boxes_at, np.arange(-5.9, 19.9, 0.1))
    )
    assert nearest > CAR[0] / 2
    assert motion.along[0, -1] > 120.0


def test_a_trailer_keeps_its_distance() -> None:
    trailer = Agent(category="vehicle.trailer", size=(6.0, 2.0, 2.0), role="towed", path=ROAD)
    motion = simulate_motion([driver(start_s=30.0, speed=8.0), trailer], 10.0)
    np.testing.assert_allclose(motion.along[0] - motion.along[1], (CAR[0] + 6.0) / 2 + 0.7)


def test_slows_down_in_a_curve() -> None:
    quarter = joined(
        ROAD, 100, Path(np.column_stack([np.full(200, 110.0), np.arange(10.0, 210.0)]), np.full(200, np.pi / 2)), 0
    )
    agent = Agent(category="vehicle.car", size=CAR, role="driver", path=quarter, start_s=10.0, speed=12.0)
    motion = simulate_motion([agent], 20.0)
    speeds = np.diff(motion.along[0]) / 0.2
    assert speeds.min() < 7.0
    assert speeds[-1] > 10.0
    assert motion.boxes_at(19.0)[0, 2] == pytest.approx(np.pi / 2, abs=0.05)


@settings(max_examples=50)
@given(seed=st.integers(0, 2**32), bend=st.booleans(), s=st.floats(20, 560), d=st.floats(-12, 12))
def test_streets_are_smooth_and_offsets_are_distances(seed: int, bend: bool, s: float, d: float) -> None:
    layout = street(np.random.default_rng(seed), bend=bend)
    main = layout.roads[0]
    assert np.hypot(*np.diff(main.points, axis=0).T) == pytest.approx(1.0, abs=1e-6)
    assert np.abs(np.diff(main.yaw)).max() < 1 / 40
    x, y, _ = main.at(s, d)
    assert np.hypot(main.points[:, 0] - x, main.points[:, 1] - y).min() == pytest.approx(abs(d), abs=0.6)
    crossing = (main.at(layout.junction_s[0]), layout.roads[1].at(layout.junction_s[1]))
    np.testing.assert_allclose(crossing[0][:2], crossing[1][:2], atol=1e-6)


def test_traffic_keeps_to_the_right() -> None:
    layout = street(np.random.default_rng(0), bend=False)
    for direction in (1, -1):
        lane = layout.lane(0, direction, 0)
        x, y, yaw = lane.at(200.0)
        s = layout.roads[0].nearest(float(x), float(y))
        centre_x, centre_y, _ = layout.roads[0].at(s)
        to_centre = np.cos(yaw + np.pi / 2) * (centre_x - x) + np.sin(yaw + np.pi / 2) * (centre_y - y)
        assert to_centre == pytest.approx(1.75, abs=0.2)


def test_a_lane_change_ends_beside_where_it_began() -> None:
    changed = lane_change(ROAD, [(50.0, 3.5), (200.0, -3.5)])
    assert changed.at(150.0)[1] == pytest.approx(3.5, abs=0.01)
    assert changed.at(300.0)[1] == pytest.approx(0.0, abs=0.01)
