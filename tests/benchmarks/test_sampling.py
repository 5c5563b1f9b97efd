from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from probe4d.benchmarks.sampling import arranged, draw, rank, ranks, unit_interval

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
