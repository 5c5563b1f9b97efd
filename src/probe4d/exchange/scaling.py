"""Parts of training data, each inside the larger ones (B4DL, App. E)."""

from __future__ import annotations

import polars as pl

from probe4d.errors import InputError
from probe4d.runs.selection import Selection, selected

__all__ = ["scaled", "scaled_size"]


def scaled_size(rows: int, percent: float) -> int:
    """How many of some rows a scale is, at least one.

    Raises:
        InputError: The scale is not above 0 and at most 100 per cent.
    """
    if not 0 < percent <= 100:
        raise InputError(f"the scale is {percent:g} %; it must be above 0 and at most 100.")
    return max(1, round(rows * percent / 100))


def scaled(keys: pl.DataFrame, percent: float, *, seed: int) -> list[bool]:
    """Which rows a scale keeps: of each task its share, of those the ones of lowest rank.

    A smaller scale of the same seed lies inside a larger one, and neither depends on the order of the rows.

    Args:
        keys: `id`, a key that no other row has, and `family` and `format`, its task.
        percent: The scale.
        seed: Seed of the draw.

    Raises:
        InputError: There is no such scale.
    """
    kept = selected(keys, Selection(sample=scaled_size(keys.height, percent), seed=seed))
    return keys["id"].is_in(kept["id"].implode()).to_list()
