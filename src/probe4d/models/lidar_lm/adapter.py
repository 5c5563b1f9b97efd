"""LoRA layers on disk, under the names that peft gives them, so that peft can load them too."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import msgspec
from peft import LoraConfig
from safetensors.torch import save_file
from torch import Tensor

from probe4d.errors import InputError
from probe4d.models.lidar_lm.language_model import LORA, LidarLanguageModel, lora_targets
from probe4d.models.lidar_lm.weights import fill, read_weights
from probe4d.store.files import write_bytes

__all__ = ["CONFIG", "WEIGHTS", "AdapterConfig", "adapter_config", "adapter_weights", "add_adapter", "write_adapter"]

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"

_PREFIX = "base_model.model."
_REMEDY = "Give the adapter of this language model, or the base that it was trained on (--base)."


class AdapterConfig(msgspec.Struct, frozen=True, kw_only=True):
    """What of peft's `adapter_config.json` decides how LoRA layers act; peft's names.

    The fields from `bias` on must have the values that B4DL's LoRA has.
    """

    peft_type: str
    r: int
    lora_alpha: int
    target_modules: list[str]
    lora_dropout: float = 0.0
    base_model_name_or_path: str | None = None
    task_type: str | None = "CAUSAL_LM"
    bias: str = "none"
    fan_in_fan_out: bool = False
    use_rslora: bool = False
    use_dora: bool = False
    modules_to_save: list[str] | None = None
    layers_to_transform: Any = None
    rank_pattern: dict[str, int] | None = None
    alpha_pattern: dict[str, int] | None = None


def adapter_config(model: LidarLanguageModel) -> AdapterConfig:
    """What the model's LoRA layers are like."""
    if model.lora is None:
        raise TypeError("the model has no LoRA layers")
    config = cast(LoraConfig, model.lora.peft_config[LORA])
    return AdapterConfig(
        peft_type="LORA",
        r=config.r,
        lora_alpha=config.lora_alpha,
        lora_dropout=config.lora_dropout,
        target_modules=sorted(config.target_modules or ()),
        base_model_name_or_path=None if model.base is None else str(model.base.path),
    )


def adapter_weights(model: LidarLanguageModel) -> dict[str, Tensor]:
    """The weights of the LoRA layers by peft's names; they share memory with the model's."""
    own = model.language_model.state_dict()
    return {_PREFIX + name.replace(f".{LORA}.", "."): weight for name, weight in own.items() if f".{LORA}." in name}


def write_adapter(model: LidarLanguageModel, folder: Path) -> None:
    """Write LoRA layers as peft does, into a folder that is made."""
    folder.mkdir()
    weights = {name: weight.contiguous() for name, weight in adapter_weights(model).items()}
    save_file(weights, folder / WEIGHTS, metadata={"format": "pt"})
    write_bytes(folder / CONFIG, msgspec.json.format(msgspec.json.encode(adapter_config(model)), indent=2))


def add_adapter(model: LidarLanguageModel, folder: Path, weights_file: str = WEIGHTS) -> None:
    """Add the LoRA layers of a folder to a model that has none.

    Raises:
        InputError: Something is missing or broken, or they are those of another language model or another kind.
    """
    path = folder / CONFIG
    config = read_config(path)
    expected = AdapterConfig(
        peft_type="LORA",
        r=config.r,
        lora_alpha=config.lora_alpha,
        lora_dropout=config.lora_dropout,
        target_modules=lora_targets(model.language_model),
        base_model_name_or_path=config.base_model_name_or_path,
    )
    found = msgspec.structs.replace(config, target_modules=sorted(config.target_modules))
    for field in AdapterConfig.__struct_fields__:
        is_, should = getattr(found, field), getattr(expected, field)
        if is_ != should and (is_ or should):
            raise InputError(f"{field} is {is_!r}; expected {should!r}.", path=path, remedy=_REMEDY)
    model.with_lora(config.r, config.lora_alpha, config.lora_dropout)
    fill(adapter_weights(model), read_weights(folder / weights_file), folder / weights_file, remedy=_REMEDY)


def read_config(path: Path) -> AdapterConfig:
    """Read an `adapter_config.json`.

    Raises:
        InputError: It is missing, or is no such file.
    """
    if not path.is_file():
        raise InputError("is missing.", path=path, remedy="Give the folder of a LoRA adapter, whole.")
    try:
        return msgspec.json.decode(path.read_bytes(), type=AdapterConfig)
    except msgspec.MsgspecError as error:
        raise InputError(f"is not what peft writes ({error}).", path=path, remedy=_REMEDY) from error
