from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.sampling import arranged, draw, mixed_ranks, rank, ranks, unit_interval, unit_intervals
from probe4d.benchmarks.suites import SUITES, build
from probe4d.errors import InputError
from probe4d.scenes.opening import open_scenes

KEYS = st.lists(st.text(max_size=8), unique=True, min_size=1, max_size=30)


def test_ranks_never_change() -> None:
    assert rank(42, "motion-yes-no/Yes", "scene-0103|3|car|closer") == 18361571637005247293
    assert ranks(["a", "b"], seed=1, family="f").to_list() == [rank(1, "f", "a"), rank(1, "f", "b")]


@given(KEYS, st.randoms(use_true_random=False), st.integers(0, 30))
def test_a_draw_does_not_depend_on_row_order(keys: list[str], random: object, n: int) -> None:
    shuffled = list(keys)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first = draw(pl.DataFrame({"key": keys}), n, seed=3, family="f")
    assert first.equals(draw(pl.DataFrame({"key": shuffled}), n, seed=3, family="f"))
    assert first.height == min(n, len(keys))


@given(KEYS)
def test_more_candidates_only_push_others_out(keys: list[str]) -> None:
    whole = draw(pl.DataFrame({"key": keys}), None, seed=3, family="f")["key"].to_list()
    fewer = draw(pl.DataFrame({"key": keys[1:]}, schema={"key": pl.String}), None, seed=3, family="f")["key"].to_list()
    assert [key for key in whole if key != keys[0]] == fewer
    order = arranged(keys, seed=3, family="f", key="k")
    assert [key for key in order if key != keys[0]] == arranged(keys[1:], seed=3, family="f", key="k")


def test_draws_are_even() -> None:
    letters = [arranged("ABCD", seed=42, family="f", key=str(i)).index("A") for i in range(4000)]
    assert all(900 < letters.count(place) < 1100 for place in range(4))
    mean = sum(unit_interval(1, "f", str(i)) for i in range(4000)) / 4000
    assert 0.48 < mean < 0.52


def test_seed_and_family_change_the_draw() -> None:
    orders = {tuple(arranged("abcdefgh", seed=seed, family=f, key="k")) for seed in (1, 2) for f in ("x", "y")}
    assert len(orders) == 4


def test_a_key_that_comes_twice_is_a_fault() -> None:
    with pytest.raises(ValueError, match="motion: the key 'b' comes more than once"):
        draw(pl.DataFrame({"key": ["a", "b", "b"]}), 1, seed=1, family="motion")


def test_mixed_ranks_depend_on_family_keys_and_their_order_alone() -> None:
    keys = np.arange(1, 101, dtype=np.uint64)
    others = keys + np.uint64(1000)
    drawn = [mixed_ranks(7, keys, others), mixed_ranks(7, others, keys), mixed_ranks(8, keys, others)]
    assert len(set(np.concatenate(drawn).tolist())) == 300
    assert mixed_ranks(7, keys[5:], others[5:]).tolist() == drawn[0][5:].tolist()


def test_mixed_ranks_are_those_of_splitmix64() -> None:
    # The first outputs of the generator's reference implementation for the seed 1234567 (Vigna, splitmix64.c).
    states = [1234567 + at * 0x9E3779B97F4A7C15 for at in range(3)]
    seeds = np.array([state & (2**64 - 1) for state in states], dtype=np.uint64)
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    assert mixed_ranks(0, seeds).tolist() == expected


def test_unit_intervals_are_uniform() -> None:
    numbers = unit_intervals(mixed_ranks(3, np.arange(20_000, dtype=np.uint64)))
    assert numbers.min() >= 0
    assert numbers.max() < 1
    counts, _ = np.histogram(numbers, bins=20, range=(0, 1))
    assert ((counts - 1000) ** 2 / 1000).sum() < 43.8  # chi-squared, 19 degrees of freedom, p = 0.001


@pytest.mark.parametrize("seed", [-1, 1 << 63])
def test_no_suite_builds_by_a_seed_that_is_none(simulated: Path, seed: int) -> None:
    scenes = open_scenes(simulated)
    for suite in SUITES:
        needed = {"generator": None} if suite == "b4dl" else {}
        with pytest.raises(InputError, match=rf"the seed is {seed}; it must lie between 0 and 2\*\*63 - 1"):
            build(suite, scenes, seed=seed, **needed)
