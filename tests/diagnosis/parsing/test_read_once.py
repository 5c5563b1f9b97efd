"""Each distinct reply is read once, and every row gets what was read of it."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from probe4d.diagnosis.parsing.once import REPLY, read_once, readings

SCHEMA = {"run": pl.Int64(), "part": pl.String(), "finish_reason": pl.String(), "error": pl.String()}
SAID = st.sampled_from([None, "", "3", "4 m"])
ROWS = st.lists(st.tuples(st.integers(0, 3), SAID, st.sampled_from([None, "stop", "length"]), SAID), max_size=30)


@given(ROWS)
def test_every_row_gets_what_is_read_of_it_alone(rows: list[tuple[int, str | None, str | None, str | None]]) -> None:
    given_rows = pl.DataFrame(rows, schema=SCHEMA, orient="row").with_columns(words=pl.col("part").str.split(" "))
    seen: list[tuple[str | None, ...]] = []

    def read(replies: pl.DataFrame) -> pl.DataFrame:
        assert replies["words"].equals(replies["part"].str.split(" "))
        seen.extend(replies.select(REPLY).iter_rows())
        return replies.select(said=pl.format("{}|{}|{}", *(pl.col(name).fill_null("-") for name in REPLY)))

    found = read_once(given_rows, REPLY, read, lists=["words"])
    assert found.drop("said").equals(given_rows)
    assert found["said"].to_list() == ["|".join("-" if one is None else one for one in row[1:]) for row in rows]
    assert len(seen) == len({row[1:] for row in rows})


def test_neither_text_nor_error_is_a_missing_reply() -> None:
    replies = pl.DataFrame(
        [(None, None, None, 5), (None, None, "", 5), (None, None, "timeout", 6), ("", "stop", None, 7)],
        schema={"part": pl.String(), "finish_reason": pl.String(), "error": pl.String(), "steps": pl.Int64()},
        orient="row",
    )

    def parse(text: str, *, finish_reason: str | None, error: str | None, count: int) -> str:
        return f"{text!r} {finish_reason} {error} {count}"

    read = readings(replies, parse, missing="missing", count="steps")
    assert read == ["missing", "missing", "'' None timeout 6", "'' stop None 7"]
