"""Draws that depend on nothing but a seed and what is drawn: candidates are ranked by a hash.

A candidate's rank does not change with the row order of the input, the hash order of the process, the
number of workers, or the other candidates; so two builds that share candidates share questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import blake2b
from typing import TypeVar

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.errors import InputError

__all__ = ["arranged", "draw", "mixed_ranks", "rank", "ranks", "refuse_wrong_seed", "unit_interval", "unit_intervals"]

Item = TypeVar("Item")

_RANK = "__rank__"

_GAMMA, _FIRST, _SECOND = np.array([0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB], dtype=np.uint64)


def refuse_wrong_seed(seed: int) -> None:
    """Refuse a seed that no build takes.

    Raises:
        InputError: It is below 0, or has more than 63 bits.
    """
    if not 0 <= seed < 1 << 63:
        raise InputError(f"the seed is {seed}; it must lie between 0 and 2**63 - 1.")


def rank(seed: int, family: str, key: str) -> int:
    """Rank of one candidate: the first 64 bits of BLAKE2b over seed, family and key, as an unsigned integer."""
    return int.from_bytes(blake2b(f"{seed}\x1f{family}\x1f{key}".encode(), digest_size=8).digest(), "big")


def ranks(keys: Iterable[str], *, seed: int, family: str) -> pl.Series:
    """Rank every key (see `rank`); a UInt64 series in the order of the keys."""
    prefix = blake2b(f"{seed}\x1f{family}\x1f".encode(), digest_size=8)
    values = []
    for key in keys:
        state = prefix.copy()
        state.update(key.encode())
        values.append(int.from_bytes(state.digest(), "big"))
    return pl.Series(values, dtype=pl.UInt64)


def unit_interval(seed: int, family: str, key: str) -> float:
    """A number in [0, 1), uniform over keys."""
    return (rank(seed, family, key) >> 11) / (1 << 53)


def mixed_ranks(family: int, *keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Ranks of what has several keys, such as pairs, from the ranks of each: columns, with no text to be hashed.

    Each part is added to the state, which then goes through the finaliser of SplitMix64 (Steele et al., 2014); the
    order of the keys counts.

    Args:
        family: Rank of the draw's name (see `rank`); draws of different names are independent.
        keys: Ranks of the parts, shape (n,) each.

    Returns:
        Shape (n,).
    """
    state = np.full(keys[0].size, family, dtype=np.uint64)
    for key in keys:
        state = (state + key) + _GAMMA
        state = (state ^ (state >> np.uint64(30))) * _FIRST
        state = (state ^ (state >> np.uint64(27))) * _SECOND
        state ^= state >> np.uint64(31)
    return state


def unit_intervals(ranks: NDArray[np.uint64]) -> NDArray[np.float64]:
    """Numbers in [0, 1), uniform over ranks, shape (n,)."""
    numbers: NDArray[np.float64] = (ranks >> np.uint64(11)) / float(1 << 53)
    return numbers


def draw(candidates: pl.DataFrame, n: int | None, *, seed: int, family: str) -> pl.DataFrame:
    """Take the `n` candidates of lowest rank, in order of rank.

    Args:
        candidates: Rows with a column `key` of distinct strings.
        n: How many; all that there are if fewer, and all if null.
        seed: Seed of the build.
        family: Name of the draw; draws of different names are independent.

    Raises:
        ValueError: A key comes twice.
    """
    repeated = candidates.filter(pl.col("key").is_duplicated())
    if repeated.height:
        raise ValueError(f"{family}: the key {repeated['key'][0]!r} comes more than once")
    ranked = candidates.with_columns(ranks(candidates["key"], seed=seed, family=family).alias(_RANK))
    ordered = ranked.sort(_RANK, "key").drop(_RANK)
    return ordered if n is None else ordered.head(n)


def arranged(items: Sequence[str], *, seed: int, family: str, key: str) -> list[str]:
    """Put distinct items into an order drawn for this key; the first n of it are a draw of n.

    Adding or removing an item leaves the order of the others as it is.
    """
    return sorted(items, key=lambda item: (rank(seed, family, f"{key}\x1f{item}"), item))
