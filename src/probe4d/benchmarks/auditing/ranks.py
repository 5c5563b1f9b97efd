"""The ranks that builds draw by, computed from their definition; nothing is shared with the sampling of builds.

A rank is the first 64 bits of BLAKE2b over seed, name of the draw and key, separated by the unit separator. Ranks of
several keys are mixed: each in turn is added to the state, the first of which is the rank of the draw itself, and the
state goes through the generator SplitMix64 (Steele et al., 2014).
"""

from __future__ import annotations

import hashlib

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ranks", "mixed", "rank", "unit_interval"]

Ranks = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_ROUNDS = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB), (31, 1))
"""How far each round of SplitMix64 shifts, and what it multiplies by."""


def rank(seed: int, *parts: str) -> int:
    """Rank of a key.

    Args:
        seed: Seed of the build.
        parts: Name of the draw, then the parts of the key.
    """
    text = "\x1f".join((str(seed), *parts))
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


def mixed(draw: int, *keys: Ranks) -> Ranks:
    """Ranks of what several keys name together.

    Args:
        draw: Rank of the draw's name with an empty key.
        keys: Ranks of the keys, of shapes that broadcast.
    """
    state: Ranks = np.array(draw, dtype=np.uint64)
    with np.errstate(over="ignore"):  # all sums and products are of 64 bits
        for key in keys:
            state = state + key + _STEP
            for shift, factor in _ROUNDS:
                state = (state ^ (state >> np.uint64(shift))) * np.uint64(factor)
    return state


def unit_interval(ranks: Ranks) -> NDArray[np.float64]:
    """Numbers in [0, 1): the first 53 bits of ranks."""
    numbers: NDArray[np.float64] = (ranks >> np.uint64(11)).astype(np.float64) * 2.0**-53
    return numbers
