"""LoRA layers on disk, under the names that peft gives them, so that peft can load them too."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, cast

import msgspec
from peft import LoraConfig
from torch import Tensor

from probe4d.errors import InputError
from probe4d.models.lidar_lm.language_model import LORA, LidarLanguageModel, lora_targets
from probe4d.models.lidar_lm.weights import fill, read_weights, write_weights
from probe4d.store.files import write_bytes

__all__ = [
    "CONFIG",
    "WEIGHTS",
    "AdapterConfig",
    "adapter_config",
    "adapter_weights",
    "add_adapter",
    "read_config",
    "write_adapter",
]

CONFIG = "adapter_config.json"
WEIGHTS = "adapter_model.safetensors"

_PREFIX = "base_model.model."
_REMEDY = "Give the adapter of this language model, or the base that it was trained on (--base)."


class AdapterConfig(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of peft's `adapter_config.json` decides how LoRA layers act, by peft's names.

    The fields from `bias` on are known so that what would act otherwise than B4DL's LoRA is refused.
    """

    peft_type: str
    task_type: str | None = None
    base_model_name_or_path: str | None = None
    r: Annotated[int, msgspec.Meta(ge=1)]
    lora_alpha: int
    lora_dropout: Annotated[float, msgspec.Meta(ge=0, lt=1)] = 0.0
    target_modules: list[str]
    bias: str = "none"
    fan_in_fan_out: bool = False
    use_rslora: bool = False
    use_dora: bool = False
    modules_to_save: list[str] | None = None
    layers_to_transform: Any = None
    rank_pattern: Mapping[str, Any] | None = None
    alpha_pattern: Mapping[str, Any] | None = None


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


def write_adapter(model: LidarLanguageModel, folder: Path) -> None:
    """Write LoRA layers as peft does, into a folder that is made."""
    folder.mkdir()
    write_weights(adapter_weights(model), folder / WEIGHTS, metadata={"format": "pt"})
    write_bytes(folder / CONFIG, msgspec.json.format(msgspec.json.encode(adapter_config(model)), indent=2))


def add_adapter(model: LidarLanguageModel, folder: Path, weights_file: str = WEIGHTS) -> None:
    """Add the LoRA layers of a folder to a model that has none.

    Raises:
        InputError: Something is missing or broken, or they are those of another language model or another kind.
    """
    config = read_config(folder / CONFIG)
    _refuse_other_kind(config, lora_targets(model.language_model), folder / CONFIG)
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


def _refuse_other_kind(config: AdapterConfig, targets: list[str], path: Path) -> None:
    plain = AdapterConfig(
        peft_type="LORA",
        task_type=config.task_type,
        base_model_name_or_path=config.base_model_name_or_path,
        r=config.r,
        lora_alpha=config.lora_alpha,
        lora_dropout=config.lora_dropout,
        target_modules=targets,
    )
    found = msgspec.structs.replace(config, target_modules=sorted(config.target_modules))
    for field in AdapterConfig.__struct_fields__:
        value, expected = getattr(found, field), getattr(plain, field)
        if value != expected and (value or expected):  # an empty pattern is none
            raise InputError(f"{field} is {value!r}; expected {expected!r}.", path=path, remedy=_REMEDY)
