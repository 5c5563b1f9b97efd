"""Checkpoints of a LiDAR language model: a folder of safetensors and one JSON file that says what they are.

lidar_lm.json            how the model is asked, what it was made of
projector.safetensors    weight (hidden, width), bias (hidden)
adapter/                 LoRA as peft saves it, if there is any
language_model/          weights and tokenizer in full, where they are no longer those of a base
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import torch
from torch import nn

from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.base_model import BaseModel, read_base, write_base
from probe4d.models.lidar_lm.checkpoints.adapter import add_adapter, base_kept, write_adapter
from probe4d.models.lidar_lm.checkpoints.record import (
    BASE_OPTION,
    LANGUAGE_MODEL,
    RECORD,
    BaseRecord,
    CheckpointRecord,
    base_folder,
    read_record,
    refuse_ego_text,
    refuse_no_checkpoint,
)
from probe4d.models.lidar_lm.checkpoints.released import load_released
from probe4d.models.lidar_lm.language_model import Base, LidarLanguageModel
from probe4d.models.local.weights import fill, read_weights, refuse_other_shapes, write_weights
from probe4d.store.files import write_bytes
from probe4d.store.folders import whole_folder

__all__ = ["load_lidar_lm", "save"]

PROJECTOR = "projector.safetensors"
ADAPTER = "adapter"


def save(model: LidarLanguageModel, folder: Path | str) -> None:
    """Write a checkpoint; the folder appears whole, or stays as it was.

    The language model is written in full where it has no base, or where weights other than LoRA's can be trained.

    Raises:
        InputError: The folder cannot be written.
    """
    base = base_kept(model)
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
    folder: Path | str,
    base: Path | str | None = None,
    dtype: torch.dtype | None = None,
    *,
    ego_text: EgoText | None = None,
) -> LidarLanguageModel:
    """Read a checkpoint, in `eval()` on the CPU, with its LoRA layers apart (see `LidarLanguageModel.merged`).

    Args:
        folder: As `save` writes it, or of the released layout (see `released.load_released`).
        base: Folder of the language model it was made of, where that is no longer where it was.
        dtype: Of the weights; null keeps the checkpoint's.
        ego_text: Which text about the ego vehicle a checkpoint of the released layout was trained with, which it does
            not say; null takes it from the folder's name, and says so in a warning.

    Raises:
        InputError: Something is missing or broken, the base is another than the checkpoint's, or an ego text is given
            for a checkpoint that says itself which it has.
        RunError: The memory does not suffice.
    """
    folder, base = Path(folder), None if base is None else Path(base)
    refuse_no_checkpoint(folder)
    if not (folder / RECORD).is_file():
        return load_released(folder, base, dtype, ego_text=ego_text)
    record = read_record(folder)
    refuse_ego_text(folder, record, ego_text)
    dtype = dtype or _dtype(record.dtype, folder / RECORD)
    found, origin = _language_model(folder, record, base, dtype)
    hidden = found.language_model.config.hidden_size
    if hidden != record.hidden_width:
        raise InputError(
            f"the checkpoint is for embeddings of width {record.hidden_width}; the language model's have {hidden}.",
            path=folder,
            remedy=f"Give the base that it was made of ({BASE_OPTION}).",
        )
    path, whole = folder / PROJECTOR, "Give a whole checkpoint."
    projector = read_weights(path)
    with torch.device("meta"):  # nothing is allocated for a width that is not that of the file
        refuse_other_shapes(nn.Linear(record.feature_width, hidden).state_dict(), projector, path, remedy=whole)
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
    fill(model.projector.state_dict(), projector, path, remedy=whole)
    if record.adapter:
        add_adapter(model, folder / ADAPTER)
    return model.eval()


def _language_model(
    folder: Path, record: CheckpointRecord, base: Path | None, dtype: torch.dtype
) -> tuple[BaseModel, Base | None]:
    path = base_folder(folder, record, base)
    if path is None or record.base is None:
        return read_base(folder / LANGUAGE_MODEL, dtype), None
    found = read_base(path, dtype)
    if found.fingerprint != record.base.fingerprint:
        raise InputError(
            f"the checkpoint was made of a language model with the fingerprint {record.base.fingerprint} "
            f"({record.base.path}); that in {path} has {found.fingerprint}.",
            path=folder,
            remedy=f"Give the base that it was made of ({BASE_OPTION}).",
        )
    return found, Base(path.resolve(), found.fingerprint)


def _dtype(name: str, path: Path) -> torch.dtype:
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype) or not dtype.is_floating_point:
        raise InputError(f"dtype is {name!r}; expected float32, bfloat16 or float16.", path=path)
    return dtype
