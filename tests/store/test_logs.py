"""Logs that are appended to and survive a kill at any byte."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.store.logs import LogTail, append_lines, read_lines


class Line(msgspec.Struct, frozen=True):
    text: str
    number: int | None = None


LINES = st.lists(st.builds(Line, st.text(), st.none() | st.integers(-(2**60), 2**60)), max_size=8)


def read(path: Path) -> list[Line]:
    return [line for _, line in read_lines(path, Line, tails=[])]


@given(LINES, LINES, st.integers(min_value=0))
def test_a_log_cut_at_any_byte_keeps_whole_lines_and_goes_on(first: list[Line], then: list[Line], cut: int) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "log.jsonl"
        append_lines(path, first)
        whole = path.read_bytes()
        kept = whole[: cut % (len(whole) + 1)]
        path.write_bytes(kept)
        finished = read(path)
        assert finished == first[: len(finished)]
        assert kept.count(b"\n") <= len(finished) <= kept.count(b"\n") + 1
        append_lines(path, then)
        assert read(path) == finished + then
        assert path.read_bytes().endswith(b"\n") or not then


def test_half_a_line_is_told(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"text":"a"}\n{"text":"\xc3')
    tails: list[LogTail] = []
    assert list(read_lines(path, Line, tails=tails)) == [(1, Line("a"))]
    assert tails == [LogTail(2, '{"text":"\ufffd')]


def test_a_long_half_line_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_lines(path, [Line("a")])
    with open(path, "ab") as file:
        file.write(b'{"text":"' + b"x" * 200_000)
    append_lines(path, [Line("b")])
    assert read(path) == [Line("a"), Line("b")]


@pytest.mark.parametrize("damage", [b"{", b"[]", b'{"text":3}', b"\xff\xfe", b'{"text":"a"}{"text":"b"}', b"\0\0\0"])
def test_a_damaged_line_is_refused_by_its_number(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"text":"a"}\n' + damage + b'\n{"text":"b"}\n')
    with pytest.raises(InputError, match=r"log\.jsonl, line 2: is no valid record"):
        read(path)


def test_a_disk_that_fills_up_keeps_what_is_whole(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; it is set in a process of its own."""
    path = tmp_path / "log.jsonl"
    code = (
        "import sys, resource; from pathlib import Path\n"
        "from probe4d.errors import RunError\n"
        "from probe4d.store.logs import append_lines\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))\n"
        "try:\n    for number in range(100): append_lines(Path(sys.argv[1]), [{'text': 'x' * 90, 'number': number}])\n"
        "except RunError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, timeout=60)
    assert done.stdout == f"{path}: could not be written to the end (File too large). See that the disk has room.\n"
    assert 800 < path.stat().st_size <= 1000
    kept = read(path)
    assert [line.number for line in kept] == list(range(len(kept)))
    append_lines(path, [Line("more")])
    assert read(path) == [*kept, Line("more")]
