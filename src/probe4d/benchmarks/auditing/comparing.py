"""Compares what a benchmark stores with what an audit derived, value by value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

__all__ = ["TOLERANCE", "differences"]

TOLERANCE = 1e-6
"""Metres, or degrees, that two computations of one measurement may differ by."""


def differences(name: str, stored: Any, derived: Any, *, tolerance: float = TOLERANCE) -> Iterator[str]:
    """Yield what differs, as "name: stored X, derived Y"; nothing if all agrees.

    Args:
        name: Name of the value; those ending in `_deg` are angles, of which whole turns do not count.
        stored: The stored value.
        derived: The derived value: null, text, a number, a dict, or a list or tuple of such.
        tolerance: How far apart numbers may be.
    """
    if isinstance(derived, dict) and isinstance(stored, dict):
        for key in sorted({*stored, *derived}):
            yield from differences(
                f"{name}.{key}", stored.get(key, _ABSENT), derived.get(key, _ABSENT), tolerance=tolerance
            )
    elif _is_list(derived) and _is_list(stored) and len(derived) == len(stored):
        for index, (mine, theirs) in enumerate(zip(stored, derived, strict=True)):
            yield from differences(f"{name}[{index}]{_token(mine)}", mine, theirs, tolerance=tolerance)
    elif _is_number(derived) and _is_number(stored):
        if not _near(float(stored), float(derived), tolerance, turns=name.endswith("_deg")):
            yield f"{name}: stored {stored!r}, derived {derived!r}"
    elif isinstance(derived, bool) is not isinstance(stored, bool) or _plain(stored) != _plain(derived):
        yield f"{name}: stored {_shown(stored)}, derived {_shown(derived)}"


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


_ABSENT = _Absent()


def _token(value: Any) -> str:
    """Token of the box or pose that an entry is about, in brackets."""
    token = value.get("box", value.get("token")) if isinstance(value, dict) else None
    return f" ({token})" if token else ""


def _is_list(value: Any) -> bool:
    return isinstance(value, list | tuple)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _near(stored: float, derived: float, tolerance: float, *, turns: bool) -> bool:
    apart = math.remainder(stored - derived, 360) if turns and math.isfinite(stored) else stored - derived
    return abs(apart) <= tolerance


def _plain(value: Any) -> Any:
    return list(value) if _is_list(value) else value


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"
