"""The matching is Kuhn's in the published order, whatever the size."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import maximum_bipartite_matching

from probe4d.diagnosis.statistics.matching import match_across_scenes

SCENES = st.lists(st.sampled_from("abcdefg"), max_size=14).map(sorted)
FEW_SCENES = st.lists(st.sampled_from("ab"), max_size=14).map(sorted)


def recursive(positives: Sequence[str], negatives: Sequence[str]) -> list[tuple[int, int]]:
    """The textbook form: each positive tries negatives in order and asks their owners to move."""
    owner: dict[int, int] = {}

    def augment(positive: int, visited: set[int]) -> bool:
        for negative, scene in enumerate(negatives):
            if scene == positives[positive] or negative in visited:
                continue
            visited.add(negative)
            if negative not in owner or augment(owner[negative], visited):
                owner[negative] = positive
                return True
        return False

    for positive in range(len(positives)):
        augment(positive, set())
    return [(owner[negative], negative) for negative in sorted(owner)]


@given(SCENES | FEW_SCENES, SCENES | FEW_SCENES)
@settings(max_examples=500)
def test_equals_the_recursive_form(positives: list[str], negatives: list[str]) -> None:
    assert match_across_scenes(positives, negatives) == recursive(positives, negatives)


def test_equals_the_recursive_form_where_paths_are_long() -> None:
    rng = np.random.default_rng(0)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5000))
    for scenes in (2, 3, 5, 10, 25, 80, 1000):
        for sizes in ((150, 150), (150, 90), (90, 150), (60, 60), (140, 130)):
            positives, negatives = (sorted(f"{code:04d}" for code in rng.integers(scenes, size=size)) for size in sizes)
            assert match_across_scenes(positives, negatives) == recursive(positives, negatives)


@given(st.integers(1, 8), st.integers(0, 60), st.integers(0, 60), st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_is_maximum(scenes: int, yes: int, no: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    positives, negatives = (sorted(str(code) for code in rng.integers(scenes, size=size)) for size in (yes, no))
    pairs = match_across_scenes(positives, negatives)
    assert len({positive for positive, _ in pairs}) == len({negative for _, negative in pairs}) == len(pairs)
    assert all(positives[i] != negatives[j] for i, j in pairs)
    allowed = np.array([[a != b for b in negatives] for a in positives]).reshape(yes, no)
    if yes and no:
        assert len(pairs) == (maximum_bipartite_matching(csr_array(allowed)) >= 0).sum()
    else:
        assert pairs == []


def test_equals_the_recursive_form_where_most_searches_fail() -> None:
    rng = np.random.default_rng(1)
    for share in (0.5, 0.8, 0.95):
        for size in (40, 120):
            codes = [np.where(rng.random(size) < share, 3, rng.integers(7, size=size)) for _ in range(2)]
            positives, negatives = (sorted(map(str, side)) for side in codes)
            assert match_across_scenes(positives, negatives) == recursive(positives, negatives)


def test_a_path_longer_than_any_recursion_limit() -> None:
    scenes = [f"{code:05d}" for code in range(3000)]
    assert len(match_across_scenes(scenes, scenes)) == 3000
