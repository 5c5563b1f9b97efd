"""Predictions from other scenes, against a count item by item."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from hypothesis import given, settings
from hypothesis import strategies as st

from probe4d.diagnosis.statistics.leave_one_out import Places, counts_elsewhere, majority, median, preferred_option

KEYS, SCENES, LABELS = 4, 5, 3

Codes = npt.NDArray[np.intp]


def places(items: list[tuple[int, int, int]]) -> tuple[Places, Codes]:
    """Where items stand, and a small number that each has."""
    table = np.array(items, dtype=np.intp).reshape(-1, 3)
    return Places(table[:, 0], table[:, 1]), table[:, 2]


item = st.tuples(st.integers(0, KEYS - 1), st.integers(0, SCENES - 1), st.integers(0, LABELS - 1))
items = st.lists(item, max_size=30).map(places)


def others(learned: Places, key: int, scene: int) -> npt.NDArray[np.bool_]:
    """Which items have the key in another scene."""
    found: npt.NDArray[np.bool_] = (learned.keys == key) & (learned.scenes != scene)
    return found


@settings(deadline=None)
@given(items, items)
def test_medians_are_those_of_the_other_scenes(told: tuple[Places, Codes], wanted: tuple[Places, Codes]) -> None:
    (learned, numbers), (elsewhere, _) = told, wanted
    for asked in (None, elsewhere):
        found = median(learned, numbers / 4, asked=asked)
        expected = [
            np.median(some) if (some := numbers[others(learned, key, scene)] / 4).size else np.nan
            for key, scene in zip(*(asked or learned), strict=True)
        ]
        np.testing.assert_array_equal(found, expected)


@settings(deadline=None)
@given(items, items)
def test_labels_are_counted_in_the_other_scenes(told: tuple[Places, Codes], wanted: tuple[Places, Codes]) -> None:
    (learned, labels), (elsewhere, _) = told, wanted
    for asked in (None, elsewhere):
        found = counts_elsewhere(learned, labels.astype(np.int8), asked=asked, kinds=LABELS)
        expected = [
            np.bincount(labels[others(learned, key, scene)], minlength=LABELS)
            for key, scene in zip(*(asked or learned), strict=True)
        ]
        assert found.tolist() == [counts.tolist() for counts in expected]


@settings(deadline=None)
@given(items)
def test_majorities_are_those_of_the_other_scenes_and_of_all_keys_where_these_tie(told: tuple[Places, Codes]) -> None:
    learned, labels = told
    expected = []
    for key, scene in zip(*learned, strict=True):
        own = np.bincount(labels[others(learned, key, scene)], minlength=LABELS)
        every = np.bincount(labels[learned.scenes != scene], minlength=LABELS)
        expected.append(max(range(LABELS), key=lambda label: (own[label], every[label], -label)))
    assert majority(learned, labels.astype(np.int8)).tolist() == expected


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 12), st.integers(1, 12))
def test_options_are_preferred_as_in_the_other_scenes(seed: int, few: int, many: int) -> None:
    rng = np.random.default_rng(seed)

    def offered(count: int) -> Places:
        values = rng.integers(0, KEYS, (count, LABELS))
        values[rng.random(count) < 0.3, -1] = -1  # some items have an option less
        return Places(values, rng.integers(0, SCENES, count))

    learned, elsewhere = offered(few), offered(many)
    chosen = rng.integers(0, LABELS - 1, few).astype(np.int8)
    for asked in (None, elsewhere):
        expected = []
        for values, scene in zip(*(asked or learned), strict=True):
            other = learned.scenes != scene
            scores = [-1.0] * LABELS
            for option, value in enumerate(values):
                if value >= 0:
                    right = (learned.keys[other, chosen[other]] == value).sum()
                    scores[option] = (right + 1) / ((learned.keys[other] == value).sum() - right + 1)
            expected.append(int(np.argmax(scores)))
        assert preferred_option(learned, chosen, asked=asked).tolist() == expected
