"""What is decided about a scene before anything is placed: manoeuvre, classes, light phases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from probe4d.scenes.classes import CLASSES

__all__ = ["MANOEUVRES", "Plan", "absent_classes", "plan_scene"]

MANOEUVRES = ("straight", "stop", "left", "right", "bend", "queue", "stop and left", "stop and right", "zebra")


@dataclass(frozen=True)
class Plan:
    """What is decided about a scene before anything is placed.

    Attributes:
        manoeuvre: One of `MANOEUVRES`.
        present: Classes that occur.
        red: Spans of time (s) during which the main street has a red light, and the cross street.
        turns: "left", "right" or "straight": how the ego vehicle leaves the junction.
    """

    manoeuvre: str
    present: tuple[str, ...]
    red: tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]
    turns: str


def absent_classes(seed: int, scene: int) -> set[str]:
    """Three to six classes that do not occur in a scene; any three scenes of a block together show all ten.

    Each block of three scenes shuffles the classes other than car; its scenes leave out a run of three to six
    that begins at position 0, 3 and 6, so that no class is left out by all three.
    """
    block, place = divmod(scene, 3)
    others = [name for name in CLASSES if name != "car"]
    order = np.random.default_rng([seed, 1, block]).permutation(len(others))
    count = int(np.random.default_rng([seed, 2, scene]).choice([3, 4, 5, 6], p=[0.45, 0.3, 0.15, 0.1]))
    return {others[order[(3 * place + i) % len(others)]] for i in range(count)}


def plan_scene(seed: int, scene: int, rng: np.random.Generator) -> Plan:
    """Choose manoeuvre, classes and light phases; nine scenes in a row go through all manoeuvres."""
    block, place = divmod(scene, len(MANOEUVRES))
    order = np.random.default_rng([seed, 3, block]).permutation(len(MANOEUVRES))
    manoeuvre = MANOEUVRES[order[place]]
    absent = absent_classes(seed, scene)
    always = (-60.0, 90.0)
    red: tuple[tuple[tuple[float, float], ...], tuple[tuple[float, float], ...]]
    if manoeuvre.startswith("stop"):
        change = float(rng.uniform(9.0, 13.0))
        red = (((always[0], change),), ((change - 3.0, always[1]),))
    else:
        red = ((), (always,))
    turns = next((side for side in ("left", "right") if manoeuvre.endswith(side)), "straight")
    return Plan(manoeuvre, tuple(name for name in CLASSES if name not in absent), red, turns)
