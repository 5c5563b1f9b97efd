"""Weights by name: read from files without running what is in them, and put where they belong or refused."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from probe4d.errors import InputError
from probe4d.store.files import whole_file
from probe4d.wording import counted

__all__ = ["fill", "read_torch", "read_weights", "weights_by_name", "write_weights"]

_NAMED = 5
_LEAST_BYTES = 2  # of a weight; nothing smaller is worth its own scale, which is not read


def read_weights(path: Path) -> dict[str, Tensor]:
    """Weights of a file by name, on the CPU.

    Args:
        path: A `.safetensors` file, or one that torch wrote, which is read with weights-only loading.

    Raises:
        InputError: There is no such file, it is broken, or it holds anything but weights by name.
    """
    if path.suffix != ".safetensors":
        return weights_by_name(read_torch(path), path)
    _refuse_missing(path)
    try:
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
    """
    _refuse_missing(path)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of pickles that are not torch's; what matters of them is raised
            return torch.load(path, map_location="cpu", weights_only=True)
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
    return held


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
    missing, unexpected = targets.keys() - weights.keys(), weights.keys() - targets.keys()
    for names, fault in ((missing, "lacks"), (unexpected, "has unexpected")):
        if names:
            raise InputError(f"{fault} {_named(sorted(map(told, names)))}.", path=path, remedy=remedy)
    for name, target in targets.items():
        given = weights[name]
        if given.shape != target.shape:
            raise InputError(
                f"{told(name)} has the shape {tuple(given.shape)}; expected {tuple(target.shape)}.",
                path=path,
                remedy=remedy,
            )
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


def _refuse_missing(path: Path) -> None:
    if not path.is_file():
        raise InputError("is missing; weights are expected here.", path=path, remedy="Give a whole checkpoint.")


def _named(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{counted(len(names), 'weight')}: {', '.join(names[:_NAMED])}{more}"
