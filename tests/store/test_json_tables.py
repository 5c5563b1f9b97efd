"""Reading JSON tables a block at a time gives what reading them whole gives, and broken ones are named."""

from __future__ import annotations

import json
import os
import time
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.errors import InputError
from probe4d.store import json_tables
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
    found = [row for some in read_table(path, Row, block_bytes=block_bytes) for row in some]
    assert found == [Row(row["token"], row["numbers"]) for row in rows]


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


@pytest.mark.parametrize("block_bytes", [1, 7, 64, 1 << 18])
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
        (b'[{"token": "a"}, {"token": "b\xff"}]', r"no valid JSON near byte 29 \(not UTF-8\)"),
        (b'[{"token": "a"}}, {"token": "b"}]', "no valid JSON near byte 15"),
        (b'[{"token": "a"}, ' + b'{"a":[' * 9999 + b"]}" * 9999 + b"]", "too many brackets"),
        (b'[{"token": "a"}] more', "cut off"),
    ],
)
def test_broken_json(tmp_path: Path, content: bytes, message: str, block_bytes: int) -> None:
    path = tmp_path / "table.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read(path, block_bytes)


def test_the_token_of_a_bad_row_is_left_out_where_the_rest_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    path.write_bytes(b'[{"token": 1}, {"token": "a", "more": "\xff"}]')
    with pytest.raises(InputError, match=r"row 1: is wrong in field 'token'"):
        read(path)


@pytest.mark.parametrize("filling", ['"a text"', "[1,2],", '{"a":1},{"b":2},', '"},{",', "\\"], ids=repr)
def test_a_long_row_costs_time_in_proportion(tmp_path: Path, filling: str) -> None:
    def seconds(size: int) -> float:
        inner = json.dumps(filling * (size // len(filling))) if filling[-1] != "," else None
        more = inner or f"[{(filling * (size // len(filling)))[:-1]}]"
        path = tmp_path / "table.json"
        path.write_text(f'[{{"token": "a"}}, {{"token": "b", "more": {more}}}, {{"token": "c"}}]')
        start = time.process_time()
        assert [row.token for row in read(path, 1 << 12)] == ["a", "b", "c"]
        return time.process_time() - start

    seconds(1 << 16)
    # 16 times the size; where each block looked through all before it, it was 250 times the time.
    assert seconds(1 << 21) < 60 * max(0.01, seconds(1 << 17))


def test_a_row_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_tables, "LONGEST_ROW_BYTES", 1 << 20)
    path = tmp_path / "table.json"
    row = json.dumps({"token": "b", "more": [0] * 1_000_000})
    path.write_text(f'[{{"token": "a"}}, {row}, {{"token": "c"}}]')
    with pytest.raises(InputError, match=r"table\.json, row 2: does not end within 1 MiB from byte 17"):
        read(path)


@pytest.mark.parametrize("change", ["grown", "touched"])
def test_a_file_that_changes_while_it_is_read(tmp_path: Path, change: str) -> None:
    path = tmp_path / "table.json"
    path.write_text(json.dumps([{"token": str(number)} for number in range(100)]))
    blocks = read_table(path, Row, block_bytes=64)
    next(blocks)
    if change == "grown":
        with open(path, "a") as file:
            file.write(" ")
    else:
        os.utime(path, ns=(1, 1))
    with pytest.raises(InputError, match=r"table\.json: changed while it was read"):
        list(blocks)


def test_a_file_that_is_replaced_while_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    content = json.dumps([{"token": str(number)} for number in range(100)]).encode()
    path.write_bytes(content)
    blocks = read_table(path, Row, block_bytes=64)
    first = next(blocks)
    (tmp_path / "other").write_text("[]")
    (tmp_path / "other").replace(path)
    assert [row.token for row in first + [row for rows in blocks for row in rows]] == [str(n) for n in range(100)]


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
