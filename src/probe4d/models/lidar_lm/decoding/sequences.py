"""What rows of a batch are made of: tokens and feature rows as numbers, and the beginnings that rows share.

A sequence is an int64 array. Numbers below the vocabulary's size are tokens; number `size + n` is the n-th projected
feature row. So a shuffled sequence is a permutation of numbers, and what two sequences share is plain to see.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Numbers", "SharedRun", "parts_alike", "shared_length", "shared_runs"]

Numbers = NDArray[np.int64]


class SharedRun(NamedTuple):
    """Neighbouring sequences that begin alike.

    Attributes:
        start: First of them.
        stop: The one after the last.
        length: How many numbers they share.
    """

    start: int
    stop: int
    length: int


def shared_length(sequences: Sequence[Numbers]) -> int:
    """Count the numbers that all sequences begin with, leaving each at least one of its own."""
    shortest = min(len(sequence) for sequence in sequences) - 1
    beginnings = np.stack([sequence[:shortest] for sequence in sequences])
    differs = (beginnings != beginnings[0]).any(axis=0)
    return int(differs.argmax()) if differs.any() else shortest


def shared_runs(sequences: Sequence[Numbers], scenes: Sequence[bytes | None], beyond: int) -> list[SharedRun]:
    """Find what neighbours of one scene share beyond a number that all sequences do.

    Args:
        sequences: The sequences.
        scenes: Names the feature rows of each; those of a scene are neighbours. Those of scene null share nothing.
        beyond: Length that all sequences share anyhow.

    Returns:
        Runs of two sequences or more whose `length` lies above `beyond`.
    """
    borders = [0, *(place for place in range(1, len(scenes)) if scenes[place] != scenes[place - 1]), len(scenes)]
    runs = [
        SharedRun(start, stop, shared_length(sequences[start:stop]))
        for start, stop in pairwise(borders)
        if stop - start > 1 and scenes[start] is not None
    ]
    return [run for run in runs if run.length > beyond]


def parts_alike(lengths: Sequence[int], most: int) -> list[tuple[int, int]]:
    """Cut rows into neighbours of about one length, so that attention, which lays them side by side, wastes little.

    Args:
        lengths: Numbers of each row.
        most: Most numbers of a part of two rows or more, if all were as long as its longest. A part is cut for a row
            that is over half as long again as another only where it has an eighth as many, since each costs a call.

    Returns:
        First row of each part, and the one after its last.
    """
    parts = []
    start, shortest, longest = 0, lengths[0], lengths[0]
    for row, length in enumerate(lengths):
        taken = (row - start) * longest
        shortest, longest = min(shortest, length), max(longest, length)
        is_unlike = 2 * longest > 3 * shortest and 8 * taken >= most
        if row > start and (is_unlike or longest * (row + 1 - start) > most):
            parts.append((start, row))
            start, shortest, longest = row, length, length
    return [*parts, (start, len(lengths))]
