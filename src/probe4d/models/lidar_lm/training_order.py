"""Which rows a step of training takes, its learning rate and its random numbers: all functions of seed and step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from probe4d.models.lidar_lm.training_options import TrainingOptions
from probe4d.store.hashing import digest

__all__ = ["TrainingOrder", "seed_of"]


def seed_of(*key: object) -> int:
    """A seed for one purpose, 63 bits, which no other purpose has."""
    return int(digest(list(key))[:16], 16) >> 1


class TrainingOrder:
    """The course of a training.

    Every epoch goes through all rows once, in an order of its own; its last step may be smaller than the others. A
    step has the same rows however many devices share it, as long as they take as many together.

    Args:
        rows: Number of rows, at least 1.
        options: Epochs, sizes, seed and learning rate.
        devices: Number of devices that share a step.

    Attributes:
        rows_a_step: Rows of a full step.
        steps: Number of steps.
    """

    def __init__(self, rows: int, options: TrainingOptions, *, devices: int = 1) -> None:
        self._rows = rows
        self._options = options
        self.rows_a_step = options.batch * options.accumulation * devices
        self.steps = options.epochs * self._steps_an_epoch

    @cached_property
    def _steps_an_epoch(self) -> int:
        return math.ceil(self._rows / self.rows_a_step)

    def rows_of(self, step: int) -> Sequence[int]:
        """Indices of the rows of a step, from 1."""
        epoch, place = divmod(step - 1, self._steps_an_epoch)
        start = place * self.rows_a_step
        rows: list[int] = _permutation(self._rows, self._options.seed, epoch)[start : start + self.rows_a_step].tolist()
        return rows

    def epoch_after(self, step: int) -> float:
        """How often all rows have been gone through after a step, from 1."""
        epoch, place = divmod(step - 1, self._steps_an_epoch)
        return epoch + min((place + 1) * self.rows_a_step, self._rows) / self._rows

    def learning_rate(self, step: int) -> float:
        """The learning rate of a step, from 1: a straight rise, then half a cosine towards 0 or always the same.

        As `get_cosine_schedule_with_warmup` of transformers has it, but for the rise: there the first step has the
        rate 0 and changes nothing.
        """
        options = self._options
        warmup = math.ceil(options.warmup_ratio * self.steps)
        before = step - 1
        if before < warmup:
            return options.learning_rate * step / (warmup + 1)
        if options.schedule == "constant":
            return options.learning_rate
        share = (before - warmup) / max(1, self.steps - warmup)
        return options.learning_rate * (1 + math.cos(math.pi * share)) / 2


@lru_cache(maxsize=2)
def _permutation(rows: int, seed: int, epoch: int) -> NDArray[np.int64]:
    return np.random.default_rng(seed_of(seed, "order", epoch)).permutation(rows)
