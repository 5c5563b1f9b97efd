"""Checkpoints in the layout of the released B4DL, VTimeLLM and LiDAR-Hallu code: a folder a training stage.

    NAME-stage1/       mm_projector.bin: the projector; config.json
    NAME-stage2…/      adapter_model.bin and adapter_config.json: LoRA; non_lora_trainables.bin; config.json

A `.bin` file is read with weights-only loading: what else it holds is refused, and never run. The projector of a
LoRA folder lies in that folder, or in the one beside it whose name ends with `stage1` where its own has `stage2`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
import torch
from torch import Tensor
from transformers import LlamaConfig

from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.checkpoints.adapter import (
    CONFIG,
    adapter_config,
    adapter_weights,
    add_adapter,
    read_config,
)
from probe4d.models.lidar_lm.checkpoints.adapter import WEIGHTS as SAFE_WEIGHTS
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.lidar_lm.weights import fill, read_weights
from probe4d.store.files import write_bytes
from probe4d.store.folders import whole_folder

__all__ = ["is_released", "load_released", "save_released"]

PROJECTOR = "mm_projector.bin"
ADAPTER = "adapter_model.bin"
OTHERS = "non_lora_trainables.bin"
MODEL_TYPE = "VTimeLLM"

_OWN_PROJECTOR = "mm_projector."
_SIZES = ("hidden_size", "num_hidden_layers", "vocab_size")
_REMEDY = "Give the base that the checkpoint was made of (--base)."


class ReleasedConfig(msgspec.Struct, frozen=True):
    """What of `config.json` says which language model a checkpoint is for, by transformers' names."""

    model_type: str
    hidden_size: int
    num_hidden_layers: int
    vocab_size: int


def is_released(folder: Path) -> bool:
    """Whether a folder has the released layout."""
    return (folder / CONFIG).is_file() or (folder / PROJECTOR).is_file()


def load_released(folder: Path, base: Path | None, dtype: torch.dtype | None = None) -> LidarLanguageModel:
    """Read a released checkpoint, in `eval()` on the CPU, with its LoRA layers apart.

    It is asked in the layout `hallu`. The released layout does not say whether a model is told how the ego vehicle
    moves; one whose folder's name has `metatoken` is, as LiDAR-Hallu names its B4DL-Ego.

    Args:
        folder: Of the projector or of LoRA.
        base: Folder of the language model, such as Vicuna-1.5-7B.
        dtype: Of the weights; null keeps the base's.

    Raises:
        InputError: Something is missing, broken or no weights, or is for another language model.
    """
    if base is None:
        name = read_config(folder / CONFIG).base_model_name_or_path if (folder / CONFIG).is_file() else None
        raise InputError(
            "a checkpoint of the released layout needs the language model that it was made of"
            f"{f', which it calls {name!r}' if name else ''}.",
            path=folder,
            remedy="Say where that is (--base).",
        )
    path, projector = _projector(folder)
    weight = projector.get("weight")  # what does not fit is told when it is filled in
    width = weight.shape[1] if weight is not None and weight.ndim == 2 else 0
    ego_text: EgoText = "question" if "metatoken" in folder.resolve().name else "none"
    model = LidarLanguageModel.from_base(base, width or 1, dtype, ego_text=ego_text)
    _refuse_other_base(folder, model.language_model.config)
    fill(model.projector.state_dict(), projector, path, remedy=_REMEDY)
    if (folder / CONFIG).is_file():
        add_adapter(model, folder, ADAPTER if (folder / ADAPTER).is_file() else SAFE_WEIGHTS)
    return model.eval()


def save_released(model: LidarLanguageModel, folder: Path | str) -> None:
    """Write `stage1/` and, where the model has LoRA layers, `stage2/` in the released layout into a folder.

    Raises:
        InputError: The model's weights are its own, for which the layout has no place, or the folder cannot be written.
    """
    if model.base is None:
        raise InputError(
            "the released layout has no place for a language model's own weights.",
            remedy="Write it before its LoRA layers are merged.",
        )
    config = msgspec.json.encode(model.language_model.config.to_dict() | {"model_type": MODEL_TYPE})
    prefix = f"model.{_OWN_PROJECTOR}"
    with whole_folder(folder) as temporary:
        _write_stage(
            temporary / "stage1",
            config,
            {PROJECTOR: {prefix + name: weight for name, weight in model.projector.state_dict().items()}},
        )
        if model.lora is not None:
            stage2 = temporary / "stage2"
            _write_stage(stage2, config, {ADAPTER: adapter_weights(model), OTHERS: {}})
            write_bytes(stage2 / CONFIG, msgspec.json.format(msgspec.json.encode(adapter_config(model)), indent=2))


def _write_stage(folder: Path, config: bytes, files: Mapping[str, Mapping[str, Tensor]]) -> None:
    folder.mkdir()
    write_bytes(folder / "config.json", msgspec.json.format(config, indent=2))
    for name, weights in files.items():
        torch.save({key: weight.cpu().clone() for key, weight in weights.items()}, folder / name)


def _projector(folder: Path) -> tuple[Path, dict[str, Tensor]]:
    """The projector's weights by their own names, and the file they come from; LoRA training may have changed it."""
    others = folder / OTHERS
    if others.is_file() and (trained := _own_names(others, read_weights(others))):
        return others, trained
    beside = folder.resolve().with_name(re.sub(r"stage[23].*$", "stage1", folder.resolve().name))
    for path in (folder / PROJECTOR, beside / PROJECTOR):
        if path.is_file():
            return path, _own_names(path, read_weights(path))
    raise InputError(
        f"has no projector; {PROJECTOR} is expected in it or in {beside}.",
        path=folder,
        remedy="Put the projector's file of the first stage there: random weights would answer at random.",
    )


def _own_names(path: Path, weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    strangers = sorted(name for name in weights if _OWN_PROJECTOR not in name)
    if strangers:
        raise InputError(
            f"holds weights that are no projector's, such as {strangers[0]}.",
            path=path,
            remedy="Such a checkpoint was trained in another way and would not be itself without them.",
        )
    return {name.rpartition(_OWN_PROJECTOR)[2]: weight for name, weight in weights.items()}


def _refuse_other_base(folder: Path, base: LlamaConfig) -> None:
    path = folder / "config.json"
    if not path.is_file():
        raise InputError("is missing.", path=path, remedy="Give a whole checkpoint.")
    try:
        config = msgspec.json.decode(path.read_bytes(), type=ReleasedConfig)
    except msgspec.MsgspecError as error:
        raise InputError(f"is no configuration of a language model ({error}).", path=path) from error
    if config.model_type not in (MODEL_TYPE, "llama"):
        raise InputError(f"model_type is {config.model_type!r}; expected {MODEL_TYPE!r}.", path=path)
    for size in _SIZES:
        expected, found = getattr(config, size), getattr(base, size)
        if expected != found:
            raise InputError(
                f"the checkpoint is for a language model with {size} {expected}; the base has {found}.",
                path=path,
                remedy=_REMEDY,
            )
