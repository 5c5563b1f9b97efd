"""Predictions that leave the scored question's whole scene out (LiDAR-Hallu, Sec. IV-B).

The content control predicts references this way, shortcut attribution predicts a model's own answers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["majority", "median", "preferred_option"]

Codes = npt.NDArray[np.intp]


def majority(keys: Codes, scenes: Codes, labels: npt.NDArray[np.int8], *, prior: bool = False) -> npt.NDArray[np.int8]:
    """Predict each item's label as the most frequent one among items with its key in other scenes.

    Args:
        keys: (items,) codes from 0.
        scenes: (items,) codes from 0.
        labels: (items,) label codes from 0.
        prior: Settle ties, and keys that occur in no other scene, by the labels of all other scenes'
            items. Without it they go to the lowest label code.

    Returns:
        (items,) predicted label codes.
    """
    kinds = int(labels.max(initial=0)) + 1
    counts = _elsewhere(keys, scenes, labels, kinds)
    if prior:
        # Below one count in total, so that it decides ties alone.
        overall = _elsewhere(np.zeros_like(keys), scenes, labels, kinds)
        counts = counts + overall / (overall.sum(axis=1, keepdims=True) + 1.0)
    best: npt.NDArray[np.intp] = counts.argmax(axis=1)
    return best.astype(np.int8)


def preferred_option(values: npt.NDArray[np.intp], scenes: Codes, chosen: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """Predict which option is chosen from how often options of the same value are chosen in other scenes.

    The score of a value is (times chosen + 1) / (times offered and not chosen + 1), Eq. 5; the highest
    wins, ties go to the earliest option.

    Args:
        values: (items, options) codes from 0 of what each option says; -1 where there is no such option.
        scenes: (items,) codes from 0.
        chosen: (items,) index of the chosen option.

    Returns:
        (items,) index of the predicted option.
    """
    items, options = values.shape
    offered = values.ravel() >= 0
    flat = np.maximum(values.ravel(), 0)
    is_chosen = (np.arange(options)[None, :] == chosen[:, None]).ravel()
    kind = np.where(is_chosen, 1, 0).astype(np.int8)
    counts = np.zeros((items * options, 2))
    counts[offered] = _elsewhere(flat[offered], np.repeat(scenes, options)[offered], kind[offered], 2)
    scores = np.where(offered, (counts[:, 1] + 1.0) / (counts[:, 0] + 1.0), -1.0)
    best: npt.NDArray[np.intp] = scores.reshape(items, options).argmax(axis=1)
    return best.astype(np.int8)


def median(keys: Codes, scenes: Codes, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Predict each item's value as the median value of the items with its key in other scenes.

    Args:
        keys: (items,) codes.
        scenes: (items,) codes.
        values: (items,) numbers.

    Returns:
        (items,) medians; NaN where a key occurs in no other scene.
    """
    found = np.full(values.size, np.nan)
    for key in np.unique(keys):
        items = np.flatnonzero(keys == key)
        own = scenes[items]
        for scene in np.unique(own):
            elsewhere = values[items[own != scene]]
            if elsewhere.size:
                found[items[own == scene]] = np.median(elsewhere)
    return found


def _elsewhere(keys: Codes, scenes: Codes, labels: npt.NDArray[np.int8], kinds: int) -> npt.NDArray[np.float64]:
    """(items, kinds): how often each label goes with the item's key outside the item's scene."""
    label = labels.astype(np.intp)
    everywhere = np.bincount(keys * kinds + label, minlength=(int(keys.max(initial=0)) + 1) * kinds).reshape(-1, kinds)
    _, here = np.unique(keys * (int(scenes.max(initial=0)) + 1) + scenes, return_inverse=True)
    inside = np.bincount(here * kinds + label, minlength=(int(here.max(initial=0)) + 1) * kinds).reshape(-1, kinds)
    return (everywhere[keys] - inside[here]).astype(np.float64)
