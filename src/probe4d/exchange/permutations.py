"""The frame permutations of temporal-shuffle contrastive decoding (LiDAR-Hallu, Sec. IV), from their seeds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

__all__ = ["permutation_fault", "seeded_permutation"]


@lru_cache(maxsize=16_384)
def seeded_permutation(seed: int, length: int) -> tuple[int, ...]:
    """Order of `length` frames that torch's CPU generator draws for a seed: row j shows frame `result[j]`.

    `torch.randperm` for short lengths is a forward Fisher-Yates shuffle over the 32-bit outputs of MT19937
    seeded by `init_genrand`, which numpy's legacy `RandomState` seeds likewise.
    """
    order = list(range(length))
    outputs = np.random.RandomState(seed).randint(0, 2**32, size=max(length - 1, 0), dtype=np.uint32).tolist()
    for position, output in enumerate(outputs):
        other = position + output % (length - position)
        order[position], order[other] = order[other], order[position]
    return tuple(order)


def permutation_fault(recorded: Sequence[int], *, seed: int, length: int) -> str | None:
    """Say what is wrong with a recorded permutation of a scene's frames; null if nothing is.

    Args:
        recorded: The permutation as recorded.
        seed: Its seed as recorded.
        length: Number of key frames of the scene.
    """
    if len(recorded) != length:
        return f"the permutation has {len(recorded)} frames, the scene has {length}"
    if sorted(recorded) != list(range(length)):
        return f"the permutation does not hold each of 0 to {length - 1} once"
    if tuple(recorded) != seeded_permutation(seed, length):
        return f"the permutation is not the one that seed {seed} gives"
    return None
