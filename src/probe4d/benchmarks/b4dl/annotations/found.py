"""What a rule finds: events over runs of key frames, each with what a sentence says of its subject."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.annotations.ways import Flags, Runs

__all__ = ["EVENTS", "FOUND_SCHEMA", "Event", "Place", "chosen", "found"]

Event = Literal[
    "approaches",
    "comes-nearer",
    "recedes",
    "is-left-behind",
    "keeps-distance",
    "overtakes",
    "is-passed",
    "passes",
    "crosses-left",
    "crosses-right",
    "starts",
    "stops",
    "turns-left",
    "turns-right",
    "stays",
    "drives-on",
    "reverses",
    "accelerates",
    "brakes",
]
EVENTS: tuple[str, ...] = get_args(Event)
"""Of objects; of the ego vehicle are starts, stops, turns-left, turns-right, stays and the last four."""

Place = Literal["sector", "side", "none"]
"""How a sentence says where its subject is: in one of eight sectors, to the left or right, or not."""

FOUND_SCHEMA: dict[str, pl.DataType] = {
    "row": pl.Int64(),  # of the ways
    "first": pl.Int64(),  # columns of the ways
    "last": pl.Int64(),
    "event": pl.String(),
    "predicate": pl.String(),  # what a sentence says of its subject
    "placed": pl.String(),  # one of `Place`
}


def found(runs: Runs, event: str, predicate: str | NDArray[np.str_], placed: Place) -> pl.DataFrame:
    """Events of one kind, columns of `FOUND_SCHEMA`."""
    return pl.DataFrame(
        {"row": runs.row, "first": runs.first, "last": runs.last},
        schema={name: FOUND_SCHEMA[name] for name in ("row", "first", "last")},
    ).with_columns(
        event=pl.lit(event),
        predicate=pl.lit(predicate) if isinstance(predicate, str) else pl.Series(predicate.tolist(), dtype=pl.String),
        placed=pl.lit(placed),
    )


def chosen(cases: list[tuple[Flags, str]], otherwise: str) -> NDArray[np.str_]:
    """Of each run the words of the first case that it is."""
    words: NDArray[np.str_] = np.select([case for case, _ in cases], [words for _, words in cases], otherwise)
    return words
