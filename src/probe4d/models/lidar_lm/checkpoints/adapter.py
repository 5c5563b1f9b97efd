"""LoRA layers on disk, under the names that peft gives them, so that peft can load them too."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import msgspec
from peft import LoraConfig
from torch import Tensor

from probe4d.errors import InputError
from probe4d.models.lidar_lm.checkpoints.adapter_config import (
    REMEDY,
    AdapterConfig,
    read_config,
    refuse_other_kind,
)
from probe4d.models.lidar_lm.checkpoints.record import ADAPTER_CONFIG
from probe4d.models.lidar_lm.language_model import LORA, Base, LidarLanguageModel, lora_targets
from probe4d.models.local.weights import fill, read_weights, write_weights
from probe4d.store.files import write_bytes
from probe4d.wording import listed

__all__ = ["WEIGHTS", "adapter_config", "adapter_weights", "add_adapter", "base_kept", "write_adapter"]

WEIGHTS = "adapter_model.safetensors"

_PREFIX = "base_model.model."


def adapter_config(model: LidarLanguageModel) -> AdapterConfig:
    """What the model's LoRA layers are like."""
    if model.lora is None:
        raise TypeError("the model has no LoRA layers")
    config = cast(LoraConfig, model.lora.peft_config[LORA])
    return AdapterConfig(
        peft_type="LORA",
        task_type="CAUSAL_LM",
        base_model_name_or_path=None if model.base is None else str(model.base.path),
        r=config.r,
        lora_alpha=config.lora_alpha,
        lora_dropout=config.lora_dropout,
        target_modules=sorted(config.target_modules or ()),
    )


def adapter_weights(model: LidarLanguageModel) -> dict[str, Tensor]:
    """The weights of the LoRA layers by peft's names; they share memory with the model's."""
    own = model.language_model.state_dict()
    return {_PREFIX + name.replace(f".{LORA}.", "."): weight for name, weight in own.items() if f".{LORA}." in name}


def base_kept(model: LidarLanguageModel) -> Base | None:
    """The base that a model's language model still is, LoRA apart; null where its weights are or can be its own."""
    own = (weight for name, weight in model.language_model.named_parameters() if f".{LORA}." not in name)
    return None if any(weight.requires_grad for weight in own) else model.base


def write_adapter(model: LidarLanguageModel, folder: Path) -> None:
    """Write LoRA layers as peft does, into a folder that is made."""
    folder.mkdir()
    write_weights(adapter_weights(model), folder / WEIGHTS, metadata={"format": "pt"})
    write_bytes(folder / ADAPTER_CONFIG, msgspec.json.format(msgspec.json.encode(adapter_config(model)), indent=2))


def add_adapter(model: LidarLanguageModel, folder: Path, weights_file: str = WEIGHTS) -> None:
    """Add the LoRA layers of a folder to a model that has none.

    Raises:
        InputError: Something is missing or broken, or they are those of another language model or another kind.
    """
    config = read_config(folder / ADAPTER_CONFIG)
    refuse_other_kind(config, lora_targets(model.language_model), folder / ADAPTER_CONFIG)
    weights = read_weights(folder / weights_file)
    ranks = {weight.shape[0] for name, weight in weights.items() if name.endswith(".lora_A.weight") and weight.ndim}
    if ranks and config.r not in ranks:  # told before layers of that rank are allocated
        raise InputError(
            f"r is {config.r}; the weights beside it are of rank {listed(sorted(map(str, ranks)))}.",
            path=folder / ADAPTER_CONFIG,
            remedy=REMEDY,
        )
    model.with_lora(config.r, config.lora_alpha, config.lora_dropout)
    fill(adapter_weights(model), weights, folder / weights_file, remedy=REMEDY)
