"""What the rules of STRIDE answer in streets that a test places."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import polars as pl

from placed_streets import QUERY, Place, Thing, street
from probe4d.benchmarks.stride.rules import RULES
from probe4d.benchmarks.stride.signals import Signals, signals_of


def signals_in(things: Iterable[Thing] = (), ego: Sequence[Place] | None = None, **options: Any) -> Signals:
    return signals_of(street(things, ego, **options))


def answers(template: str, signals: Signals) -> pl.DataFrame:
    return RULES[template](signals)


def answer(template: str, signals: Signals, *, track: str | None = None, frame: int = QUERY) -> dict[str, Any] | None:
    """What a rule gives at a key frame, facts read; None where it gives nothing."""
    rows = answers(template, signals).filter((pl.col("frame") == frame) & pl.col("track").eq_missing(track))
    if rows.is_empty():
        return None
    (row,) = rows.to_dicts()
    return row | {"facts": json.loads(row["facts"])}


def text(template: str, signals: Signals, *, track: str | None = None, frame: int = QUERY) -> str | None:
    row = answer(template, signals, track=track, frame=frame)
    return None if row is None else row["answer"]
