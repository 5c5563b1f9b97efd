"""What models are read from, as far as it can be told before torch is imported, which takes seconds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec

from probe4d.errors import InputError

__all__ = [
    "CLIP_REMEDY",
    "ENCODER_RECORD",
    "LANGUAGE_MODEL_REMEDY",
    "Width",
    "refuse_no_clip",
    "refuse_no_encoder",
    "refuse_no_language_model",
]

ENCODER_RECORD = "encoder.json"

Width = Annotated[int, msgspec.Meta(ge=1, le=2**20)]
"""Length of a feature row; the bound keeps what a damaged record says from being computed with."""

_TRANSFORMERS_CONFIG = "config.json"

LANGUAGE_MODEL_REMEDY = "Give the folder of a language model such as Vicuna or SmolLM2, as transformers saves it."
CLIP_REMEDY = "Give the folder of a CLIP model in the layout of transformers, such as openai/clip-vit-large-patch14."


def refuse_no_language_model(path: Path) -> None:
    """See that a folder may hold a language model.

    Raises:
        InputError: It does not.
    """
    if not (path / _TRANSFORMERS_CONFIG).is_file():
        raise InputError(
            f"is no folder of a language model: it has no {_TRANSFORMERS_CONFIG}.",
            path=path,
            remedy=LANGUAGE_MODEL_REMEDY,
        )


def refuse_no_clip(path: Path) -> None:
    """See that a folder may hold a CLIP model.

    Raises:
        InputError: It does not.
    """
    if not (path / _TRANSFORMERS_CONFIG).is_file():
        raise InputError(
            f"is no folder of a CLIP model: it has no {_TRANSFORMERS_CONFIG}.", path=path, remedy=CLIP_REMEDY
        )


def refuse_no_encoder(path: Path) -> None:
    """See that a path is a file, as a LidarCLIP checkpoint is, or a folder that may hold an encoder.

    Raises:
        InputError: It is neither.
    """
    if not path.is_file() and not (path / ENCODER_RECORD).is_file():
        raise InputError(
            f"there is no encoder here (neither a checkpoint file nor a folder with {ENCODER_RECORD}).",
            path=path,
            remedy="Name the folder of a trained encoder or a LidarCLIP checkpoint (.ckpt).",
        )
