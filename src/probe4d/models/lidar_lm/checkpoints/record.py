"""Which folders are checkpoints, and what `lidar_lm.json` says of ours; read without torch, before any weights are."""

from __future__ import annotations

from pathlib import Path

import msgspec

from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.conversation import TemplateName
from probe4d.models.lidar_lm.layouts import Layout
from probe4d.models.lidar_lm.on_disk import Width
from probe4d.store.records import read_versioned

__all__ = [
    "ADAPTER_CONFIG",
    "BASE_OPTION",
    "LANGUAGE_MODEL",
    "RECORD",
    "RELEASED_PROJECTOR",
    "BaseRecord",
    "CheckpointRecord",
    "base_folder",
    "is_released",
    "read_record",
    "refuse_ego_text",
    "refuse_no_checkpoint",
]

RECORD = "lidar_lm.json"

VERSION = 1
"""Of what `lidar_lm.json` holds."""

ADAPTER_CONFIG = "adapter_config.json"
"""What peft says of LoRA layers, in our checkpoints and in released ones."""

RELEASED_PROJECTOR = "mm_projector.bin"

LANGUAGE_MODEL = "language_model"
"""Folder inside a checkpoint that has its language model in full."""

BASE_OPTION = "base=, --base, or -M base=DIR when asking"
"""How a base is named: from Python, in the verbs that take it as an option, and in the verb that asks."""


class BaseRecord(msgspec.Struct, frozen=True):
    """The base that a checkpoint's language model was read from.

    Attributes:
        path: Its folder where the checkpoint was made.
        fingerprint: Digest of its weights.
    """

    path: str
    fingerprint: str


class CheckpointRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What `lidar_lm.json` holds.

    Attributes:
        layout: The prompt layout that the model is asked in.
        template: Its conversation template.
        ego_text: Which text about the ego vehicle it is asked with.
        feature_width: Width of the feature rows.
        hidden_width: Width of the language model's embeddings.
        encoder: Fingerprint of the encoder whose features it was trained with; null where not known.
        dtype: Of its weights, as torch names it.
        base: What its language model was read from; null where the checkpoint has it in full.
        adapter: Whether there are LoRA layers.
        version: Of this layout.
    """

    layout: Layout
    template: TemplateName
    ego_text: EgoText
    feature_width: Width
    hidden_width: int
    encoder: str | None
    dtype: str
    base: BaseRecord | None
    adapter: bool
    version: int = VERSION


def refuse_no_checkpoint(folder: Path) -> None:
    """See that a folder may hold a checkpoint of a LiDAR language model, ours or a released one.

    Raises:
        InputError: It does not.
    """
    if not (folder / RECORD).is_file() and not is_released(folder):
        raise InputError(
            f"is no checkpoint of a LiDAR language model: it has no {RECORD}.",
            path=folder,
            remedy=f"Give a folder that `probe4d train` wrote, or a released one with {RELEASED_PROJECTOR} or LoRA.",
        )


def is_released(folder: Path) -> bool:
    """Whether a folder is a checkpoint in the layout of B4DL's released ones, and not in ours."""
    held = any((folder / name).is_file() for name in (ADAPTER_CONFIG, RELEASED_PROJECTOR))
    return held and not (folder / RECORD).is_file()


def read_record(folder: Path) -> CheckpointRecord:
    """Read what a checkpoint says of itself.

    Raises:
        InputError: Its record is missing or broken.
    """
    return read_versioned(folder / RECORD, CheckpointRecord, VERSION, what="a checkpoint")


def base_folder(folder: Path, record: CheckpointRecord, base: Path | None) -> Path | None:
    """Where the language model of a checkpoint lies; null where the checkpoint has it in full.

    Args:
        folder: The checkpoint.
        record: What it says of itself.
        base: Folder of the language model, where that is no longer where it was.

    Raises:
        InputError: It is not there, or one is given where none is needed.
    """
    if record.base is None:
        if base is not None:
            raise InputError(
                "the checkpoint has its language model in full and takes no other.",
                path=folder,
                remedy=f"Leave the base out ({BASE_OPTION}).",
            )
        return None
    path = base or Path(record.base.path)
    if not path.is_dir():
        raise InputError(
            f"the language model that the checkpoint was made of is not in {path}.",
            path=folder,
            remedy=f"Say where it is ({BASE_OPTION}).",
        )
    return path


def refuse_ego_text(folder: Path, record: CheckpointRecord, ego_text: EgoText | None) -> None:
    """Refuse to be told which text about the ego vehicle a checkpoint is asked with that says so itself.

    Raises:
        InputError: It is told.
    """
    if ego_text is not None:
        raise InputError(
            f"the checkpoint says itself that it was trained with the ego text {record.ego_text}, and is asked so.",
            path=folder,
            remedy="Leave ego_text (-M ego_text=) out; it is for released checkpoints, which do not say.",
        )
