"""How a language model is trained: the defaults of `training.toml`, a file over them, options over both."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from probe4d.errors import InputError
from probe4d.wording import listed

__all__ = ["Precision", "Stage", "TrainingOptions", "refuse_other_stage", "training_options"]

Stage = Literal["projector", "lora"]
Precision = Literal["bf16", "fp16", "fp32"]

_OF_LORA = ("rank", "alpha", "dropout")
_LARGEST = 1e6  # of what has no other bound, so that nothing is infinite
_Count = Annotated[int, Meta(ge=1)]
_Positive = Annotated[float, Meta(gt=0, le=_LARGEST)]
_Share = Annotated[float, Meta(ge=0, lt=1)]
_NotNegative = Annotated[float, Meta(ge=0, le=_LARGEST)]


class TrainingOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Hyper-parameters of a training; `training.toml` says what each means, and holds the defaults.

    The optimizer is AdamW. A step takes `batch` x `accumulation` rows on every device. What LoRA alone has is null for
    the projector.
    """

    epochs: _Count
    batch: _Count
    accumulation: _Count
    learning_rate: _Positive
    template: Literal["v1", "plain"]
    precision: Precision
    gradient_checkpointing: bool
    schedule: Literal["cosine", "constant"]
    warmup_ratio: _Share
    weight_decay: _NotNegative
    adam_beta1: _Share
    adam_beta2: _Share
    adam_epsilon: _Positive
    max_gradient_norm: _Positive
    max_length: _Count
    seed: Annotated[int, Meta(ge=0, lt=2**32)]
    checkpoint_every: _Count
    rank: _Count | None = None
    alpha: _Count | None = None
    dropout: _Share | None = None

    @property
    def of_lora(self) -> dict[str, Any]:
        """What LoRA alone has, by name."""
        return {name: getattr(self, name) for name in _OF_LORA}


def training_options(stage: Stage, config: Path | str | None = None, **given: Any) -> TrainingOptions:
    """The options of a stage.

    Args:
        stage: What is trained.
        config: A file with the tables of `training.toml`, as far as they differ from it.
        given: Single options, which stand over both; one that is null is left as it is.

    Raises:
        InputError: The file cannot be read, the stage has no such option, or it cannot have such a value.
    """
    default = tomllib.loads(files(__package__).joinpath("training.toml").read_text(encoding="utf-8"))
    options = default["common"] | default[stage]
    if config is not None:
        options |= _of_file(Path(config), stage)
    options |= {name: value for name, value in given.items() if value is not None}
    try:
        converted = msgspec.convert(options, TrainingOptions)
    except msgspec.ValidationError as error:
        raise InputError(
            f"the training cannot be done with these options ({error}).",
            path=config,
            remedy="training.toml lists them with what they mean.",
        ) from error
    refuse_other_stage(converted, stage)
    return converted


def refuse_other_stage(options: TrainingOptions, stage: Stage) -> None:
    """Refuse options that were made for the other stage.

    Raises:
        InputError: LoRA lacks one of its own options, or the projector is given one.
    """
    given = [name for name, value in options.of_lora.items() if value is not None]
    if stage == "projector" and given:
        raise InputError(
            f"the projector is trained without {listed(given)}, of LoRA.",
            remedy='Leave them out, or take training_options("projector").',
        )
    if stage == "lora" and (missing := [name for name in _OF_LORA if name not in given]):
        raise InputError(
            f"LoRA is trained with {listed(_OF_LORA)}, and the options have no {listed(missing, 'or')}.",
            remedy='Take training_options("lora").',
        )


def _of_file(path: Path, stage: Stage) -> Mapping[str, Any]:
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror}).", path=path) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"is no TOML ({error}).", path=path) from error
    for name, table in tables.items():
        if name not in ("common", "projector", "lora") or not isinstance(table, dict):
            raise InputError(
                f"has {name!r} where only the tables common, projector and lora have a meaning.",
                path=path,
                remedy="Put each option into one of them.",
            )
    return {**tables.get("common", {}), **tables.get(stage, {})}
