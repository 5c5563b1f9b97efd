"""Weights by name: read from files without running what is in them, and put where they belong or refused."""

from __future__ import annotations

import hashlib
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from probe4d.errors import InputError, RunError
from probe4d.models.local.memory import memory_to_read
from probe4d.store.files import whole_file
from probe4d.store.hashing import canonical_json
from probe4d.wording import counted

__all__ = [
    "fill",
    "fingerprint",
    "read_torch",
    "read_weights",
    "refuse_other_shapes",
    "weights_by_name",
    "write_weights",
]

_NAMED = 5
_LEAST_BYTES = 2  # of a weight; nothing smaller is worth its own scale, which is not read
_SMALLER = "a smaller model"


def read_weights(path: Path) -> dict[str, Tensor]:
    """Weights of a file by name, on the CPU.

    Args:
        path: A `.safetensors` file, or one that torch wrote, which is read with weights-only loading.

    Raises:
        InputError: There is no such file, it is broken, or it holds anything but weights by name.
        RunError: The memory does not suffice.
    """
    if path.suffix != ".safetensors":
        return weights_by_name(read_torch(path), path)
    _refuse_missing(path)
    try:
        with memory_to_read(path, _SMALLER):
            return load_file(path)
    except (SafetensorError, OSError) as error:
        raise InputError(f"is broken ({error}).", path=path, remedy="Get the file again.") from error


def write_weights(weights: Mapping[str, Tensor], path: Path, *, metadata: Mapping[str, str] | None = None) -> None:
    """Write weights by name as a whole safetensors file, on whatever device they lie.

    Raises:
        InputError: The folder cannot be written to.
        RunError: The disk is full.
    """
    held = {name: weight.detach().cpu().contiguous() for name, weight in weights.items()}
    with whole_file(path) as temporary:
        save_file(held, temporary, metadata=None if metadata is None else dict(metadata))


def read_torch(path: Path) -> Any:
    """What torch wrote to a file, on the CPU, by weights-only loading.

    Raises:
        InputError: There is no such file, it is broken, or there is code in it, which is not run.
        RunError: The memory does not suffice.
    """
    _refuse_missing(path)
    try:
        with warnings.catch_warnings(), memory_to_read(path, _SMALLER):
            warnings.simplefilter("ignore")  # of pickles that are not torch's; what matters of them is raised
            return torch.load(path, map_location="cpu", weights_only=True)
    except RunError:
        raise
    except Exception as error:  # torch raises whatever a broken file leads it to
        raise InputError(
            "is broken, or holds more than weights: code in a file is never run.",
            path=path,
            remedy="If you trust it, load it where it was made and save a dictionary of its weights alone.",
        ) from error


def weights_by_name(held: object, path: Path) -> dict[str, Tensor]:
    """What a file holds, if that is weights by name.

    Raises:
        InputError: It is not.
    """
    if not isinstance(held, dict) or not all(isinstance(k, str) and isinstance(w, Tensor) for k, w in held.items()):
        raise InputError("holds no dictionary of weights by name.", path=path, remedy="Give a whole checkpoint.")
    if unlike := sorted(name for name, weight in held.items() if not _is_whole(weight)):
        raise InputError(
            f"does not hold all numbers of {_named(unlike)}.", path=path, remedy="Give plain weights, written in full."
        )
    return held


def fingerprint(settings: object, weights: Mapping[str, Tensor]) -> str:
    """First 16 hexadecimal digits of SHA-256 over settings and every number of weights, sorted by name.

    Args:
        settings: What else tells a model from others, as JSON has it.
        weights: By name, on whatever device and in any dtype.
    """
    digest = hashlib.sha256(canonical_json(settings))
    for name, weight in sorted(weights.items()):
        digest.update(canonical_json([name, str(weight.dtype), list(weight.shape)]))
        numbers = weight.detach().cpu().contiguous().reshape(-1)
        of_bytes: np.ndarray = numbers.view(torch.uint8).numpy()  # numpy has no bfloat16
        digest.update(of_bytes.tobytes())
    return digest.hexdigest()[:16]


def refuse_other_shapes(
    targets: Mapping[str, Tensor],
    weights: Mapping[str, Tensor],
    path: Path,
    *,
    remedy: str,
    told: Callable[[str], str] = str,
) -> None:
    """Refuse weights that are not those of targets by name and shape; targets may lie on the device `meta`.

    Args:
        targets: What would be filled, by name.
        weights: By the same names.
        path: Where they come from, for errors.
        remedy: What to do about weights that do not fit.
        told: The name in the file of a target, for errors.

    Raises:
        InputError: Weights are missing, unexpected or of another shape.
    """
    missing, unexpected = targets.keys() - weights.keys(), weights.keys() - targets.keys()
    for names, fault in ((missing, "lacks"), (unexpected, "has unexpected")):
        if names:
            raise InputError(f"{fault} {_named(sorted(map(told, names)))}.", path=path, remedy=remedy)
    for name, target in targets.items():
        if weights[name].shape != target.shape:
            raise InputError(
                f"{told(name)} has the shape {tuple(weights[name].shape)}; expected {tuple(target.shape)}.",
                path=path,
                remedy=remedy,
            )


def fill(
    targets: Mapping[str, Tensor],
    weights: Mapping[str, Tensor],
    path: Path,
    *,
    remedy: str,
    told: Callable[[str], str] = str,
) -> None:
    """Copy weights to where they belong; every one must be there, of the right shape, and no other.

    Args:
        targets: What is filled, by name, such as a `state_dict`.
        weights: By the same names, in any dtype.
        path: Where they come from, for errors.
        remedy: What to do about weights that do not fit.
        told: The name in the file of a target, for errors.

    Raises:
        InputError: Weights are missing, unexpected, of another shape or kind of number, or not finite.
    """
    refuse_other_shapes(targets, weights, path, remedy=remedy, told=told)
    for name, target in targets.items():
        given = weights[name]
        if given.is_floating_point() != target.is_floating_point() or given.dtype.itemsize < _LEAST_BYTES:
            raise InputError(
                f"{told(name)} has the dtype {given.dtype}; expected {target.dtype} or the like.",
                path=path,
                remedy="Give weights that are neither quantized nor of 8 bits.",
            )
        if not bool(given.isfinite().all()):
            raise InputError(f"{told(name)} holds NaN or infinite values.", path=path)
    for name, target in targets.items():
        target.detach().copy_(weights[name])


def _is_whole(weight: Tensor) -> bool:
    """Whether a weight's numbers all lie in memory; a file of few bytes may claim the shape of many."""
    if weight.layout != torch.strided or weight.device.type != "cpu":
        return False
    return weight.numel() * weight.element_size() <= weight.untyped_storage().nbytes()


def _refuse_missing(path: Path) -> None:
    if not path.is_file():
        raise InputError("is missing; weights are expected here.", path=path, remedy="Give a whole checkpoint.")


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{counted(len(names), 'weight')}: {', '.join(names[:_NAMED])}{more}"
