"""TFRecord files: what was written is read, and what was damaged is told and never read."""

from __future__ import annotations

import struct
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.scenes.waymo_format.tfrecords import FALSE_DATA, Fault, Record, masked_crc32c, read_record, scan_records
from waymo_making import broken, checksum, real_frame, record

contents = st.lists(st.binary(max_size=40), max_size=6)


def scanned(content: bytes) -> list[Record | Fault]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.tfrecord"
        path.write_bytes(content)
        return list(scan_records(path))


def test_checksums_are_those_of_the_standard() -> None:
    """The test vectors of RFC 3720, B.4."""
    for data, expected in [(bytes(32), 0x8A9136AA), (b"\xff" * 32, 0x62A8AB43), (bytes(range(32)), 0x46DD794E)]:
        turned = (masked_crc32c(data) - 0xA282EAD8) % (1 << 32)
        assert (turned << 15 | turned >> 17) % (1 << 32) == expected


@pytest.mark.real_data
def test_a_file_of_waymo_has_the_same_checksums(real_data) -> None:
    path = real_data("waymo") / "perception_one_frame.tfrecord"
    (found,) = scan_records(path)
    assert isinstance(found, Record)
    assert found.data == real_frame(path)
    assert struct.pack("<I", found.checksum) == path.read_bytes()[-4:]


@given(contents)
def test_records_come_back_in_their_order(contents: list[bytes]) -> None:
    found = scanned(b"".join(map(record, contents)))
    if not contents:
        assert found == [Fault(0, "holds no records: it is empty")]
        return
    assert [one.data for one in found if isinstance(one, Record)] == contents
    starts = [sum(len(record(before)) for before in contents[:n]) for n in range(len(contents))]
    assert [one.offset for one in found] == starts


@given(contents, st.data())
def test_a_record_is_read_at_its_offset_again(contents: list[bytes], data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.tfrecord"
        path.write_bytes(b"".join(map(record, [*contents, b"last"])))
        found = data.draw(st.sampled_from(list(scan_records(path))))
        assert read_record(path, found.offset) == found


@given(st.lists(st.binary(min_size=1, max_size=40), min_size=1, max_size=5), st.data())
def test_a_bit_that_is_turned_over_is_noticed_wherever_it_is(contents: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(map(record, contents))
    bit = data.draw(st.integers(0, 8 * len(whole) - 1))
    damaged = bytearray(whole)
    damaged[bit // 8] ^= 1 << bit % 8
    found = scanned(bytes(damaged))
    assert [one for one in found if isinstance(one, Fault)]
    sound = [one.data for one in found if isinstance(one, Record)]
    hit = next(n for n in range(len(contents)) if sum(map(len, map(record, contents[: n + 1]))) > bit // 8)
    within = bit // 8 - sum(map(len, map(record, contents[:hit])))
    assert sound == (contents[:hit] if within < 12 else contents[:hit] + contents[hit + 1 :])


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=5), st.data())
def test_a_file_cut_off_anywhere_gives_its_whole_records(contents: list[bytes], data: st.DataObject) -> None:
    whole = b"".join(map(record, contents))
    length = data.draw(st.integers(1, len(whole)))
    found = scanned(whole[:length])
    ends = [sum(len(record(one)) for one in contents[: n + 1]) for n in range(len(contents))]
    complete = sum(end <= length for end in ends)
    assert [one.data for one in found if isinstance(one, Record)] == contents[:complete]
    cut = [one.reason for one in found if isinstance(one, Fault)]
    assert cut == ([] if length in ends else ["ends in the middle of a record"])


@given(st.binary(min_size=12, max_size=400))
def test_garbage_is_no_tfrecord_file(content: bytes) -> None:
    (fault,) = scanned(b"garbage!" + b"....".replace(checksum(b"garbage!"), b",,,,") + content)
    assert fault == Fault(0, "is no TFRecord file: the checksum of its first record's length is wrong")


@pytest.mark.parametrize("length", [10**6, 2**62, 2**64 - 1])
def test_a_length_beyond_the_file_is_not_believed(length: int) -> None:
    head = struct.pack("<Q", length)
    assert scanned(record(b"a") + head + checksum(head) + b"b") == [
        Record(0, b"a", masked_crc32c(b"a")),
        Fault(17, "ends in the middle of a record"),
    ]


def test_reading_goes_on_after_false_data_and_ends_at_a_false_length() -> None:
    found = scanned(broken(record(b"first one")) + record(b"second") + b"\x01" + record(b"third"))
    assert [getattr(one, "reason", None) or one.data for one in found] == [
        FALSE_DATA,
        b"second",
        "cannot be read from here on: the checksum of a record's length is wrong",
    ]


def test_a_record_that_is_damaged_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tfrecord"
    path.write_bytes(record(b"a") + broken(record(b"other data")))
    with pytest.raises(InputError, match=r"a\.tfrecord, byte 17: the checksum of a record's data is wrong\. Fetch"):
        read_record(path, 17)
    with pytest.raises(InputError, match="byte 1000: ends in the middle of a record"):
        read_record(path, 1000)


def test_a_file_that_cannot_be_opened_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"none\.tfrecord: cannot be read \(No such file"):
        list(scan_records(tmp_path / "none.tfrecord"))
    with pytest.raises(InputError, match="cannot be read"):
        read_record(tmp_path, 0)


def test_without_its_packages_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "crc32c", None)
    with pytest.raises(InputError, match=r"pip install 'probe4d\[waymo\]'"):
        scanned(record(b"a"))
