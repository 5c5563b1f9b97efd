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
from probe4d.models.lidar_lm.checkpoints.adapter import WEIGHTS as SAFE_WEIGHTS
from probe4d.models.lidar_lm.checkpoints.adapter import adapter_config, adapter_weights, add_adapter, base_kept
from probe4d.models.lidar_lm.checkpoints.record import ADAPTER_CONFIG, BASE_OPTION, RELEASED_PROJECTOR
from probe4d.models.lidar_lm.checkpoints.released_record import (
    EGO_SUFFIX,
    LAYOUT,
    MODEL_TYPE,
    ReleasedConfig,
    assumed_ego_text,
    read_released,
    released_base,
)
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.local.weights import fill, read_weights
from probe4d.store.files import write_bytes
from probe4d.store.folders import refuse_full, whole_folder
from probe4d.wording import listed

__all__ = ["load_released", "save_released_checkpoint"]

ADAPTER = "adapter_model.bin"
OTHERS = "non_lora_trainables.bin"

_OWN_PROJECTOR = "mm_projector."
_SIZES = ("hidden_size", "num_hidden_layers", "vocab_size")
_REMEDY = f"Give the base that the checkpoint was made of ({BASE_OPTION})."

_HELD = {"layout": (LAYOUT,), "template": ("v1",), "ego_text": ("none", "question")}
"""How a model can be asked that the layout can hold: the code that reads it asks in no other way."""


def load_released(
    folder: Path, base: Path | None, dtype: torch.dtype | None = None, *, ego_text: EgoText | None = None
) -> LidarLanguageModel:
    """Read a released checkpoint, in `eval()` on the CPU, with its LoRA layers apart.

    It is asked in the layout `hallu`.

    Args:
        folder: Of the projector or of LoRA.
        base: Folder of the language model, such as Vicuna-1.5-7B.
        dtype: Of the weights; null keeps the base's.
        ego_text: Which text about the ego vehicle it was trained with; null takes it from the folder's name (see
            `released_record.assumed_ego_text`).

    Raises:
        InputError: Something is missing, broken or no weights, or is for another language model.
    """
    base = released_base(folder, base)
    config = read_released(folder)
    path, projector = _projector(folder)
    weight = projector.get("weight")  # what does not fit is told when it is filled in
    width = weight.shape[1] if weight is not None and weight.ndim == 2 else 0
    model = LidarLanguageModel.from_base(
        base,
        width or 1,
        dtype,
        layout=LAYOUT,
        ego_text=ego_text or assumed_ego_text(folder),
        encoder=config.lidar_encoder,
    )
    _refuse_other_base(folder, config, model.language_model.config)
    fill(model.projector.state_dict(), projector, path, remedy=_REMEDY)
    if (folder / ADAPTER_CONFIG).is_file():
        add_adapter(model, folder, ADAPTER if (folder / ADAPTER).is_file() else SAFE_WEIGHTS)
    return model.eval()


def save_released_checkpoint(model: LidarLanguageModel, folder: Path | str) -> None:
    """Write a model in the released layout into a new folder: `stage1/` and, where it has LoRA layers, `stage2/`.

    The stage that is asked is `…-metatoken/` where the model is told how the ego vehicle moves, as LiDAR-Hallu names
    it. The encoder's fingerprint, which the layout does not know, lies in `config.json` as `lidar_encoder`.

    Raises:
        InputError: The model is something that the layout cannot hold (another prompt layout than `hallu`, the ego
            text of the B4DL paper, weights of its own beside projector and LoRA), or the folder holds something or
            cannot be written.
    """
    folder = Path(folder)
    refuse_full(folder)  # a stage left there would be read with the new ones
    _refuse_unheld(model)
    config = model.language_model.config.to_dict() | {"model_type": MODEL_TYPE, "lidar_encoder": model.encoder}
    encoded = msgspec.json.encode(config)
    prefix = f"model.{_OWN_PROJECTOR}"
    projector = {prefix + name: weight for name, weight in model.projector.state_dict().items()}
    asked = EGO_SUFFIX if model.ego_text == "question" else ""
    with whole_folder(folder) as temporary:
        _write_stage(temporary / f"stage1{'' if model.lora else asked}", encoded, {RELEASED_PROJECTOR: projector})
        if model.lora is not None:
            stage2 = temporary / f"stage2{asked}"
            _write_stage(stage2, encoded, {ADAPTER: adapter_weights(model), OTHERS: {}})
            adapter = msgspec.json.encode(adapter_config(model))
            write_bytes(stage2 / ADAPTER_CONFIG, msgspec.json.format(adapter, indent=2))


def _refuse_unheld(model: LidarLanguageModel) -> None:
    if base_kept(model) is None:
        raise InputError(
            "the released layout has no place for a language model's own weights.",
            remedy="Write it before its LoRA layers are merged.",
        )
    for name, held in _HELD.items():
        value = getattr(model, name)
        if value not in held:
            raise InputError(
                f"the released layout cannot hold the model's {name.replace('_', ' ')} {value}: what reads it would "
                f"ask the model with {listed(held, 'or')}.",
                remedy="Keep the model as a checkpoint of Probe4D, which says how it is asked.",
            )


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
    for path in (folder / RELEASED_PROJECTOR, beside / RELEASED_PROJECTOR):
        if path.is_file():
            return path, _own_names(path, read_weights(path))
    raise InputError(
        f"has no projector; {RELEASED_PROJECTOR} is expected in it or in {beside}.",
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


def _refuse_other_base(folder: Path, config: ReleasedConfig, base: LlamaConfig) -> None:
    for size in _SIZES:
        expected, found = getattr(config, size), getattr(base, size)
        if expected != found:
            raise InputError(
                f"the checkpoint is for a language model with {size} {expected}; the base has {found}.",
                path=folder / "config.json",
                remedy=_REMEDY,
            )
