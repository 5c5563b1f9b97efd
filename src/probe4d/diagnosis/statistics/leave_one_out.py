"""Predictions that leave the predicted question's whole scene out (LiDAR-Hallu, Sec. IV-B).

The content control predicts references this way, shortcut attribution predicts a model's own answers. What is
learned from may be the predicted items themselves, or others.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Places", "counts_elsewhere", "majority", "median", "most_frequent", "occurs_elsewhere", "preferred_option"]

Codes = npt.NDArray[np.intp]
Values = npt.NDArray[np.float64]


class Places(NamedTuple):
    """Where items stand.

    Attributes:
        keys: (items,) codes from 0; of options (items, options), -1 where there is no such option.
        scenes: (items,) codes from 0.
    """

    keys: Codes
    scenes: Codes


def counts_elsewhere(
    learned: Places, labels: npt.NDArray[np.integer], *, asked: Places | None = None, kinds: int | None = None
) -> Values:
    """Count how often each label goes with an item's key in other scenes.

    Args:
        learned: The items to learn from.
        labels: (learned items,) label codes from 0.
        asked: The items that are asked about; null takes those learned from.
        kinds: Number of labels; null takes those that there are.

    Returns:
        (asked items, kinds) counts.
    """
    asked = asked or learned
    kinds = int(labels.max(initial=0)) + 1 if kinds is None else kinds
    label = labels.astype(np.intp)
    keys = 1 + int(max(asked.keys.max(initial=0), learned.keys.max(initial=0)))
    everywhere = np.bincount(learned.keys * kinds + label, minlength=keys * kinds).reshape(-1, kinds)
    wanted, own = _pairs(asked, learned)
    pairs, place = np.unique(own, return_inverse=True)
    inside = np.bincount(place * kinds + label, minlength=(pairs.size + 1) * kinds).reshape(-1, kinds)
    at = np.searchsorted(pairs, wanted)
    at[~np.isin(wanted, pairs)] = pairs.size  # where nothing was counted
    return (everywhere[asked.keys] - inside[at]).astype(np.float64)


def majority(learned: Places, labels: npt.NDArray[np.integer]) -> Codes:
    """Predict each item's label as the most frequent one among items with its key in other scenes.

    Ties, and keys that occur in no other scene, are settled by the labels of all other scenes' items, and then go to
    the lowest label code.

    Args:
        learned: The items.
        labels: (items,) label codes from 0.

    Returns:
        (items,) predicted label codes.
    """
    counts = counts_elsewhere(learned, labels)
    overall = counts_elsewhere(Places(np.zeros_like(learned.keys), learned.scenes), labels)
    # Below one count in total, so that it decides ties alone.
    counts = counts + overall / (overall.sum(axis=1, keepdims=True) + 1.0)
    best: Codes = counts.argmax(axis=1)
    return best


def preferred_option(
    learned: Places, chosen: npt.NDArray[np.integer], *, asked: Places | None = None
) -> npt.NDArray[np.int8]:
    """Predict which option is chosen from how often options of the same value are chosen in other scenes.

    The score of a value is (times chosen + 1) / (times offered and not chosen + 1), Eq. 5; the highest
    wins, ties go to the earliest option.

    Args:
        learned: The items to learn from; a key is what an option says.
        chosen: (learned items,) index of the chosen option.
        asked: The items to predict; null takes those learned from.

    Returns:
        (asked items,) index of the predicted option.
    """
    asked = asked or learned
    options, offered = _options(learned)
    is_chosen = (np.arange(learned.keys.shape[1])[None, :] == chosen[:, None]).ravel()[offered]
    wanted, there = _options(asked)
    counts = counts_elsewhere(options, is_chosen.astype(np.int8), asked=wanted, kinds=2)
    scores = np.full(asked.keys.size, -1.0)
    scores[there] = (counts[:, 1] + 1.0) / (counts[:, 0] + 1.0)
    best: npt.NDArray[np.intp] = scores.reshape(asked.keys.shape).argmax(axis=1)
    return best.astype(np.int8)


def median(learned: Places, values: Values, *, asked: Places | None = None) -> Values:
    """Predict each item's value as the median value of the items with its key in other scenes.

    Args:
        learned: The items to learn from.
        values: (learned items,) numbers.
        asked: The items to predict; null takes those learned from.

    Returns:
        (asked items,) medians; NaN where a key occurs in no other scene.
    """
    asked = asked or learned
    wanted, learned_pairs = _pairs(asked, learned)
    wanted, of_item = np.unique(wanted, return_inverse=True)  # items of one key and scene have one median
    found = np.full(wanted.size, np.nan)
    if not values.size:
        return found[of_item]
    order = np.lexsort((values, learned.keys))
    ranked, keys, pairs = values[order], learned.keys[order], learned_pairs[order]
    by_pair = np.argsort(pairs, kind="stable")
    own, first, sizes = np.unique(pairs[by_pair], return_index=True, return_counts=True)
    # So many of the same key's items in other scenes stand before an item, ascending within its key and scene.
    others_before = by_pair - np.searchsorted(keys, keys[by_pair]) - np.arange(pairs.size) + np.repeat(first, sizes)
    bar = values.size + 1
    barred = np.repeat(np.arange(own.size), sizes) * bar + others_before

    which = np.minimum(np.searchsorted(own, wanted), own.size - 1)
    has_own = own[which] == wanted
    key = wanted // _scenes(asked, learned)
    start = np.searchsorted(keys, key)
    left = np.searchsorted(keys, key, side="right") - start - np.where(has_own, sizes[which], 0)
    some = left > 0

    def of_rank(rank: Codes) -> Values:
        """The value of a rank among the items of other scenes: own items up to there stand in between."""
        between = np.searchsorted(barred, which * bar + rank, side="right") - first[which]
        value: Values = ranked[(start + rank + np.where(has_own, between, 0))[some]]
        return value

    found[some] = (of_rank((left - 1) // 2) + of_rank(left // 2)) / 2
    return found[of_item]


def most_frequent(
    learned: Places, values: npt.NDArray[np.int64], *, asked: Places | None = None
) -> tuple[npt.NDArray[np.int64], Codes]:
    """Predict each item's value as the most frequent value of the items with its key in other scenes.

    Args:
        learned: The items to learn from.
        values: (learned items,) whole numbers; of equally frequent ones the lowest wins.
        asked: The items to predict; null takes those learned from.

    Returns:
        (asked items,) values, and how often each is found, 0 where a key occurs in no other scene.
    """
    asked = asked or learned
    if not values.size:
        return np.zeros(asked.keys.size, dtype=np.int64), np.zeros(asked.keys.size, dtype=np.intp)
    distinct, labels = np.unique(values, return_inverse=True)
    # Items of one key and scene are predicted alike.
    _, first, of_item = np.unique(_pairs(asked, learned)[0], return_index=True, return_inverse=True)
    once = Places(asked.keys[first], asked.scenes[first])
    counts = counts_elsewhere(learned, labels, asked=once, kinds=distinct.size)
    return distinct[counts.argmax(axis=1)][of_item], counts.max(axis=1).astype(np.intp)[of_item]


def occurs_elsewhere(learned: Places, *, asked: Places | None = None) -> npt.NDArray[np.bool_]:
    """Say whose key, or the key of one of whose options, occurs in another scene.

    Args:
        learned: The items to learn from.
        asked: The items that are asked about; null takes those learned from.

    Returns:
        (asked items,) whether there is something to learn from.
    """
    asked = asked or learned
    asked, learned = (Places(np.atleast_2d(one.keys.T).T, one.scenes) for one in (asked, learned))
    (wanted, there), (options, _) = _options(asked), _options(learned)
    found = np.zeros(asked.keys.size, dtype=bool)
    found[there] = counts_elsewhere(options, np.zeros(options.keys.size, dtype=np.int8), asked=wanted)[:, 0] > 0
    occurs: npt.NDArray[np.bool_] = np.logical_or.reduce(found.reshape(asked.keys.shape), axis=1)
    return occurs


def _options(items: Places) -> tuple[Places, npt.NDArray[np.bool_]]:
    """The options of items as items of their own, without those that are none, and which of all places they take."""
    there = items.keys.ravel() >= 0
    return Places(items.keys.ravel()[there], np.repeat(items.scenes, items.keys.shape[1])[there]), there


def _scenes(asked: Places, learned: Places) -> int:
    """A number above every scene's code."""
    return 1 + int(max(asked.scenes.max(initial=0), learned.scenes.max(initial=0)))


def _pairs(asked: Places, learned: Places) -> tuple[Codes, Codes]:
    """One code for each pair of key and scene, of the items asked and of those learned from."""
    scenes = _scenes(asked, learned)
    return asked.keys * scenes + asked.scenes, learned.keys * scenes + learned.scenes
