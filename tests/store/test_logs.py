"""Damage in logs, beyond the cuts and full disks of test_files.py."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from probe4d.errors import InputError
from probe4d.store.logs import LogTail, append_lines, read_lines


class Line(msgspec.Struct, frozen=True):
    text: str
    number: int | None = None


def read(path: Path) -> list[Line]:
    return [line for _, line in read_lines(path, Line, tails=[])]


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


@pytest.mark.parametrize(
    "damage",
    [b"{", b"[]", b'{"text":3}', b"\xff\xfe", b'{"text":"a"}{"text":"b"}', b"\0\0\0", b'{"deep":' + b"[" * 100_000],
)
def test_a_damaged_line_is_refused_by_its_number(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"text":"a"}\n' + damage + b'\n{"text":"b"}\n')
    with pytest.raises(InputError, match=r"log\.jsonl, line 2: is no valid record"):
        read(path)


def test_half_a_line_of_brackets_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    append_lines(path, [Line("a")])
    with open(path, "ab") as file:
        file.write(b'{"deep":' + b"[" * 100_000)
    assert read(path) == [Line("a")]
    append_lines(path, [Line("b")])
    assert read(path) == [Line("a"), Line("b")]
