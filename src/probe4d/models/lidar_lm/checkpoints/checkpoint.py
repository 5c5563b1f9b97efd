"""Checkpoints of a LiDAR language model: a folder of safetensors and one JSON file that says what they are.

lidar_lm.json            how the model is asked, what it was made of
projector.safetensors    weight (hidden, width), bias (hidden)
adapter/                 LoRA as peft saves it, if there is any
language_model/          weights and tokenizer in full, where they are no longer those of a base
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import msgspec
import torch
from torch import nn

from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.base_model import BaseModel, read_base, write_base
from probe4d.models.lidar_lm.checkpoints.adapter import add_adapter, write_adapter
from probe4d.models.lidar_lm.checkpoints.released import is_released, load_released
from probe4d.models.lidar_lm.conversation import TemplateName
from probe4d.models.lidar_lm.language_model import LORA, Base, LidarLanguageModel
from probe4d.models.lidar_lm.layouts import Layout
from probe4d.models.lidar_lm.weights import fill, read_weights, write_weights
from probe4d.store.files import write_bytes
from probe4d.store.folders import whole_folder

__all__ = ["RECORD", "CheckpointRecord", "load_lidar_lm", "save"]

RECORD = "lidar_lm.json"
PROJECTOR = "projector.safetensors"
ADAPTER = "adapter"
LANGUAGE_MODEL = "language_model"

_BASE = "base=, --base; where it is asked, -M base=DIR"
"""The option as Python, the verbs that train and the verb that asks have it."""


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
    feature_width: Annotated[int, msgspec.Meta(ge=1)]
    hidden_width: int
    encoder: str | None
    dtype: str
    base: BaseRecord | None
    adapter: bool
    version: Literal[1] = 1


def save(model: LidarLanguageModel, folder: Path | str) -> None:
    """Write a checkpoint; the folder appears whole, or stays as it was.

    The language model is written in full where it has no base, or where weights other than LoRA's can be trained.

    Raises:
        InputError: The folder cannot be written.
    """
    base = None if _trained_in_full(model) else model.base
    record = CheckpointRecord(
        layout=model.layout,
        template=model.template,
        ego_text=model.ego_text,
        feature_width=model.feature_width,
        hidden_width=model.projector.out_features,
        encoder=model.encoder,
        dtype=str(model.dtype).removeprefix("torch."),
        base=None if base is None else BaseRecord(str(base.path), base.fingerprint),
        adapter=model.lora is not None,
    )
    with whole_folder(folder) as temporary:
        write_weights(model.projector.state_dict(), temporary / PROJECTOR)
        if model.lora is not None:
            write_adapter(model, temporary / ADAPTER)
        if base is None:
            write_base(model.language_model, model.tokenizer, temporary / LANGUAGE_MODEL)
        write_bytes(temporary / RECORD, msgspec.json.format(msgspec.json.encode(record), indent=2))


def load_lidar_lm(
    folder: Path | str, base: Path | str | None = None, dtype: torch.dtype | None = None
) -> LidarLanguageModel:
    """Read a checkpoint, in `eval()` on the CPU, with its LoRA layers apart (see `LidarLanguageModel.merged`).

    Args:
        folder: As `save` writes it, or of the released layout (see `released_checkpoint`).
        base: Folder of the language model it was made of, where that is no longer where it was.
        dtype: Of the weights; null keeps the checkpoint's.

    Raises:
        InputError: Something is missing or broken, or the base is another than the checkpoint's.
    """
    folder, base = Path(folder), None if base is None else Path(base)
    if not (folder / RECORD).is_file() and is_released(folder):
        return load_released(folder, base, dtype)
    record = read_record(folder)
    dtype = dtype or _dtype(record.dtype, folder / RECORD)
    found, origin = _language_model(folder, record, base, dtype)
    hidden = found.language_model.config.hidden_size
    if hidden != record.hidden_width:
        raise InputError(
            f"the checkpoint is for embeddings of width {record.hidden_width}; the language model's have {hidden}.",
            path=folder,
            remedy=f"Give the base that it was made of ({_BASE}).",
        )
    model = LidarLanguageModel(
        found.language_model.requires_grad_(False),
        nn.Linear(record.feature_width, hidden, dtype=dtype),
        found.tokenizer,
        base=origin,
        layout=record.layout,
        template=record.template,
        ego_text=record.ego_text,
        encoder=record.encoder,
    )
    path = folder / PROJECTOR
    fill(model.projector.state_dict(), read_weights(path), path, remedy="Give a whole checkpoint.")
    if record.adapter:
        add_adapter(model, folder / ADAPTER)
    return model.eval()


def read_record(folder: Path) -> CheckpointRecord:
    """Read what a checkpoint says of itself.

    Raises:
        InputError: The folder is no checkpoint, or its record is broken.
    """
    path = folder / RECORD
    if not path.is_file():
        raise InputError(
            f"is no checkpoint of a LiDAR language model: it has no {RECORD}.",
            path=folder,
            remedy="Give a folder that `probe4d train` wrote, or a released one with mm_projector.bin or LoRA.",
        )
    try:
        return msgspec.json.decode(path.read_bytes(), type=CheckpointRecord)
    except msgspec.MsgspecError as error:
        raise InputError(f"is not the record of a checkpoint ({error}).", path=path) from error


def _language_model(
    folder: Path, record: CheckpointRecord, base: Path | None, dtype: torch.dtype
) -> tuple[BaseModel, Base | None]:
    if record.base is None:
        if base is not None:
            raise InputError(
                "the checkpoint has its language model in full and takes no other.",
                path=folder,
                remedy=f"Leave the base out ({_BASE}).",
            )
        return read_base(folder / LANGUAGE_MODEL, dtype), None
    path = base or Path(record.base.path)
    if not path.is_dir():
        raise InputError(
            f"the language model that the checkpoint was made of is not in {path}.",
            path=folder,
            remedy=f"Say where it is ({_BASE}).",
        )
    found = read_base(path, dtype)
    if found.fingerprint != record.base.fingerprint:
        raise InputError(
            f"the checkpoint was made of a language model with the fingerprint {record.base.fingerprint} "
            f"({record.base.path}); that in {path} has {found.fingerprint}.",
            path=folder,
            remedy=f"Give the base that it was made of ({_BASE}).",
        )
    return found, Base(path.resolve(), found.fingerprint)


def _dtype(name: str, path: Path) -> torch.dtype:
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise InputError(f"dtype is {name!r}; expected float32, bfloat16 or float16.", path=path)
    return dtype


def _trained_in_full(model: LidarLanguageModel) -> bool:
    return any(
        weight.requires_grad for name, weight in model.language_model.named_parameters() if f".{LORA}." not in name
    )
