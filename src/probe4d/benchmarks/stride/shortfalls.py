"""What was asked for and could not be had, template by template, as sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from probe4d.benchmarks.stride.templates import Template

__all__ = ["shortfalls_of"]

_FROM_LABELS = {"weather": "weather", "time_of_day": "time of day", "road_type": "kind of road", "lane": "lanes"}
_FROM_DATA = {
    "visibility": "visibility levels",
    "ratings": "trajectories that people rated",
    "cluster": "scenario clusters (`probe4d convert wod-e2e --clusters`)",
}


def shortfalls_of(taken: Mapping[str, pl.DataFrame], asked: Sequence[Template], per_template: int) -> list[str]:
    """Say of which templates there are fewer questions than asked for, and why where a need tells it.

    Args:
        taken: By template the candidates that were taken.
        asked: The templates that were asked for.
        per_template: Questions of each that were asked for.
    """
    short = []
    for template in asked:
        found = taken[template.id].height
        if found < per_template:
            told = f"{template.id} ({template.relation}): {found:,} of {per_template:,}"
            short.append(f"{told}{_why(template, found)}.")
    return short


def _why(template: Template, found: int) -> str:
    if found:
        return ", one a scene, since it shows all of it" if template.shows_scene else ""
    missing = [_FROM_LABELS[need] for need in template.needs if need in _FROM_LABELS]
    if missing:
        return f", which needs labels of {' and '.join(missing)}"
    return next((f", which needs {words}" for need, words in _FROM_DATA.items() if need in template.needs), "")
