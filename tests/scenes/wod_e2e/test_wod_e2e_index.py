"""The index of a folder of shards: every frame once, whatever the order; what cannot be used is listed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wod_e2e_making import read_frame

from probe4d.errors import InputError
from probe4d.scenes.waymo_format import index as module
from probe4d.scenes.waymo_format.index import FAULTS_SCHEMA, FRAMES_SCHEMA, FrameIndex
from probe4d.scenes.wod_e2e.index import index_frames
from waymo_making import broken, end_to_end, field, float_field, record, small_frame, write_shard

TWELVE = [(sequence, number) for sequence in ("a-b", "c", "d") for number in (3, 0, 11, 7)]


def named(sequence: str, number: int) -> bytes:
    return record(end_to_end(f"{sequence}-{number:03d}", 1_000_000 * number))


def faults_of(index: FrameIndex) -> list[tuple[str, str]]:
    return list(index.faults.select("shard", "reason").iter_rows())


def frames_of(index: FrameIndex) -> list[tuple[str, int]]:
    return list(index.frames.select("sequence", "frame").iter_rows())


def test_sequences_are_gathered_over_shards_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    write_shard(tmp_path, "one", *(named(*frame) for frame in TWELVE[::2]))
    write_shard(tmp_path, "two", *(named(*frame) for frame in TWELVE[1::2]))
    index = index_frames(tmp_path)
    assert index.sequences == ["a-b", "c", "d"]
    assert frames_of(index) == sorted(TWELVE)
    assert index.of_sequence("c")["frame"].to_list() == [0, 3, 7, 11]
    assert index.of_sequence("c")["timestamp_us"].to_list() == [0, 3_000_000, 7_000_000, 11_000_000]
    assert dict(index.frames.schema) == FRAMES_SCHEMA
    assert index.faults.is_empty()
    assert dict(index.faults.schema) == FAULTS_SCHEMA
    assert index.dropped == {}


@settings(max_examples=20)
@given(st.permutations(TWELVE), st.integers(0, 12), st.integers(1, 2))
def test_how_frames_are_spread_changes_neither_frames_nor_fingerprint(
    tmp_path_factory: pytest.TempPathFactory, frames: list[tuple[str, int]], cut: int, shards: int
) -> None:
    folder = tmp_path_factory.mktemp("shards")
    write_shard(folder, "one", *(named(*frame) for frame in frames[:cut]))
    write_shard(folder, "two" if shards == 2 else "one more", *(named(*frame) for frame in frames[cut:]))
    index = index_frames(folder)
    assert frames_of(index) == sorted(TWELVE)
    together = index_frames(write_shard(folder / "all", "one", *(named(*frame) for frame in TWELVE)).parent)
    assert index.fingerprint == together.fingerprint
    for sequence, number in frames:
        assert read_frame(index, sequence, number).timestamp_us == 1_000_000 * number


def test_the_fingerprint_tells_other_contents(tmp_path: Path) -> None:
    prints = set()
    for n, data in enumerate([end_to_end("a-1"), end_to_end("a-2"), end_to_end("a-1", 1), end_to_end("a-1", intent=1)]):
        write_shard(tmp_path / str(n), "one", record(data))
        prints.add(index_frames(tmp_path / str(n)).fingerprint)
    assert len(prints) == 4


def test_the_number_of_workers_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "shards"
    for n in range(3):
        write_shard(folder, f"{n}", *(named(*frame) for frame in TWELVE[n::3]), broken(named("d", 50 + n)))
    seen: list[str] = []
    alone = index_frames(folder)
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path / "another cache"))
    together = index_frames(folder, workers=2, done=lambda path: seen.append(path.name))
    assert seen == ["0.tfrecord", "1.tfrecord", "2.tfrecord"]
    assert together.frames.equals(alone.frames)
    assert together.faults.equals(alone.faults)
    assert together.faults.height == 3
    assert together.fingerprint == alone.fingerprint


def test_what_cannot_be_used_is_listed_and_the_rest_is_read(tmp_path: Path) -> None:
    good = named("a", 1)
    write_shard(tmp_path, "broken", good, broken(named("a", 2)), named("a", 3))
    write_shard(tmp_path, "cut", named("b", 1), named("b", 2)[:-3])
    write_shard(tmp_path, "empty")
    write_shard(tmp_path, "garbage", bytes(range(250)))
    write_shard(tmp_path, "gone", named("c", 1), b"\x00" * 12, named("c", 2))
    write_shard(tmp_path, "other", record(b"\xff\xff\xff"), record(b""), record(field(9, "text")), record(b"{'a': 1}"))
    write_shard(tmp_path, "twice", good)
    index = index_frames(tmp_path)
    assert frames_of(index) == [("a", 1), ("a", 3), ("b", 1), ("c", 1)]
    assert index.frames["shard"].to_list() == ["broken.tfrecord", "broken.tfrecord", "cut.tfrecord", "gone.tfrecord"]
    assert faults_of(index) == [
        ("broken.tfrecord", "the checksum of a record's data is wrong"),
        ("cut.tfrecord", "ends in the middle of a record"),
        ("empty.tfrecord", "holds no records: it is empty"),
        ("garbage.tfrecord", "is no TFRecord file: the checksum of its first record's length is wrong"),
        ("gone.tfrecord", "cannot be read from here on: the checksum of a record's length is wrong"),
        *[("other.tfrecord", "a record holds no frame of WOD-E2E")] * 4,
        ("twice.tfrecord", "a frame is there a second time"),
    ]
    assert index.faults["offset"].to_list()[:2] == [len(good), len(named("b", 1))]
    assert index.dropped["a record holds no frame of WOD-E2E"] == 4
    assert sum(index.dropped.values()) == index.faults.height
    assert list(index.dropped) == sorted(index.dropped)


@pytest.mark.parametrize("name", ["abc", "-5", "abc-", "abc-x1", "abc-1 ", "abc-²", "abc-2147483648", b"\xff\xfe-1"])
def test_a_name_without_sequence_and_number_is_listed(tmp_path: Path, name: str | bytes) -> None:
    write_shard(tmp_path, "one", record(end_to_end(name)), named("a", 1))
    assert faults_of(index_frames(tmp_path)) == [("one.tfrecord", "a frame's name does not end in a number")]


def test_frames_without_a_time_are_frames(tmp_path: Path) -> None:
    write_shard(tmp_path, "one", record(end_to_end("a-2147483647", None)), record(end_to_end("a-2", 0)))
    index = index_frames(tmp_path)
    assert index.frames["timestamp_us"].to_list() == [0, None]
    assert read_frame(index, "a", 2_147_483_647).timestamp_us is None


@pytest.mark.real_data
def test_perception_data_is_refused(real_data, tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"frame\.tfrecord, byte 0: holds a frame of Waymo's perception data"
    ) as caught:
        index_frames(real_data("waymo"))
    assert str(caught.value).endswith("or read this one so: probe4d convert waymo.")
    write_shard(tmp_path, "a", named("a", 1))
    (tmp_path / "b.tfrecord").write_bytes((real_data("waymo") / "perception_one_frame.tfrecord").read_bytes())
    with pytest.raises(InputError, match=r"b\.tfrecord, byte 0: holds a frame of Waymo's perception data"):
        index_frames(tmp_path, workers=2)


def test_perception_data_without_images_is_refused(tmp_path: Path) -> None:
    frame = small_frame() + field(1, field(1, "10017090168044687777_6380_000_6400_000")) + field(2, 1)
    write_shard(tmp_path, "one", record(frame))
    with pytest.raises(InputError, match="perception data"):
        index_frames(tmp_path)


def test_a_folder_without_a_frame_says_what_is_wrong_with_it(tmp_path: Path) -> None:
    for n in range(5):
        write_shard(tmp_path, f"{n}", b"")
    with pytest.raises(InputError) as caught:
        index_frames(tmp_path)
    reasons = ", ".join(f"{n}.tfrecord holds no records: it is empty" for n in range(3))
    assert f"{tmp_path}: holds no frame that can be read: {reasons} and 2 other faults. Fetch" in str(caught.value)


@pytest.mark.parametrize("name", ["nothing", "file"])
def test_what_is_no_folder_of_shards_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=f"{name}: is no folder"):
        index_frames(tmp_path / name)
    (tmp_path / "folder.tfrecord").mkdir()
    (tmp_path / ".hidden.tfrecord").write_bytes(named("a", 1))
    with pytest.raises(InputError, match="holds no shards"):
        index_frames(tmp_path)


def test_shards_are_known_by_the_names_that_waymo_gives_them(tmp_path: Path) -> None:
    (tmp_path / "val_202504211836.tfrecord-00001-of-00093").write_bytes(named("a", 1))
    (tmp_path / "LICENSE").write_text("not a shard")
    assert frames_of(index_frames(str(tmp_path))) == [("a", 1)]


def test_a_name_that_no_table_can_hold_is_refused(tmp_path: Path) -> None:
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/\xff.tfrecord")).write_bytes(named("a", 1))
    with pytest.raises(InputError, match=r"holds a shard whose name cannot be read: '\\udcff\.tfrecord'\. Rename it"):
        index_frames(tmp_path)


def test_a_sequence_that_is_not_there_is_refused(tmp_path: Path) -> None:
    write_shard(tmp_path, "one", named("a", 1))
    with pytest.raises(InputError, match="has no sequence 'b'"):
        index_frames(tmp_path).of_sequence("b")


def test_shards_are_read_once_until_they_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_shard(tmp_path, "one", named("a", 1), broken(named("a", 2)))
    read: list[Path] = []
    scan = module.scan_records
    monkeypatch.setattr(module, "scan_records", lambda path: read.append(path) or scan(path))
    first = index_frames(tmp_path)
    again = index_frames(tmp_path)
    assert read == [path]
    assert again.frames.equals(first.frames)
    assert again.faults.equals(first.faults)
    assert again.fingerprint == first.fingerprint
    path.write_bytes(named("a", 1) + named("a", 2))
    os.utime(path, ns=(1, 1))
    assert frames_of(index_frames(tmp_path)) == [("a", 1), ("a", 2)]
    assert read == [path, path]


def test_shards_that_change_while_they_are_read_are_not_kept(tmp_path: Path) -> None:
    path = write_shard(tmp_path, "one", named("a", 1))
    assert frames_of(index_frames(tmp_path, done=lambda _: path.write_bytes(named("a", 1) * 2))) == [("a", 1)]
    assert index_frames(tmp_path).faults.height == 1
    path.write_bytes(named("a", 1) * 3)
    with pytest.raises(InputError, match=r"one\.tfrecord: cannot be read"):
        index_frames(tmp_path, done=Path.unlink)


@given(st.binary(max_size=60))
def test_no_record_is_a_traceback(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("shards")
    write_shard(folder, "one", record(data), record(field(1, data)), record(field(1, field(1, data))), named("a", 1))
    index = index_frames(folder)
    assert index.frames.height + index.faults.height == 4


def test_fields_of_other_types_are_no_frame(tmp_path: Path) -> None:
    write_shard(tmp_path, "one", record(field(1, 5) + float_field(5, 1.0)), named("a", 1))
    assert faults_of(index_frames(tmp_path)) == [("one.tfrecord", "a record holds no frame of WOD-E2E")]


def test_the_command_line_needs_none_of_it() -> None:
    code = (
        "import sys; sys.modules['google.protobuf'] = None; sys.modules['crc32c'] = None\n"
        "import probe4d, probe4d.scenes.opening, probe4d.scenes.wod_e2e.reading\n"
        "import probe4d.scenes.waymo_format.resampling\n"
        "sys.argv = ['probe4d', '--help']\nfrom probe4d.cli import main\nmain()"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "Usage" in said.stdout
