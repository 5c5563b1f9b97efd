"""What a run asks and how it is asked, said once for asking, for a look without asking, and for exports."""

from __future__ import annotations

from typing import Any

import msgspec

from probe4d.errors import InputError
from probe4d.models.generation import Generation
from probe4d.models.lidar_lm.answering_options import LidarOptions, is_lidar_lm
from probe4d.models.request import Model
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.selection import Selection

__all__ = ["Course", "RunPlan"]

_USUAL = 10
_USUAL_OF_LIDAR_LM = 64
"""Requests at once; those of a LiDAR language model are decoded together, and share what they begin with."""


class RunPlan(msgspec.Struct, frozen=True, kw_only=True):
    """All that decides answers beside the benchmark and the model, so that one plan can be put to several models.

    Attributes:
        setting: Name of a setting, such as `default` or `permuted:4` (see `probe4d.runs.settings`).
        evidence: What is shown with each question.
        selection: Which questions; null asks all.
        generation: Generation options.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
        preset: Name of the preset that options came from, for the record.
        lidar: How a LiDAR language model is asked; of no account for other models.
    """

    setting: str = "default"
    evidence: EvidencePlan = EvidencePlan()
    selection: Selection | None = None
    generation: Generation = Generation()
    base_url: str | None = None
    arguments: dict[str, Any] = {}
    preset: str | None = None
    lidar: LidarOptions = LidarOptions()


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
