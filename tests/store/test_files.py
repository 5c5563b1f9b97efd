"""Whole-file writes, paths from data, logs that survive a kill, digests."""

from __future__ import annotations

import errno
import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError, RunError
from probe4d.store.files import inside, whole_file, write_bytes, write_error, write_text
from probe4d.store.hashing import canonical_json, digest
from probe4d.store.logs import LogTail, append_lines, read_lines


def test_whole_file_appears_complete(tmp_path: Path) -> None:
    path = tmp_path / "new" / "file.txt"
    with whole_file(path) as temporary:
        temporary.write_text("whole")
        assert not path.exists()
    assert path.read_text() == "whole"
    assert [entry.name for entry in path.parent.iterdir()] == ["file.txt"]


def test_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    write_text(path, "old")
    with pytest.raises(ZeroDivisionError), whole_file(path) as temporary:
        temporary.write_text(str(1 / 0))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_text_is_utf8_with_line_feeds_and_readable_by_all_that_the_umask_allows(tmp_path: Path) -> None:
    path = tmp_path / "file.txt"
    before = os.umask(0o022)
    try:
        write_text(path, "é\n")
    finally:
        os.umask(before)
    assert path.read_bytes() == b"\xc3\xa9\n"
    assert path.stat().st_mode & 0o777 == 0o644


def test_unwritable_place_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"file/below: cannot be written"):
        write_bytes(tmp_path / "file" / "below", b"")


@pytest.mark.parametrize("length", [250, 300])  # the first is too long for the name of the temporary file alone
def test_a_name_too_long_for_the_disk_is_refused(tmp_path: Path, length: int) -> None:
    with pytest.raises(InputError, match=r"is too long a name for the disk\. Give a shorter one"):
        write_bytes(tmp_path / ("x" * length), b"")
    assert list(tmp_path.iterdir()) == []


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """Let every longer write fail, as on a full disk."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


TABLE = pl.DataFrame({"number": range(100_000)})


@pytest.mark.parametrize(
    "write", [lambda path: path.write_bytes(bytes(20_000)), TABLE.write_parquet, TABLE.write_csv, TABLE.write_ipc]
)
def test_full_disk_is_named_and_leaves_the_old_file(tmp_path: Path, write: Callable[[Path], None]) -> None:
    path = tmp_path / "file"
    write_text(path, "old")
    with (
        files_of_at_most(10_000),
        pytest.raises(RunError, match=r"/file: could not be written to the end \(.*File too large.*\)\. See"),
        whole_file(path) as temporary,
    ):
        write(temporary)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    ("code", "kind"),
    [(errno.ENOSPC, RunError), (errno.EDQUOT, RunError), (errno.EROFS, InputError), (errno.EACCES, InputError)],
)
def test_a_file_that_cannot_be_made_for_lack_of_room_is_no_wrong_input(code: int, kind: type[Exception]) -> None:
    assert type(write_error(Path("a.json"), OSError(code, os.strerror(code), "a.json"))) is kind


def test_error_of_another_file_is_not_taken_for_one_of_writing(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="absent"), whole_file(tmp_path / "file") as temporary:
        temporary.write_bytes((tmp_path / "absent").read_bytes())


@pytest.mark.parametrize("killed_after_s", [0.05, 0.15, 0.3])
def test_kill_leaves_a_whole_file(tmp_path: Path, killed_after_s: float) -> None:
    path = tmp_path / "file.bin"
    write_bytes(path, b"\x00" * 200_000)
    script = f"""
from probe4d.store.files import write_bytes
print("started", flush=True)
for number in range(1_000_000):
    write_bytes({str(path)!r}, bytes([number % 256]) * 200_000)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(killed_after_s)
        process.send_signal(signal.SIGKILL)
    content = path.read_bytes()
    assert len(content) == 200_000
    assert len(set(content)) == 1


@pytest.mark.parametrize("relative", ["samples/a.jpg", "a", "x/../a", "./a"])
def test_paths_inside(tmp_path: Path, relative: str) -> None:
    assert inside(tmp_path, relative) == (tmp_path / relative).resolve()


@pytest.mark.parametrize("linked", ["samples", "samples/LIDAR_TOP"])
def test_the_folders_of_all_sensors_and_of_one_may_be_links(tmp_path: Path, linked: str) -> None:
    root, disk = tmp_path / "root", tmp_path / "disk"
    (root / linked).parent.mkdir(parents=True)
    (disk / "LIDAR_TOP").mkdir(parents=True)
    (disk / "secret").write_text("x")
    (root / linked).symlink_to(disk if linked == "samples" else disk / "LIDAR_TOP")
    assert inside(root, "samples/LIDAR_TOP/a.bin") == disk / "LIDAR_TOP" / "a.bin"
    (disk / "LIDAR_TOP" / "a.bin").symlink_to(tmp_path / "elsewhere")
    for relative in ("samples/LIDAR_TOP/../../secret", "samples/LIDAR_TOP/../../../a", "samples/LIDAR_TOP/a.bin"):
        with pytest.raises(InputError, match="leads out"):
            inside(root, relative)


