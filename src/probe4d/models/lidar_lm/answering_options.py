"""How a LiDAR language model is asked, as the command line and run records have it; needs no package of the extra."""

from __future__ import annotations

from typing import Literal

import msgspec

from probe4d.models.lidar_lm.layouts import Layout

__all__ = ["PREFIX", "LidarOptions", "Sampling", "is_lidar_lm"]

PREFIX = "lidar-lm:"
"""Before the folder of a checkpoint in a model's name."""

Sampling = Literal["released", "same"]
"""How an item without contrast is sampled.

`released` cuts off what is unlikely, as `generate` did in LiDAR-Hallu's default runs; `same` samples as temporal
contrast does, from everything, so that two runs differ by the contrast alone.
"""


class LidarOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What decides a LiDAR language model's answers beside the generation options.

    Attributes:
        sampling: How answers without temporal contrast are sampled.
        keep_logits: Whether the logits of an answer's first token are kept, of both branches.
        layout: A prompt layout in place of the checkpoint's own; null asks it as it was trained.
        force: Whether it is asked in another layout than its own all the same.
    """

    sampling: Sampling = "released"
    keep_logits: bool = False
    layout: Layout | None = None
    force: bool = False


def is_lidar_lm(name: str) -> bool:
    """Whether a model's name is that of a LiDAR language model's checkpoint."""
    return name.startswith(PREFIX)
