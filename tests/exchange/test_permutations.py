from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.exchange.permutations import permutation_fault, seeded_permutation

RECORDED = {
    (42, 40): "22 9 32 15 0 3 8 18 14 13 38 2 7 4 23 37 27 29 35 17 19 25 6 21 12 10 16 39 24 33 11 34 28 20 26 31 30 "
    "36 1 5",
    (43, 41): "13 9 31 34 36 7 4 20 18 6 0 21 32 35 27 15 14 40 39 22 12 30 28 1 17 23 10 11 24 37 26 2 5 29 16 8 33 "
    "25 3 38 19",
    (55, 39): "7 1 0 35 17 26 27 12 28 16 4 2 14 13 25 37 15 30 6 21 5 19 36 10 22 8 24 34 33 23 38 20 31 29 18 3 32 "
    "9 11",
}


@pytest.mark.parametrize(("seed", "length"), RECORDED)
def test_equals_the_recorded_permutations(seed: int, length: int) -> None:
    recorded = [int(cell) for cell in RECORDED[seed, length].split()]
    assert list(seeded_permutation(seed, length)) == recorded
    assert permutation_fault(recorded, seed=seed, length=length) is None


@given(st.integers(0, 2**32 - 1), st.integers(0, 60))
def test_every_seed_gives_a_permutation(seed: int, length: int) -> None:
    assert sorted(seeded_permutation(seed, length)) == list(range(length))


def test_says_what_is_wrong() -> None:
    order = list(seeded_permutation(42, 40))
    assert permutation_fault(order[:-1], seed=42, length=40) == "the permutation has 39 frames, the scene has 40"
    assert "each of 0 to 39 once" in (permutation_fault([*order[:-1], order[0]], seed=42, length=40) or "")
    assert "each of 0 to 39 once" in (permutation_fault([*order[:-1], 40], seed=42, length=40) or "")
    swapped = [order[1], order[0], *order[2:]]
    assert permutation_fault(swapped, seed=42, length=40) == "the permutation is not the one that seed 42 gives"
