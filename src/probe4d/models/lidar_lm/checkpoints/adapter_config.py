"""What `adapter_config.json` says of LoRA layers, as peft writes it; it is read without torch."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import msgspec

from probe4d.errors import InputError
from probe4d.models.lidar_lm.checkpoints.record import BASE_OPTION

__all__ = ["REMEDY", "AdapterConfig", "read_config", "refuse_other_kind"]

REMEDY = f"Give the adapter of this language model, or the base that it was trained on ({BASE_OPTION})."
"""What to do about an adapter that does not fit."""


_HARMLESS = {
    "arrow_config",
    "auto_mapping",
    "corda_config",
    "eva_config",
    "inference_mode",
    "layers_pattern",
    "loftq_config",
    "lora_ga_config",
    "megatron_core",
    "peft_version",
    "qalora_group_size",
    "revision",
}
"""What else peft writes, of no account to how layers act: origins, and details of what other fields turn on."""

_FIRST_WEIGHTS, _PLAIN_FIRST_WEIGHTS = "init_lora_weights", (True, "gaussian")
"""How the weights were drawn; otherwise than so, peft changes those of the language model as well (PiSSA, OLoRA, …)."""


class AdapterConfig(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What of peft's `adapter_config.json` decides how LoRA layers act, by peft's names.

    The fields from `bias` on are known so that what would act otherwise than B4DL's LoRA is refused. So is any other
    field that says something, but for those that say nothing of how the layers act.
    """

    peft_type: str
    task_type: str | None = None
    base_model_name_or_path: str | None = None
    r: Annotated[int, msgspec.Meta(ge=1)]
    lora_alpha: Annotated[int, msgspec.Meta(ge=1)]
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


def read_config(path: Path) -> AdapterConfig:
    """Read an `adapter_config.json`.

    Raises:
        InputError: It is missing, is no such file, or has an unknown field that may change how the layers act.
    """
    if not path.is_file():
        raise InputError("is missing.", path=path, remedy="Give the folder of a LoRA adapter, whole.")
    try:
        config = msgspec.json.decode(path.read_bytes(), type=AdapterConfig)
        fields: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError, RecursionError) as error:
        raise InputError(f"is not what peft writes ({error}).", path=path, remedy=REMEDY) from error
    first_weights = fields.pop(_FIRST_WEIGHTS, True)
    if first_weights and first_weights not in _PLAIN_FIRST_WEIGHTS:
        raise InputError(
            f"{_FIRST_WEIGHTS} is {first_weights!r}, which changes the language model too; expected True.",
            path=path,
            remedy="Convert it to a plain LoRA adapter with peft.",
        )
    for name in sorted(fields.keys() - set(AdapterConfig.__struct_fields__) - _HARMLESS):
        if fields[name]:
            raise InputError(
                f"{name} is {fields[name]!r}, which is not known here and may change how the layers act.",
                path=path,
                remedy="Give an adapter of plain LoRA.",
            )
    return config


def refuse_other_kind(config: AdapterConfig, targets: list[str], path: Path) -> None:
    """Refuse LoRA layers that would act otherwise than B4DL's.

    Args:
        config: What they are like.
        targets: Last names of the layers that LoRA changes in the language model, sorted.
        path: Where the configuration comes from, for the error.

    Raises:
        InputError: They are of another kind, or for other layers.
    """
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
            raise InputError(f"{field} is {value!r}; expected {expected!r}.", path=path, remedy=REMEDY)
