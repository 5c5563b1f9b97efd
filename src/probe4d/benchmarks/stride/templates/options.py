"""Texts of options that several templates share."""

from __future__ import annotations

from itertools import pairwise

from probe4d.benchmarks.stride.thresholds import FRAME_SPACING_S, FUTURE_POSITIONS, HISTORY_FRAMES, MOTION_FRAMES

__all__ = [
    "AHEAD_S",
    "BACK_S",
    "HOW_MANY",
    "LANES",
    "MOTION_S",
    "PAST_PATTERN",
    "PATTERN",
    "RISK",
    "SECTORS",
    "UNSATISFACTORY",
    "counts_between",
    "label_between",
]

SECTORS = ("front", "front-left", "left", "rear-left", "rear", "rear-right", "right", "front-right")
PATTERN = (
    "stands still",
    "moves straight on at a steady speed",
    "speeds up",
    "slows down",
    "turns left",
    "turns right",
)
PAST_PATTERN = (
    "stood still",
    "moved straight on at a steady speed",
    "sped up",
    "slowed down",
    "turned left",
    "turned right",
)
HOW_MANY = ("none", "one", "two", "three or more")
RISK = ("high", "moderate", "low", "none")
LANES = (
    "the lane of the ego vehicle",
    "the next lane to the left",
    "the next lane to the right",
    "a lane farther off",
    "no lane",
)

UNSATISFACTORY = "Rejected in manual review for insufficient or unsatisfactory evidence."
"""Why most of the removed templates were (Table 5)."""

AHEAD_S = FUTURE_POSITIONS * FRAME_SPACING_S
MOTION_S = MOTION_FRAMES * FRAME_SPACING_S
BACK_S = HISTORY_FRAMES * FRAME_SPACING_S
"""How far questions ask ahead of the ego vehicle, ahead of a target, and back."""


def label_between(bounds: tuple[float, ...], unit: str) -> tuple[str, ...]:
    """Names of the bins that ascending bounds make: `less than 10 m`, `10 to 20 m`, `more than 20 m`."""
    inner = [f"{low:g} to {high:g} {unit}" for low, high in pairwise(bounds)]
    return (f"less than {bounds[0]:g} {unit}", *inner, f"more than {bounds[-1]:g} {unit}")


def counts_between(bounds: tuple[int, ...]) -> tuple[str, ...]:
    """Names of the bins of counts: `fewer than 5`, `5 to 9`, `10 or more`."""
    inner = [f"{low} to {high - 1}" for low, high in pairwise(bounds)]
    return (f"fewer than {bounds[0]}", *inner, f"{bounds[-1]} or more")
