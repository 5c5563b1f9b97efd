"""What was asked for and could not be had, template by template, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from probe4d.benchmarks.stride.candidates import WHOLE_SCENE
from probe4d.benchmarks.stride.templates import TEMPLATES

__all__ = ["shortfalls_of"]

_FROM_LABELS = {"weather": "weather", "time_of_day": "time of day", "road_type": "kind of road", "lane": "lanes"}


def shortfalls_of(taken: Mapping[str, pl.DataFrame], asked: Sequence[str], per_template: int) -> list[str]:
    """Say of which templates there are fewer questions than asked for, and why where a need tells it.

    Args:
        taken: By template the candidates that were taken.
        asked: Ids of the templates that were asked for.
        per_template: Questions of each that were asked for.
    """
    short = []
    for name in asked:
        found = taken[name].height if name in taken else 0
        if found < per_template:
            short.append(f"{name} ({TEMPLATES[name].relation}): {found:,} of {per_template:,}{_why(name, found)}.")
    return short


def _why(name: str, found: int) -> str:
    if found:
        return ", one a scene, since it shows all of it" if name == WHOLE_SCENE else ""
    missing = [_FROM_LABELS[need] for need in TEMPLATES[name].needs if need in _FROM_LABELS]
    if missing:
        return f", which needs labels of {' and '.join(missing)}"
    return ", which needs visibility levels" if "visibility" in TEMPLATES[name].needs else ""
