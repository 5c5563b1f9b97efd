"""What a training leaves so that it can go on after a kill: what it was asked to do, and how far it has come.

The state is one safetensors file, which is replaced whole at each checkpoint: what is trained, the moments of AdamW,
and in its metadata the step and the scale of fp16. Nothing else is needed: the order of the rows, the learning rate
and the random numbers of a step follow from the seed and its number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import Tensor, nn

from probe4d.errors import InputError
from probe4d.models.local.weights import write_weights

__all__ = ["STATE_FILE", "TrainingState", "kept_tensors"]

STATE_FILE = "training_state.safetensors"
_WEIGHTS, _MOMENTS = "weights", ("step", "exp_avg", "exp_avg_sq")
_START_AGAIN = "Take another folder."


def kept_tensors(module: nn.Module) -> dict[str, Tensor]:
    """What training changes: parameters that require gradients, and buffers such as running means."""
    persistent = module.state_dict(keep_vars=True)
    trained = {name: parameter for name, parameter in module.named_parameters() if parameter.requires_grad}
    return trained | {name: buffer for name, buffer in module.named_buffers() if name in persistent}


@dataclass
class TrainingState:
    """A training under way.

    Attributes:
        module: What is trained.
        optimizer: AdamW over its parameters that require gradients, in the order of their names.
        scaler: Scale of the loss in fp16; off in other precisions.
        step: Steps done.
    """

    module: nn.Module
    optimizer: torch.optim.AdamW
    scaler: torch.amp.GradScaler
    step: int = 0

    def save(self, folder: Path) -> None:
        """Write the state, in place of an older one, as a whole file.

        Raises:
            InputError: The folder cannot be written to.
            RunError: The disk is full.
        """
        tensors = {f"{_WEIGHTS}/{name}": tensor for name, tensor in kept_tensors(self.module).items()}
        moments = self.optimizer.state_dict()["state"]
        for index, name in enumerate(self._trained()):
            tensors |= {f"{kind}/{name}": value for kind, value in moments.get(index, {}).items()}
        told = {"step": self.step, "scaler": self.scaler.state_dict()}
        metadata = {name: msgspec.json.encode(value).decode() for name, value in told.items()}
        write_weights(tensors, folder / STATE_FILE, metadata=metadata)

    def load(self, folder: Path) -> None:
        """Go on from the state in a folder; without one everything stays at its beginning.

        Raises:
            InputError: It cannot be read, or is that of another training.
        """
        path = folder / STATE_FILE
        if not path.exists():
            return
        tensors, told = _read(path)
        weights = {name: tensor for name, tensor in tensors.items() if name.startswith(f"{_WEIGHTS}/")}
        own = kept_tensors(self.module)
        if {name: tensor.shape for name, tensor in weights.items()} != {
            f"{_WEIGHTS}/{name}": tensor.shape for name, tensor in own.items()
        }:
            raise InputError("holds the state of another training.", path=path, remedy=_START_AGAIN)
        with torch.no_grad():
            for name, tensor in own.items():
                tensor.copy_(weights[f"{_WEIGHTS}/{name}"])
        moments = {
            index: {kind: tensors[f"{kind}/{name}"] for kind in _MOMENTS}
            for index, name in enumerate(self._trained())
            if f"{_MOMENTS[0]}/{name}" in tensors
        }
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": moments})
        self.scaler.load_state_dict(told["scaler"])
        self.step = told["step"]

    def _trained(self) -> list[str]:
        return [name for name, parameter in self.module.named_parameters() if parameter.requires_grad]


def _read(path: Path) -> tuple[Mapping[str, Tensor], dict[str, Any]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="pt") as file:
            told = {name: msgspec.json.decode(value) for name, value in (file.metadata() or {}).items()}
            if not isinstance(told.get("step"), int) or not isinstance(told.get("scaler"), dict):
                raise InputError("is no state of a training.", path=path, remedy=_START_AGAIN)
            return {name: file.get_tensor(name) for name in file.keys()}, told  # noqa: SIM118 - no mapping
    except (OSError, SafetensorError, msgspec.DecodeError) as error:
        raise InputError(f"cannot be read ({error}).", path=path, remedy=_START_AGAIN) from error
