"""How fast a job that asks a model goes on, and how much it bears."""

from __future__ import annotations

import msgspec

from probe4d.errors import InputError
from probe4d.models.lidar_lm.answering_options import is_lidar_lm
from probe4d.models.request import Model

__all__ = ["Course"]

_USUAL = 10
_USUAL_OF_LIDAR_LM = 64
"""Requests at once; those of a LiDAR language model are decoded together, and share what they begin with."""


class Course(msgspec.Struct, frozen=True, kw_only=True):
    """How fast a run goes on and how much it bears: what may change from one call to the next that continues it.

    Attributes:
        max_connections: Most requests under way at once; in `hf/` the size of a batch. Null takes the usual number of
            the model; one that is no name but an object has its own in any case.
        max_retries: Repetitions of a request after passing faults.
        timeout_s: Longest time for one request with its repetitions, seconds.
        workers: Threads that render pictures; null takes one for each processor.

    Raises:
        InputError: A number is too small.
    """

    max_connections: int | None = None
    max_retries: int = 5
    timeout_s: int = 600
    workers: int | None = None

    def __post_init__(self) -> None:
        """Refuse numbers with which nothing could be asked."""
        for name, least in (("max_connections", 1), ("max_retries", 0), ("timeout_s", 1), ("workers", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name} must be at least {least}, not {value}.")

    def connections(self, model: str | Model) -> int:
        """Most requests under way at once with a model, which is given or named."""
        if not isinstance(model, str):
            return model.max_connections
        return self.max_connections or (_USUAL_OF_LIDAR_LM if is_lidar_lm(model) else _USUAL)
