from __future__ import annotations

from probe4d.exchange.permutations import permutation_fault
from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order


def test_says_what_is_wrong() -> None:
    order = list(shuffled_order(40, 42))
    assert permutation_fault(order, seed=42, length=40) is None
    assert permutation_fault(order[:-1], seed=42, length=40) == "the permutation has 39 frames, the scene has 40"
    assert "each of 0 to 39 once" in (permutation_fault([*order[:-1], order[0]], seed=42, length=40) or "")
    assert "each of 0 to 39 once" in (permutation_fault([*order[:-1], 40], seed=42, length=40) or "")
    swapped = [order[1], order[0], *order[2:]]
    assert permutation_fault(swapped, seed=42, length=40) == "the permutation is not the one that seed 42 gives"
