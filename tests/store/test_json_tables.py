"""Reading JSON tables a block at a time gives what reading them whole gives, and broken ones are named."""

from __future__ import annotations

import hashlib
import json
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.store.json_tables import read_table


class Row(msgspec.Struct):
    token: str
    numbers: list[float | None] = []


def read(path: Path, block_bytes: int = 64) -> list[Row]:
    return [row for rows in read_table(path, Row, block_bytes=block_bytes) for row in rows]


texts = st.text(st.sampled_from('{}[],:"\\\n ab☂'), max_size=20)
nested = st.recursive(texts, lambda some: st.lists(some) | st.dictionaries(texts, some), max_leaves=4)
rows_of_a_table = st.lists(
    st.fixed_dictionaries(
        {"token": texts, "numbers": st.lists(st.floats(-9, 9), max_size=3)},
        optional={
            "more": st.recursive(texts, lambda some: st.lists(some) | st.dictionaries(texts, some), max_leaves=4)
        },
    ),
    max_size=12,
)


@given(
    rows_of_a_table,
    st.integers(1, 200),
    st.sampled_from([{}, {"indent": 1}, {"separators": (",", ":")}, {"ensure_ascii": False}]),
    st.sampled_from([b"", b"\xef\xbb\xbf", b" \n\t"]),
)
def test_any_array_in_any_blocks(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict], block_bytes: int, options: dict, start: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "table.json"
    path.write_bytes(start + json.dumps(rows, **options).encode() + b"\n")
    digest = hashlib.sha256()
    found = [row for some in read_table(path, Row, digest=digest, block_bytes=block_bytes) for row in some]
    assert found == [Row(row["token"], row["numbers"]) for row in rows]
    assert digest.digest() == hashlib.sha256(path.read_bytes()).digest()


@given(st.integers(0, 400), st.integers(1, 100))
def test_cut_off_anywhere(tmp_path_factory: pytest.TempPathFactory, size: int, block_bytes: int) -> None:
    path = tmp_path_factory.getbasetemp() / "cut.json"
    whole = json.dumps([{"token": '},{"' + str(number), "numbers": [number]} for number in range(20)]).encode()
    path.write_bytes(whole[:size])
    with pytest.raises(InputError, match=r"cut\.json: (ends at byte|is empty)"):
        read(path, block_bytes)


def test_bad_row_is_named_by_number_and_token(tmp_path: Path) -> None:
    rows = [{"token": f"t{number}", "numbers": [1]} for number in range(30)]
    rows[17]["numbers"] = [1, "two"]
    path = tmp_path / "table.json"
    path.write_text(json.dumps(rows))
    with pytest.raises(InputError, match=r"table\.json, row 18 \(token t17\): is wrong in field 'numbers\[1\]'"):
        read(path)
    rows[17] = {"numbers": []}
    path.write_text(json.dumps(rows))
    with pytest.raises(InputError, match=r"row 18: is wrong: .*missing required field `token`"):
        read(path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"   ", "is empty"),
        (b'{"token": "a"}', r"does not start a JSON array with '\['"),
        (b"[1, 2]", "row 1: is wrong: Expected `object`, got `int`"),
        (b'[{"token": "a"}, {"token": "b"},]', "no valid JSON near byte 32"),
        (b'[{"token": "a"} {"token": "b"}]', "no valid JSON near byte 16"),
        (b'[{"token": "a"}, {token: "b"}]', "no valid JSON near byte 18"),
        (b'[{"token": "a\xff"}]', "no valid JSON|cut off"),
        (b'[{"token": "a"}] more', "cut off"),
    ],
)
def test_broken_json(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "table.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(path)


def test_not_a_number_is_null_outside_strings(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text('[{"token": "NaN, -Infinity", "numbers": [NaN, -Infinity, Infinity, 1]}, {"token": "a"}]')
    assert read(path) == [Row("NaN, -Infinity", [None, None, None, 1.0]), Row("a")]


def test_absent_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"absent\.json: cannot be read \(No such file"):
        read(tmp_path / "absent.json")


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps([{"token": "t" * 32, "numbers": [1.0] * 8} for _ in range(60_000)]))
    tracemalloc.start()
    try:
        count = sum(len(rows) for rows in read_table(path, Row, block_bytes=1 << 14))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert count == 60_000
    assert peak < path.stat().st_size / 4
