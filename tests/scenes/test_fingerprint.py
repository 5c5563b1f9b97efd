from __future__ import annotations

import polars as pl
import pytest

from probe4d.scenes.fingerprint import fingerprint_of, table_digest

TABLE = pl.DataFrame(
    {
        "text": ["a", None, "", "bc"],
        "number": [1.0, None, 0.0, -2.5],
        "count": [1, None, 0, 7],
        "list": [["x"], None, [], ["yz", "w"]],
    },
    schema_overrides={"count": pl.Int32},
)


def changed(column: str, values: list[object]) -> pl.DataFrame:
    return TABLE.with_columns(pl.Series(column, values, dtype=TABLE[column].dtype))


@pytest.mark.parametrize(
    "other",
    [
        changed("text", ["a", "", "", "bc"]),
        changed("text", ["ab", None, "", "c"]),
        changed("number", [1.0, 0.0, 0.0, -2.5]),
        changed("number", [1.0, None, 0.0, -2.5000000000000004]),
        changed("count", [1, 0, 0, 7]),
        changed("list", [["x"], [], [], ["yz", "w"]]),
        changed("list", [["x", "yz"], None, [], ["w"]]),
        changed("list", [["x"], None, [], ["y", "zw"]]),
        TABLE.rename({"text": "words"}),
        TABLE.head(3),
        TABLE[[1, 0, 2, 3]],
    ],
)
def test_what_differs_has_another_fingerprint(other: pl.DataFrame) -> None:
    assert table_digest(other) != table_digest(TABLE)


def test_what_is_equal_has_the_same() -> None:
    assert table_digest(pl.concat([TABLE.head(2), TABLE.tail(2)])) == table_digest(TABLE)
    assert table_digest(changed("number", [1.0, None, -0.0, -2.5])) == table_digest(TABLE)


def test_a_fingerprint_is_that_of_names_and_digests() -> None:
    first = fingerprint_of({"a": "1", "b": "2"})
    assert len(first) == 64
    assert first == fingerprint_of({"b": "2", "a": "1"})
    assert len({first, fingerprint_of({"a": "2", "b": "1"}), fingerprint_of({"a": "1"})}) == 3
