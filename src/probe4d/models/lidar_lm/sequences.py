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

__all__ = ["Numbers", "SharedRun", "shared_length", "shared_runs"]

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
