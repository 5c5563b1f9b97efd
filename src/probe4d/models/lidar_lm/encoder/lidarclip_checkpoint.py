"""Reads LidarCLIP checkpoints as PyTorch Lightning wrote them, without running what is in them."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor

from probe4d.errors import InputError
from probe4d.models.lidar_lm.encoder.lidar_encoder import OTHER_ARCHITECTURE, LidarEncoder
from probe4d.models.lidar_lm.encoder.options import EncoderOptions
from probe4d.models.local.weights import fill, read_torch, weights_by_name

__all__ = ["load_lidarclip"]

_LOGGER = logging.getLogger(__name__)

_ENCODER = "lidar_encoder."
_PREFIXES = {
    "lidar_encoder._sst.voxel_encoder.": "voxel_encoder.",
    "lidar_encoder._sst.backbone.": "backbone.",
    "lidar_encoder._pooler.": "pooler.",
}
_DETECTION_HEAD = "lidar_encoder._sst.bbox_head."
_CLIP = "clip."
_REMEDY = "Name a LidarCLIP checkpoint (.ckpt)."


class _Inert:
    """Stands for an object of the training state, and does nothing."""

    def __new__(cls, *_: object) -> _Inert:
        return super().__new__(cls)

    def __setstate__(self, state: object) -> None:
        """Forget the state."""


def _plain_dictionary(*_: object) -> dict[object, object]:
    return {}


# PyTorch before 2.4 keeps a bound method in the state of OneCycleLR, and with it the scheduler and the optimizer
# (pytorch issue 42376, pull request 123775). Neither is needed, so that no name here stands for what it names.
_TRAINING_STATE: list[Callable[..., Any] | tuple[Callable[..., Any], str]] = [
    (_Inert, "builtins.getattr"),
    (_Inert, "builtins.dict"),
    (_plain_dictionary, "collections.defaultdict"),
    (_Inert, "torch.optim.adam.Adam"),
    (_Inert, "torch.optim.lr_scheduler.OneCycleLR"),
]


def load_lidarclip(path: Path | str, options: EncoderOptions | None = None) -> LidarEncoder:
    """Read the encoder of a LidarCLIP checkpoint, in `eval()` on the CPU.

    The detection head (`bbox_head.*`) and the CLIP model (`clip.*`) of the file are not used; a log line says so.

    Args:
        path: A file with `state_dict`, read with weights-only loading: code in it is refused, never run.
        options: What the encoder is like; by default the released sizes with the width that the file has.

    Raises:
        InputError: The file cannot be read, has code in it, or its weights are not those of such an encoder; names
            the weight and both shapes.
    """
    path = Path(path)
    weights: dict[str, Tensor] = {}
    unused: Counter[str] = Counter()
    for key, weight in _state_dict(path).items():
        if key.startswith(_ENCODER) and not key.startswith(_DETECTION_HEAD):
            weights[_own_name(key)] = weight
        else:
            unused[_DETECTION_HEAD if key.startswith(_DETECTION_HEAD) else f"{key.partition('.')[0]}."] += 1
    if not weights:
        raise InputError(
            f"holds no weights of a LiDAR encoder: none begins with {_ENCODER!r}.",
            path=path,
            remedy=_REMEDY,
        )
    encoder = LidarEncoder(options or _options_for(weights))
    fill(encoder.state_dict(), weights, path, remedy=OTHER_ARCHITECTURE, told=_released_name)
    for prefix, count in unused.items():
        known = prefix in (_DETECTION_HEAD, _CLIP)
        _LOGGER.log(logging.INFO if known else logging.WARNING, "%s: %d weights %s* are not used.", path, count, prefix)
    return encoder.eval()


def _own_name(key: str) -> str:
    for released, own in _PREFIXES.items():
        if key.startswith(released):
            return own + key.removeprefix(released)
    return key


def _released_name(name: str) -> str:
    for released, own in _PREFIXES.items():
        if name.startswith(own):
            return released + name.removeprefix(own)
    return name


def _options_for(weights: Mapping[str, Tensor]) -> EncoderOptions:
    """The released sizes; the width of the embedding is that of the CLIP model it was trained to imitate."""
    bias = weights.get("pooler.c_proj.bias")
    default = EncoderOptions()
    if bias is None or bias.ndim != 1 or not len(bias) or len(bias) % default.pooling_heads:
        return default  # what does not fit is told when the weights are filled in
    return msgspec.structs.replace(default, out_channels=len(bias))


def _state_dict(path: Path) -> dict[str, Tensor]:
    with torch.serialization.safe_globals(_TRAINING_STATE):
        checkpoint = read_torch(path)
    if not isinstance(checkpoint, dict) or "state_dict" not in checkpoint:
        raise InputError(
            "expected a PyTorch Lightning checkpoint, with its weights in 'state_dict'.", path=path, remedy=_REMEDY
        )
    return weights_by_name(checkpoint["state_dict"], path)
