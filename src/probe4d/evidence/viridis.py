"""Viridis: colours of equal perceived steps, dark to light (matplotlib's, van der Walt and Smith 2015)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["viridis"]

_STOPS = ("482878", "3e4989", "31688e", "26828e", "1f9e89", "35b779", "6ece58", "b5de2b", "fde725")


def viridis(steps: int) -> NDArray[np.uint8]:
    """Red, green and blue of so many steps, shape (steps, 3)."""
    stops = np.array([list(bytes.fromhex(colour)) for colour in _STOPS], dtype=np.float64)
    places = np.linspace(0, len(stops) - 1, steps)
    colours = np.stack([np.interp(places, np.arange(len(stops)), channel) for channel in stops.T], axis=-1)
    return colours.round().astype(np.uint8)
