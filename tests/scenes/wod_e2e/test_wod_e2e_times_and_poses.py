"""Times and poses that records of WOD-E2E leave out, and frames that cannot be used."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from wod_e2e_making import START_US, beside, data_of, pose_of

from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.wod_e2e.conversion import VERSION, convert_indexed
from probe4d.scenes.wod_e2e.index import index_frames
from probe4d.scenes.wod_e2e.timing import ORIGIN_US
from waymo_making import IDENTITY, end_to_end, field, planar, record, small_frame, states, surround_frame, write_shard


def unsaid(sequence: str, number: int, time_us: int | None = 0, **parts: Any) -> bytes:
    """A record as the released ones are: times are zero and poses the identity."""
    frame = parts.pop("frame", surround_frame(number, IDENTITY, 0.0))
    return record(end_to_end(f"{sequence}-{number:03d}", time_us, frame=frame, **parts))


def along(speed_mps: float, turn_radps: float, times_s: np.ndarray) -> list[list[float]]:
    """Where a vehicle on a circle will be, in the frame that it has at time 0."""
    turned = turn_radps * times_s
    if not turn_radps:
        return [(speed_mps * times_s).tolist(), (0 * times_s).tolist()]
    radius_m = speed_mps / turn_radps
    return [(radius_m * np.sin(turned)).tolist(), (radius_m * (1 - np.cos(turned))).tolist()]


PAST_S, FUTURE_S = np.arange(-15, 1) / 4, np.arange(1, 21) / 4


@pytest.mark.parametrize(("speed_mps", "turn_radps"), [(8.0, 0.0), (8.0, 0.3), (5.0, -0.4), (0.2, 0.03), (0.0, 0.0)])
@pytest.mark.parametrize("told", ["past", "future"])
def test_poses_that_no_record_has_follow_from_ego_states(
    speed_mps: float, turn_radps: float, told: str, tmp_path: Path
) -> None:
    states_of = {"past": PAST_S, "future": FUTURE_S}[told]
    path = {told: states(*along(speed_mps, turn_radps, states_of))}
    write_shard(tmp_path / "shards", "one", *(unsaid("a", number, **path) for number in (0, 5, 10, 25)))
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    keyframes = open_scenes(converted.root).keyframes
    assert beside(converted, "driving")["pose_source"].unique().to_list() == ["ego states"]
    assert beside(converted, "driving")["time_source"].unique().to_list() == ["frame number"]
    assert keyframes["timestamp_us"].to_list() == [ORIGIN_US + 100_000 * number for number in (0, 5, 10, 25)]
    times_s = np.array([0.0, 0.5, 1.0, 2.5])
    x, y = along(speed_mps, turn_radps, times_s)
    is_slow = speed_mps < 1  # then the heading is kept, and centimetres are lost
    np.testing.assert_allclose(keyframes["pose_x"], x, atol=0.03 if is_slow else 1e-4)
    np.testing.assert_allclose(keyframes["pose_y"], y, atol=0.03 if is_slow else 1e-4)
    yaws = 2 * np.arctan2(keyframes["pose_qz"], keyframes["pose_qw"])
    np.testing.assert_allclose(yaws, 0 * times_s if is_slow else turn_radps * times_s, atol=1e-4)
    assert set(keyframes["pose_z"]) == {0.0}


def test_a_frame_of_which_nothing_says_where_it_was_is_left_out(tmp_path: Path) -> None:
    past = states(*along(8.0, 0.0, PAST_S))
    frames = [unsaid("a", 0), unsaid("a", 5), unsaid("a", 10, past=past), unsaid("a", 60, past=past)]
    write_shard(tmp_path / "shards", "one", *frames)
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    assert beside(converted, "driving")["number"].to_list() == [0, 10]
    assert open_scenes(converted.root).keyframes["pose_x"].to_list() == pytest.approx([0.0, 8.0])
    reason = "has no pose, and neither its past nor the future of the frame before says where it was"
    assert converted.left_out.select("frame", "reason").rows() == [("a-5", reason), ("a-60", reason)]


def test_recorded_poses_may_begin_at_the_origin(tmp_path: Path) -> None:
    frames = {0: IDENTITY, 5: planar(4.0, 0.0, 0.0)}
    records = [unsaid("a", number, frame=surround_frame(number, pose, 0.0)) for number, pose in frames.items()]
    write_shard(tmp_path / "shards", "one", *records)
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    assert beside(converted, "driving")["pose_source"].to_list() == ["recorded"] * 2
    assert open_scenes(converted.root).keyframes["pose_x"].to_list() == [0.0, 4.0]


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"intent": 4}, "has the intent 4, which is none of 0 to 3"),
        ({"frame": surround_frame(5, IDENTITY, 0.0, (2, 3))}, "has no image of the camera FRONT, whose time and pose"),
        ({"frame": field(4, b"\x12\x7fshort")}, "is no frame of WOD-E2E"),
        ({"time_us": None}, "has no time, and others of its sequence have"),
    ],
)
def test_a_frame_that_cannot_be_used_is_left_out(tmp_path: Path, parts: dict[str, Any], reason: str) -> None:
    others = [record(data_of("a", number)) for number in (0, 10)]
    faulty = unsaid("a", 5, **{"time_us": START_US + 500_000} | parts)
    write_shard(tmp_path / "shards", "one", others[0], faulty, others[1])
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    (row,) = converted.left_out.iter_rows()
    assert row[:3] == ("one.tfrecord", len(others[0]), "a-5")
    assert row[3].startswith(reason)


def test_a_sequence_whose_times_cannot_be_is_left_out(tmp_path: Path) -> None:
    frames = [record(data_of("a", 0)), record(data_of("b", 0)), unsaid("b", 1, START_US + 10**10)]
    write_shard(tmp_path / "shards", "one", *frames)
    converted = convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    assert open_scenes(converted.root).names == ["a"]
    assert converted.left_out["frame"].to_list() == ["b-0", "b-1"]
    said = "is of a sequence that cannot be used: the first and the last frame are 10,000 s apart"
    assert all(reason.startswith(said) for reason in converted.left_out["reason"])


def test_a_camera_keeps_no_time_that_is_not_of_its_frame(tmp_path: Path) -> None:
    """As in records made of one frame's images, which keep the time that they had."""
    images = surround_frame(0, pose_of(0), 1_550_000_000.0)
    frames = [record(end_to_end(f"a-{number}", START_US + 100_000 * number, frame=images)) for number in (0, 5)]
    write_shard(tmp_path / "shards", "one", *frames)
    scenes = open_scenes(convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data").root)
    assert scenes.keyframes["timestamp_us"].to_list() == [START_US, START_US + 500_000]
    assert set(scenes.sensors["timestamp_us"]) == {START_US, START_US + 500_000}


def test_where_no_frame_can_be_used_nothing_is_made(tmp_path: Path) -> None:
    write_shard(tmp_path / "shards", "one", unsaid("a", 0, frame=small_frame()))
    with pytest.raises(InputError, match=r"converted: a-0 has no image of the camera FRONT.*\(1 place in all"):
        convert_indexed(index_frames(tmp_path / "shards"), tmp_path / "data")
    assert not (tmp_path / "data" / VERSION).exists()
