"""What a step of training takes, its learning rate and its random numbers: all functions of seed and step."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from probe4d.models.lidar_lm.training.options import TrainingOptions
from probe4d.store.hashing import digest

__all__ = ["EpochOrder", "seed_of", "warmed_up"]


def seed_of(*key: object) -> int:
    """A seed for one purpose, 63 bits, which no other purpose has."""
    return int(digest(list(key))[:16], 16) >> 1


class EpochOrder:
    """Which items each step takes.

    Every epoch goes through all items once, in an order of its own; its last step may be smaller than the others.

    Args:
        items: Number of items, at least 1.
        a_step: Items of a full step.
        epochs: Number of epochs.
        seed: Seed of the orders.
        purpose: What is ordered: another purpose has other orders.

    Attributes:
        steps: Number of steps.
    """

    def __init__(self, items: int, a_step: int, *, epochs: int, seed: int, purpose: str) -> None:
        self._items, self._a_step, self._key = items, a_step, (seed, purpose)
        self._steps_an_epoch = math.ceil(items / a_step)
        self.steps = epochs * self._steps_an_epoch

    def items_of(self, step: int) -> list[int]:
        """Indices of the items of a step, from 1."""
        epoch, place = divmod(step - 1, self._steps_an_epoch)
        order = _permutation(self._items, *self._key, epoch)
        indices: list[int] = order[place * self._a_step : (place + 1) * self._a_step].tolist()
        return indices

    def epoch_after(self, step: int) -> float:
        """How often all items have been gone through after a step, from 1."""
        epoch, place = divmod(step - 1, self._steps_an_epoch)
        return epoch + min((place + 1) * self._a_step, self._items) / self._items


def warmed_up(step: int, steps: int, options: TrainingOptions) -> float:
    """The learning rate of a step, from 1: a straight rise, then half a cosine towards 0 or always the same.

    As `get_cosine_schedule_with_warmup` of transformers has it, but for the rise: there the first step has the rate 0
    and changes nothing.
    """
    warmup = math.ceil(options.warmup_ratio * steps)
    before = step - 1
    if before < warmup:
        return options.learning_rate * step / (warmup + 1)
    if options.schedule == "constant":
        return options.learning_rate
    share = (before - warmup) / max(1, steps - warmup)
    return options.learning_rate * (1 + math.cos(math.pi * share)) / 2


@lru_cache(maxsize=2)
def _permutation(items: int, seed: int, purpose: str, epoch: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed_of(seed, purpose, epoch)).permutation(items)
