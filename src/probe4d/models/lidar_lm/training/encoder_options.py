"""How a LiDAR encoder is trained."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from probe4d.errors import InputError

__all__ = ["EncoderTraining"]


class EncoderTraining(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How an encoder is trained; the defaults are those of B4DL's release.

    The optimizer is Adam, whose learning rate and first moment go through one cycle.

    Attributes:
        epochs: How often every key frame is seen.
        batch: Key frames a step, each with all its cameras: 21 of six cameras are 126 of the 128 pairs of the release.
        learning_rate: Its peak.
        warmup_ratio: Share of the steps over which the learning rate rises.
        precision: fp32, or bf16 for matrix products.
        seed: Of the order of key frames.
        checkpoint_every: Steps; a training that was killed goes on from the last checkpoint.
    """

    epochs: int = 20
    batch: int = 21
    learning_rate: float = 1e-3
    warmup_ratio: float = 0.1
    precision: Literal["fp32", "bf16"] = "fp32"
    seed: int = 42
    checkpoint_every: int = 250

    def __post_init__(self) -> None:
        for name in ("epochs", "batch", "checkpoint_every"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} of a training must be at least 1, not {getattr(self, name)}.")
        if not (math.isfinite(self.learning_rate) and self.learning_rate > 0):
            raise InputError(f"the learning rate of a training must be positive, not {self.learning_rate}.")
        if not 0 <= self.warmup_ratio < 1:
            raise InputError(f"the learning rate rises over a share of the steps below 1, not {self.warmup_ratio}.")
