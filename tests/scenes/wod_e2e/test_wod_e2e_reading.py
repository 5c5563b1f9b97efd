"""Frames read back: exactly what the record says, in the house's frames and units, and null where it says nothing."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from wod_e2e_making import read_frame

from probe4d.errors import InputError
from probe4d.scenes.projection import project
from probe4d.scenes.waymo_format.cameras import CHANNELS
from probe4d.scenes.waymo_format.index import FrameIndex
from probe4d.scenes.waymo_format.messages import MESSAGES, build_messages
from probe4d.scenes.waymo_format.resampling import resampled
from probe4d.scenes.waymo_format.values import Unfit
from probe4d.scenes.wod_e2e.frames import EGO_STATES_SCHEMA, Frame
from probe4d.scenes.wod_e2e.index import index_frames
from waymo_making import (
    IDENTITY,
    broken,
    calibration,
    decoded,
    end_to_end,
    field,
    float_field,
    image,
    real_frame,
    record,
    small_frame,
    states,
    transform,
    values_of,
    write_shard,
)

SEQUENCES = {"0a1b": 12, "2c3d-e": 7, "4f": 3}
"""Names of sequences, one of them with a hyphen, and how many frames they have."""


@pytest.fixture(scope="module")
def raw(real_data) -> bytes:
    return real_frame(real_data("waymo") / "perception_one_frame.tfrecord")


def past_of(number: int) -> list[list[float]]:
    """Sixteen states in which every value is another; no heights, as in the real data."""
    x, y, *others = (np.arange(16.0) / 8 + 100 * k + number for k in range(6))
    return [list(values) for values in (x, y, [], *others)]


def future_of(number: int) -> list[list[float]]:
    return [[number + n / 4 for n in range(20)], [-number - n / 8 for n in range(20)], [n / 2 for n in range(20)]]


@pytest.fixture(scope="module")
def index(raw: bytes, tmp_path_factory: pytest.TempPathFactory) -> FrameIndex:
    """Frames of three sequences shuffled over two shards; the first has the real images, the others none."""
    records = []
    for sequence, count in SEQUENCES.items():
        for number in range(count):
            data = end_to_end(
                f"{sequence}-{number:03d}",
                1_700_000_000_000_000 + 100_000 * number,
                frame=raw if (sequence, number) in {("0a1b", 5), ("4f", 2)} else small_frame(),
                past=states(*past_of(number)),
                future=states(*future_of(number)),
                intent=number % 4,
                rated=[states([1.5, 2.5], [0.5, -0.5], score=7.25), states(score=-1.0)] if number == 2 else [],
            )
            whole = record(data)
            records.append(broken(whole) if (sequence, number) == ("2c3d-e", 4) else whole)
    shuffled = [records[at] for at in np.random.default_rng(1).permutation(len(records))]
    folder = tmp_path_factory.mktemp("wod_e2e")
    write_shard(folder, "val-00000-of-00002", *shuffled[:9])
    write_shard(folder, "val-00001-of-00002", *shuffled[9:])
    return index_frames(folder)


def one_frame(folder: Path, **parts: Any) -> Frame:
    write_shard(folder, "one", record(end_to_end("a-1", **parts)))
    return read_frame(index_frames(folder), "a", 1)


@pytest.mark.real_data
def test_shuffled_sequences_read_back_but_for_the_damaged_record(index: FrameIndex) -> None:
    found = {name: index.of_sequence(name)["frame"].to_list() for name in index.sequences}
    assert found == {"0a1b": list(range(12)), "2c3d-e": [0, 1, 2, 3, 5, 6], "4f": [0, 1, 2]}
    assert index.dropped == {"the checksum of a record's data is wrong": 1}
    assert index.frames["shard"].n_unique() == 2
    for sequence, number in index.frames.select("sequence", "frame").iter_rows():
        frame = read_frame(index, sequence, number)
        assert (frame.sequence, frame.number) == (sequence, number)
        assert frame.timestamp_us == 1_700_000_000_000_000 + 100_000 * number
        assert frame.intent == [None, "go straight", "go left", "go right"][number % 4]
        past, future = past_of(number), future_of(number)
        assert frame.past["time_s"].to_list() == [-3.75 + n / 4 for n in range(16)]
        assert frame.future["time_s"].to_list() == [0.25 + n / 4 for n in range(20)]
        names = list(EGO_STATES_SCHEMA)[1:]
        assert [frame.past[name].to_list() for name in names] == [values or [None] * 16 for values in past]
        assert [frame.future[name].to_list() for name in names] == [*future, *[[None] * 20] * 4]
        assert dict(frame.past.schema) == dict(frame.future.schema) == EGO_STATES_SCHEMA
        assert [(one.score, one.states["x_m"].to_list()) for one in frame.rated] == [(7.25, [1.5, 2.5])] * (number == 2)


@pytest.mark.real_data
def test_ten_frames_a_second_become_two(index: FrameIndex) -> None:
    assert resampled(index.of_sequence("0a1b"))["frame"].to_list() == [0, 5, 10]
    assert resampled(index.of_sequence("2c3d-e"), anchor=4 + 1)["frame"].to_list() == [0, 5]


@pytest.mark.real_data
def test_the_real_cameras_read_back_exactly(raw: bytes, index: FrameIndex) -> None:
    frame = read_frame(index, "0a1b", 5)
    context = values_of(raw, 1)[0]
    images = {values_of(one, 1)[0]: one for one in values_of(raw, 4)}
    assert list(frame.cameras) == [CHANNELS[number] for number in sorted(images)]
    for calibrated in values_of(context, 2):
        (number,) = values_of(calibrated, 1)
        camera = frame.cameras[CHANNELS[number]]
        assert camera.channel == CHANNELS[number]
        assert [camera.jpeg] == values_of(images[number], 2)
        f_u, f_v, c_u, c_v, *distortion = values_of(calibrated, 2)
        assert camera.intrinsics.tolist() == [[f_u, 0, c_u], [0, f_v, c_v], [0, 0, 1]]
        assert camera.distortion.tolist() == distortion
        assert [camera.width, camera.height] == [*values_of(calibrated, 4), *values_of(calibrated, 5)]
        assert Image.open(io.BytesIO(camera.jpeg)).size == (camera.width, camera.height)
        extrinsics = np.reshape(values_of(values_of(calibrated, 3)[0], 1), (4, 4))
        assert camera.ego_SE3_sensor.translation.tolist() == extrinsics[:3, 3].tolist()
        right, down, forward = camera.ego_SE3_sensor.rotation.T
        waymo_forward, waymo_left, waymo_up = extrinsics[:3, :3].T
        np.testing.assert_array_equal([right, down, forward], [-waymo_left, -waymo_up, waymo_forward])
        assert camera.timestamp_us == round(values_of(images[number], 5)[0] * 1e6)
        assert_is_pose(camera.global_SE3_ego, values_of(images[number], 3)[0])
    assert_is_pose(frame.global_SE3_ego, values_of(raw, 3)[0])
    assert frame.cameras["FRONT"].ego_SE3_sensor.rotation[:, 2] == pytest.approx([1, 0, 0], abs=0.01)
    assert frame.cameras["SIDE_LEFT"].ego_SE3_sensor.rotation[:, 2] == pytest.approx([0, 1, 0], abs=0.03)


def assert_is_pose(pose: Any, message: bytes) -> None:
    matrix = np.reshape(values_of(message, 1), (4, 4))
    assert pose.rotation.tolist() == matrix[:3, :3].tolist()
    assert pose.translation.tolist() == matrix[:3, 3].tolist()


@pytest.mark.real_data
def test_boxes_of_the_real_frame_project_to_where_waymo_projects_them(raw: bytes, index: FrameIndex) -> None:
    """Of the boxes near the middle of an image, where lens distortion is less than a pixel or two."""
    frame = read_frame(index, "4f", 2)
    boxes = {values_of(label, 4)[0]: dict(decoded(values_of(label, 1)[0])) for label in values_of(raw, 6)}
    compared = set()
    for of_camera in values_of(raw, 9):
        camera = frame.cameras[CHANNELS[values_of(of_camera, 1)[0]]]
        for label in values_of(of_camera, 2):
            flat = dict(decoded(values_of(label, 1)[0]))  # centre x, y; 4 is the extent along y, 5 along x
            centre, half = np.array([flat[1], flat[2]]), np.array([flat[5], flat[4]]) / 2
            edges = np.concatenate([centre - half, centre + half])
            if edges[0] < 480 or edges[2] > 1440 or edges[1] < 100 or edges[3] > camera.height - 100:
                continue
            box = boxes[next(name for name in boxes if values_of(label, 4)[0].startswith(name))]
            found = project(camera.ego_SE3_sensor.inverse().apply(corners_of(box)), camera.intrinsics)
            bounds = np.concatenate([found.pixels.min(axis=0), found.pixels.max(axis=0)])
            assert bounds == pytest.approx(edges, abs=2)
            compared.add((camera.channel, values_of(label, 4)[0]))
    assert len(compared) >= 20
    assert {channel for channel, _ in compared} >= {"FRONT", "FRONT_LEFT", "FRONT_RIGHT"}


def corners_of(box: dict[int, float]) -> np.ndarray:
    """Corners of a laser label in the vehicle frame: centre 1 to 3, width 4, length 5, height 6, heading 7."""
    signs = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(-1, 3)
    x, y, z = (signs * np.array([box[5], box[4], box[6]]) / 2).T
    cosine, sine = np.cos(box[7]), np.sin(box[7])
    turned = np.stack([cosine * x - sine * y, sine * x + cosine * y, z], axis=-1)
    return turned + np.array([box[1], box[2], box[3]])


def test_all_eight_cameras_are_named(tmp_path: Path) -> None:
    numbers = [8, 3, 1, 2, 7, 6, 5, 4]
    frame = small_frame([image(n, bytes([n])) for n in numbers], [calibration(n) for n in reversed(numbers)])
    cameras = one_frame(tmp_path, frame=frame).cameras
    assert {name: camera.jpeg for name, camera in cameras.items()} == {CHANNELS[n]: bytes([n]) for n in range(1, 9)}
    assert list(cameras) == list(CHANNELS.values())


def test_what_a_record_leaves_out_is_null(tmp_path: Path) -> None:
    frame = one_frame(tmp_path, timestamp_us=None, frame=small_frame([image()], [calibration(), calibration(2)]))
    assert (frame.timestamp_us, frame.global_SE3_ego, frame.intent, frame.rated) == (None, None, None, ())
    assert frame.past.is_empty()
    assert frame.future.is_empty()
    assert dict(frame.past.schema) == EGO_STATES_SCHEMA
    assert list(frame.cameras) == ["FRONT"]
    assert (frame.cameras["FRONT"].timestamp_us, frame.cameras["FRONT"].global_SE3_ego) == (None, None)
    sizeless = calibration().replace(field(4, 1920) + field(5, 1280), b"")
    other = one_frame(tmp_path / "other", frame=small_frame([image() + field(5, float("nan"))], [sizeless]))
    assert (other.cameras["FRONT"].width, other.cameras["FRONT"].height) == (None, None)
    assert other.cameras["FRONT"].timestamp_us is None


def test_values_that_are_no_numbers_are_null(tmp_path: Path) -> None:
    nan, infinity = float("nan"), float("inf")
    frame = one_frame(tmp_path, past=states([nan, 1.0, infinity], [2.0, -infinity, 3.0]))
    assert frame.past["x_m"].to_list() == [None, 1.0, None]
    assert frame.past["y_m"].to_list() == [2.0, None, 3.0]
    assert frame.past["time_s"].to_list() == [-0.5, -0.25, 0.0]


def test_states_that_are_not_packed_are_read_too(tmp_path: Path) -> None:
    loose = float_field(1, 1.5) + float_field(2, 2.5) + float_field(1, 3.5) + float_field(2, 4.5)
    assert one_frame(tmp_path, future=loose).future.rows()[1][:3] == (0.5, 3.5, 4.5)


@given(st.lists(st.tuples(*[st.floats(width=32, allow_nan=False, allow_infinity=False)] * 7), max_size=25))
def test_states_read_back_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[float, ...]]) -> None:
    columns = [list(column) for column in zip(*rows, strict=True)] or [[]] * 7
    frame = one_frame(tmp_path_factory.mktemp("one"), future=states(*columns))
    assert [tuple(row[1:]) for row in frame.future.iter_rows()] == rows


@pytest.mark.parametrize(
    ("rated", "scores"),
    [
        ([states([1.0], [2.0], score=0.0)], [0.0]),
        ([states([1.0], [2.0], score=10.0)], [10.0]),
        ([states([1.0], [2.0], score=-1.0)], [None]),
        ([states([1.0], [2.0])], [None]),
        ([states([1.0], [2.0], score=float("nan"))], [None]),
        ([states(score=-1.0), states(), states(score=4.5)], [4.5]),
        ([states([1.0], [2.0], score=3.0), states(score=-1.0), states([1.0], [2.0], score=6.0)], [3.0, 6.0]),
    ],
)
def test_scores_are_null_where_nobody_rated(tmp_path: Path, rated: list[bytes], scores: list[float | None]) -> None:
    assert [one.score for one in one_frame(tmp_path, rated=rated).rated] == scores


def test_rated_trajectories_have_the_times_of_the_future(tmp_path: Path) -> None:
    rated = [states([1.0, 2.0, 3.0], [4.0, 5.0, 6.0], score=5.0)]
    (one,) = one_frame(tmp_path, rated=rated, future=states([0.0] * 3, [0.0] * 3)).rated
    assert one.states.select("time_s", "x_m", "y_m").rows() == [(0.25, 1.0, 4.0), (0.5, 2.0, 5.0), (0.75, 3.0, 6.0)]


MIRRORED = (-1.0, *IDENTITY[1:])
STRETCHED = (1.01, *IDENTITY[1:])
PROJECTIVE = (*IDENTITY[:12], 0, 0, 1, 1)
BEYOND = (*IDENTITY[:3], float("inf"), *IDENTITY[4:])


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"intent": 4}, "has the intent 4, which is none of 0 to 3"),
        ({"intent": -1}, "has the intent -1"),
        ({"rated": [states([1.0], [1.0], score=10.5)]}, "has a score of 10.5, which is none of 0 to 10"),
        ({"rated": [states([1.0], [1.0], score=-0.5)]}, "has a score of -0.5"),
        ({"rated": [states([1.0], [1.0, 2.0])]}, "has 1 values of one quantity and 2 of another in a rated trajectory"),
        ({"past": states([1.0] * 16, [1.0] * 15)}, "has 15 values of one quantity and 16 of another in the past"),
        ({"future": states([1.0], [1.0] * 20)}, "of another in the future"),
        ({"frame": small_frame(pose=transform(IDENTITY[:12]))}, "has a pose of 12 values instead of 16 finite ones"),
        ({"frame": small_frame(pose=transform(MIRRORED))}, "has a pose that is no rotation and translation"),
        ({"frame": small_frame(pose=transform(STRETCHED))}, "has a pose that is no rotation"),
        ({"frame": small_frame(pose=transform(PROJECTIVE))}, "has a pose that is no rotation"),
        ({"frame": small_frame(pose=transform(BEYOND))}, "instead of 16 finite ones"),
        ({"frame": small_frame([image(9)], [calibration(9)])}, "has the camera 9, which is none of 1 to 8"),
        ({"frame": small_frame([image(0)])}, "has the camera 0"),
        ({"frame": small_frame([image(7)], [calibration(1)])}, "an image of the camera REAR and no calibration"),
        ({"frame": small_frame([image(), image()], [calibration()])}, "has two images or two calibrations"),
        ({"frame": small_frame([image()], [calibration(), calibration()])}, "has two images or two calibrations"),
        ({"frame": small_frame([image()], [calibration(extrinsic=())])}, "has no extrinsics of the camera FRONT"),
        ({"frame": small_frame([image()], [calibration(extrinsic=MIRRORED)])}, "extrinsics of the camera FRONT that"),
        ({"frame": small_frame([image()], [calibration(intrinsic=(1.0,) * 4)])}, "has intrinsics of the camera FRONT"),
        ({"frame": small_frame([image()], [calibration(intrinsic=(float("nan"),) * 9)])}, "that are not finite values"),
    ],
)
def test_values_that_a_field_cannot_have_are_refused(tmp_path: Path, parts: dict[str, Any], said: str) -> None:
    with pytest.raises(Unfit) as caught:
        one_frame(tmp_path, **parts)
    assert said in str(caught.value)
    assert str(caught.value).startswith("has ")


def test_a_sequence_that_is_not_there_is_refused(tmp_path: Path) -> None:
    write_shard(tmp_path, "one", record(end_to_end("a-1")))
    with pytest.raises(InputError, match="has no sequence 'b'"):
        index_frames(tmp_path).of_sequence("b")


def test_a_shard_that_changed_since_is_refused(tmp_path: Path) -> None:
    path = write_shard(tmp_path, "one", record(end_to_end("a-1")))
    index = index_frames(tmp_path)
    path.write_bytes(record(end_to_end("b-1")))
    with pytest.raises(InputError, match=r"one\.tfrecord, a-1: has changed since it was indexed\. Open"):
        read_frame(index, "a", 1)
    path.write_bytes(broken(record(end_to_end("a-1"))))
    with pytest.raises(InputError, match="checksum of a record's data is wrong"):
        read_frame(index, "a", 1)
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        read_frame(index, "a", 1)


def test_a_record_whose_images_are_cut_off_is_refused(tmp_path: Path) -> None:
    """The index looks at names alone, and passes over what else is in a record."""
    write_shard(tmp_path, "one", record(end_to_end("a-1", frame=field(4, b"\x12\x7fshort"))))
    with pytest.raises(Unfit, match="is no frame of WOD-E2E"):
        read_frame(index_frames(tmp_path), "a", 1)


def test_without_its_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "google.protobuf.descriptor_pb2", None)
    with pytest.raises(InputError, match=r"not installed .*pip install 'probe4d\[waymo\]'"):
        build_messages(MESSAGES)
