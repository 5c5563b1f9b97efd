"""What a checkpoint of the released layout says of itself, and what it leaves to be said; read without torch."""

from __future__ import annotations

import logging
from pathlib import Path

import msgspec

from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.checkpoints.adapter_config import read_config
from probe4d.models.lidar_lm.checkpoints.record import ADAPTER_CONFIG, BASE_OPTION
from probe4d.models.lidar_lm.layouts import Layout

__all__ = ["EGO_SUFFIX", "LAYOUT", "MODEL_TYPE", "ReleasedConfig", "assumed_ego_text", "read_released", "released_base"]

_LOG = logging.getLogger(__name__)

MODEL_TYPE = "VTimeLLM"

LAYOUT: Layout = "hallu"
"""The prompt layout that released checkpoints are asked in."""

EGO_SUFFIX = "-metatoken"
"""End of the name of a stage's folder whose model is told how the ego vehicle moves, as LiDAR-Hallu has it."""

_EGO_MARK = EGO_SUFFIX.removeprefix("-")


class ReleasedConfig(msgspec.Struct, frozen=True):
    """What of `config.json` says which language model a checkpoint is for, by transformers' names.

    `lidar_encoder` is ours, and of no account to the released code: fingerprint of the encoder whose features the
    model was trained with.
    """

    model_type: str
    hidden_size: int
    num_hidden_layers: int
    vocab_size: int
    lidar_encoder: str | None = None


def read_released(folder: Path) -> ReleasedConfig:
    """Read the `config.json` of a stage.

    Raises:
        InputError: It is missing or broken, or that of another kind of model.
    """
    path = folder / "config.json"
    if not path.is_file():
        raise InputError("is missing.", path=path, remedy="Give a whole checkpoint.")
    try:
        config = msgspec.json.decode(path.read_bytes(), type=ReleasedConfig)
    except msgspec.MsgspecError as error:
        raise InputError(f"is no configuration of a language model ({error}).", path=path) from error
    if config.model_type not in (MODEL_TYPE, "llama"):
        raise InputError(f"model_type is {config.model_type!r}; expected {MODEL_TYPE!r}.", path=path)
    return config


def released_base(folder: Path, base: Path | None) -> Path:
    """The folder of the language model that a checkpoint was made of, which has to be given.

    Raises:
        InputError: It is not.
    """
    if base is not None:
        return base
    path = folder / ADAPTER_CONFIG
    name = read_config(path).base_model_name_or_path if path.is_file() else None
    raise InputError(
        "a checkpoint of the released layout needs the language model that it was made of"
        f"{f', which it calls {name!r}' if name else ''}.",
        path=folder,
        remedy=f"Say where that is ({BASE_OPTION}).",
    )


def assumed_ego_text(folder: Path) -> EgoText:
    """Which text about the ego vehicle a checkpoint is taken to be trained with where nobody says it.

    The released layout does not say: a folder whose name has `metatoken` holds LiDAR-Hallu's B4DL-Ego. What is taken
    is warned of, but for a projector alone, whose training reads no question.
    """
    named = _EGO_MARK in folder.resolve().name
    assumed: EgoText = "question" if named else "none"
    if named or (folder / ADAPTER_CONFIG).is_file():
        _LOG.warning(
            "%s does not say with which text about the ego vehicle it was trained. Taken is %s, since the folder's "
            "name has %s %s; ego_text=, or -M ego_text=none|question|paper when asking, says otherwise.",
            folder,
            assumed,
            "the word" if named else "no word",
            _EGO_MARK,
        )
    return assumed
