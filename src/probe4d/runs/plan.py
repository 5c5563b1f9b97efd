"""What a run asks and how it is asked, said once for asking, for a look without asking, and for exports."""

from __future__ import annotations

from typing import Any

import msgspec

from probe4d.models.generation import Generation
from probe4d.models.lidar_lm.answering_options import LidarOptions
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.selection import Selection

__all__ = ["RunPlan"]


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