LEADING_OUT = {
    "../a": None,
    "x/../../a": None,
    "samples/../../secret": None,
    "/etc/passwd": None,
    "file": "file",
    "samples": "samples",
    "samples/file": "samples/file",
    "sweeps/link": "sweeps/link",
    "sweeps/file": "sweeps/file",
    "sweeps/link/file": "sweeps/link/file",
    "sweeps/CAM/link/a": "sweeps/CAM/link",
}


@pytest.mark.parametrize("relative", LEADING_OUT)
def test_paths_that_lead_out_say_by_which_link(tmp_path: Path, relative: str) -> None:
    root, disk = tmp_path / "root", tmp_path / "disk"
    (root / "sweeps" / "CAM").mkdir(parents=True)
    disk.mkdir()
    (tmp_path / "secret").write_text("x")
    for folder in ("samples", "sweeps/link", "sweeps/CAM/link"):
        (root / folder).symlink_to(disk)
    for file in (root / "file", root / "sweeps" / "file", disk / "file"):
        file.symlink_to(tmp_path / "secret")
    link = LEADING_OUT[relative]
    what, remedy = ("", "Name files by paths inside") if link is None else (f" by the link '{link}'", "Put the file")
    if link == relative:
        what = " and is itself a link"
    with pytest.raises(InputError, match=rf"{relative}: leads out of the dataset folder{what}\. {remedy}"):
        inside(root, relative)


def test_an_absolute_path_into_the_dataset_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leads out"):
        inside(tmp_path, str(tmp_path / "samples" / "a"))


class Record(msgspec.Struct):
    number: int
    text: str = ""


def read(path: Path) -> tuple[list[int], list[LogTail]]:
    tails: list[LogTail] = []
    return [record.number for _, record in read_lines(path, Record, tails=tails)], tails


def test_log_round_trip(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_lines(path, [Record(1, "a\nb"), Record(2)])
    append_lines(path, [Record(3)])
    assert list(read_lines(path, Record)) == [(1, Record(1, "a\nb")), (2, Record(2)), (3, Record(3))]


WHOLE = b"".join(msgspec.json.encode(Record(number, "é☂" * number)) + b"\n" for number in range(4))


@given(st.integers(0, len(WHOLE)))
def test_log_cut_off_at_any_byte_loses_only_the_line_that_was_cut(
    tmp_path_factory: pytest.TempPathFactory, size: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.jsonl"
    path.write_bytes(WHOLE[:size])
    lines = WHOLE[:size].split(b"\n")
    ended_but_for_the_feed = lines[-1] != b"" and WHOLE[size : size + 1] == b"\n"
    complete = len(lines) - 1 + ended_but_for_the_feed
    numbers, tails = read(path)
    assert numbers == list(range(complete))
    assert len(tails) == (lines[-1] != b"" and not ended_but_for_the_feed)
    append_lines(path, [Record(99)])
    assert read(path) == ([*range(complete), 99], [])
    assert path.read_bytes().endswith(b"\n")


def test_bad_line_in_the_middle_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"number": 1}\n{"number": "two"}\n{"number": 3}\n')
    with pytest.raises(InputError, match=r"log\.jsonl, line 2: is no valid record"):
        read(path)


def test_half_line_is_an_error_where_nobody_takes_it(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"number": 1}\n{"num')
    with pytest.raises(InputError, match="line 2"):
        list(read_lines(path, Record))


def test_log_on_a_full_disk_keeps_its_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_lines(path, [Record(1)])
    with files_of_at_most(10_000), pytest.raises(RunError, match=r"log\.jsonl: could not be written to the end"):
        append_lines(path, [Record(2, "long" * 10_000)])
    append_lines(path, [Record(3)])
    assert read(path) == ([1, 3], [])


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"is a folder, not a file\. Name the file"):
        write_text(tmp_path, "text")
    assert list(tmp_path.iterdir()) == []


def test_log_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"cannot be written \(Is a directory\)"):
        append_lines(tmp_path, [Record(1)])


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(json_values)
def test_canonical_json_is_json_and_knows_no_order(value: object) -> None:
    assert msgspec.json.decode(canonical_json(value)) == value

    def turned(value: object) -> object:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return [turned(item) for item in value] if isinstance(value, list) else value

    assert canonical_json(turned(value)) == canonical_json(value)


def test_digest_is_that_of_the_canonical_form() -> None:
    assert canonical_json({"b": [1, "é"], "a": None}) == '{"a":null,"b":[1,"é"]}'.encode()
    assert digest({"b": 1, "a": 2}) == "d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772"


def test_a_link_to_itself_is_named(tmp_path: Path) -> None:
    (tmp_path / "samples").symlink_to("samples")
    with pytest.raises(InputError, match=r"CAM_FRONT/1\.jpg: is reached through a link that leads to itself"):
        inside(tmp_path, "samples/CAM_FRONT/1.jpg")
