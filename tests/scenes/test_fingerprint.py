from __future__ import annotations

import polars as pl
import pytest

from probe4d.scenes.fingerprint import fingerprint_of

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
    assert fingerprint_of({"table": other}) != fingerprint_of({"table": TABLE})


def test_what_is_equal_has_the_same() -> None:
    first = fingerprint_of({"table": TABLE, "other": TABLE})
    assert first == fingerprint_of({"other": TABLE, "table": pl.concat([TABLE.head(2), TABLE.tail(2)])})
    assert first == fingerprint_of({"table": changed("number", [1.0, None, -0.0, -2.5]), "other": TABLE})
    assert len(first) == 64
    assert first != fingerprint_of({"table": TABLE})
