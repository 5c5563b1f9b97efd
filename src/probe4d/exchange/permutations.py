"""The frame permutations that are recorded with answers of temporal-shuffle contrastive decoding (LiDAR-Hallu)."""

from __future__ import annotations

from collections.abc import Sequence

from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order

__all__ = ["permutation_fault"]


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
    if tuple(recorded) != shuffled_order(length, seed):
        return f"the permutation is not the one that seed {seed} gives"
    return None
