"""How a LiDAR language model is asked, as the command line and run records have it; needs no package of the extra."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import msgspec

from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.generation import Generation
from probe4d.models.lidar_lm.layouts import Layout

__all__ = [
    "PREFIX",
    "LidarArguments",
    "LidarOptions",
    "Sampling",
    "is_lidar_lm",
    "refuse_foreign",
    "refuse_other_layout",
]

PREFIX = "lidar-lm:"
"""Before the folder of a checkpoint in a model's name."""

Sampling = Literal["released", "same"]
"""How tokens are drawn.

`released` cuts off what is unlikely, as `generate` did in LiDAR-Hallu's default runs; `same` samples as temporal
contrast does, from everything, so that two runs differ by the contrast alone.
"""


_NOT_TAKEN = ("reasoning_effort", "image_detail", "extra_body", "system")
"""Generation options that mean nothing to a LiDAR language model."""


class LidarOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What decides a LiDAR language model's answers beside the generation options.

    Attributes:
        sampling: How tokens are drawn; null draws as `released`, and with temporal contrast as `same`.
        keep_logits: Whether the logits of an answer's first token are kept, of both branches.
        layout: A prompt layout in place of the checkpoint's own; null asks it as it was trained.
        force: Whether it is asked in another layout than its own all the same.
    """

    sampling: Sampling | None = None
    keep_logits: bool = False
    layout: Layout | None = None
    force: bool = False


class LidarArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a LiDAR language model is opened with, as other models are with arguments of their provider's own.

    Attributes:
        base: Folder of the language model that the checkpoint was made of, where it is no longer where it was.
        device: Where it runs, as torch has it; null takes an accelerator where there is one.
        ego_text: Which text about the ego vehicle a checkpoint of the released layout was trained with, which it does
            not say; null takes it from the folder's name.
    """

    base: str | None = None
    device: str | None = None
    ego_text: EgoText | None = None


def is_lidar_lm(name: str) -> bool:
    """Whether a model's name is that of a LiDAR language model's checkpoint."""
    return name.startswith(PREFIX)


def refuse_foreign(generation: Generation) -> None:
    """Refuse generation options that mean nothing to a LiDAR language model.

    Raises:
        InputError: One of them is given.
    """
    for option in _NOT_TAKEN:
        if getattr(generation, option):
            raise InputError(
                f"a LiDAR language model takes no {option} (--{option.replace('_', '-')}).", remedy="Leave it out."
            )


def refuse_other_layout(trained: Layout, options: LidarOptions, checkpoint: Path) -> None:
    """Refuse another prompt layout than that of the training, unless it is meant.

    Raises:
        InputError: Another is given, and nothing says that it is meant.
    """
    if options.layout not in (None, trained) and not options.force:
        raise InputError(
            f"the checkpoint was trained in the layout {trained}, and would be asked in {options.layout}.",
            path=checkpoint,
            remedy="Leave the layout out (layout, --layout), or say that this is meant (force, --force).",
        )
