"""The order of frames in the shuffled branch of temporal contrast (LiDAR-Hallu, Sec. V-B), from its seed."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

__all__ = ["shuffled_order"]


@lru_cache(maxsize=16_384)
def shuffled_order(frames: int, seed: int) -> tuple[int, ...]:
    """Draw the order in which torch's CPU generator, seeded so, would put that many frames; torch is not needed.

    `torch.randperm` is a forward Fisher-Yates shuffle over the 32-bit outputs of MT19937 seeded by `init_genrand`,
    which numpy's legacy `RandomState` seeds likewise. LiDAR-Hallu's seed is 42 plus the number of the question.

    Args:
        frames: Number of frames; fewer than two stay as they are.
        seed: Seed, from 0; as in torch, only its low 32 bits count.

    Returns:
        The order: place j shows frame `order[j]`.
    """
    order = list(range(frames))
    generator = np.random.RandomState(seed & 0xFFFFFFFF)
    outputs = generator.randint(0, 2**32, size=max(frames - 1, 0), dtype=np.uint32).tolist()
    for place, output in enumerate(outputs):
        other = place + output % (frames - place)
        order[place], order[other] = order[other], order[place]
    return tuple(order)
