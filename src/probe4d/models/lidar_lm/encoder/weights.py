"""Fills a module with weights, or says which do not fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from torch import Tensor, nn

from probe4d.errors import InputError

__all__ = ["fill"]

_NAMED = 5


def fill(module: nn.Module, weights: Mapping[str, Tensor], path: Path, told: Callable[[str], str] = str) -> None:
    """Copy weights into a module; every one must be there, of the right shape, and no other.

    Args:
        module: The module.
        weights: By the names of the module's `state_dict`.
        path: Where they come from, for errors.
        told: The name in the file of a weight of the module, for errors.

    Raises:
        InputError: Weights are missing, unexpected, of another shape or not finite.
    """
    expected = module.state_dict()
    missing = [told(name) for name in expected if name not in weights]
    unexpected = [told(name) for name in weights if name not in expected]
    for names, fault in ((missing, "lacks"), (unexpected, "has unexpected")):
        if names:
            raise InputError(f"{fault} {_listed(names)}.", path=path, remedy=_REMEDY)
    for name, weight in expected.items():
        given = weights[name]
        if given.shape != weight.shape:
            raise InputError(
                f"{told(name)} has the shape {tuple(given.shape)}; expected {tuple(weight.shape)}.",
                path=path,
                remedy=_REMEDY,
            )
        if not bool(given.isfinite().all()):
            raise InputError(f"{told(name)} holds NaN or infinite values.", path=path)
    module.load_state_dict(dict(weights))


_REMEDY = "It is a checkpoint of another architecture; give the options it was made with, or another checkpoint."


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return f"{len(names)} weight{'s' if len(names) > 1 else ''}: {', '.join(names[:_NAMED])}{more}"
