from __future__ import annotations

import dataclasses

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from making import benchmark_of, question
from probe4d.benchmarks.sampling import rank
from probe4d.errors import InputError
from probe4d.runs.selection import CHOSEN_BY, Selection, apportioned, selected, selected_of

STRATA = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["yes-no", "choice"])), st.integers(1, 40), min_size=1
)


def table_of(strata: dict[tuple[str, str], int]) -> pl.DataFrame:
    rows = [(f"{family}{kind}{n}", family, kind) for (family, kind), size in strata.items() for n in range(size)]
    return pl.DataFrame(rows, schema=["id", "family", "format"], orient="row")


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.data())
def test_every_stratum_gets_its_share_rounded_down_or_up_and_never_loses_a_seat(sizes, data) -> None:
    n = data.draw(st.integers(0, sum(sizes)))
    seats = apportioned(sizes, n)
    assert seats.sum() == n
    exact = np.array(sizes) * n / sum(sizes)
    assert (np.floor(exact - 1e-9) <= seats).all()
    assert (seats <= np.ceil(exact - 1e-9)).all()
    assert (apportioned(sizes, min(n + 1, sum(sizes))) >= seats).all()


@given(STRATA, st.integers(0, 3), st.data())
def test_a_sample_is_nested_and_does_not_depend_on_row_order(strata, seed, data) -> None:
    table = table_of(strata)
    small = data.draw(st.integers(1, table.height))
    large = data.draw(st.integers(small, table.height))
    drawn = selected(table, Selection(sample=small, seed=seed))
    assert drawn.height == small
    assert set(drawn["id"]) <= set(selected(table, Selection(sample=large, seed=seed))["id"])
    shuffled = table.sample(fraction=1.0, shuffle=True, seed=seed)
    assert set(selected(shuffled, Selection(sample=small, seed=seed))["id"]) == set(drawn["id"])
    assert drawn["id"].to_list() == table.filter(pl.col("id").is_in(drawn["id"].implode()))["id"].to_list()


@given(STRATA, st.integers(0, 3), st.data())
def test_of_each_family_and_format_those_of_lowest_rank_are_drawn(strata, seed, data) -> None:
    table = table_of(strata)
    n = data.draw(st.integers(1, table.height))
    names = sorted(strata)
    expected: set[str] = set()
    for (family, kind), seats in zip(names, apportioned([strata[name] for name in names], n), strict=True):
        ids = table.filter(family=family, format=kind)["id"].to_list()
        expected |= set(sorted(ids, key=lambda identity: (rank(seed, "sample", identity), identity))[:seats])
    assert set(selected(table, Selection(sample=n, seed=seed))["id"]) == expected


def test_a_sample_holds_the_questions_that_it_always_held() -> None:
    table = table_of({("a", "choice"): 6, ("b", "yes-no"): 4})
    assert selected(table, Selection(sample=4))["id"].to_list() == ["achoice0", "achoice1", "achoice4", "byes-no2"]


def test_what_was_selected_of_a_benchmark_is_worked_out_once_and_belongs_to_its_questions() -> None:
    benchmark = benchmark_of([question(place) for place in range(30)])
    selection = Selection(sample=7)
    chosen = selected_of(benchmark, selection)
    assert chosen.equals(selected(benchmark.table, selection).select(CHOSEN_BY))
    assert selected_of(benchmark, Selection(sample=7)) is chosen
    assert selected_of(benchmark, Selection(sample=7, seed=1))["id"].to_list() != chosen["id"].to_list()
    assert selected_of(benchmark, None).equals(benchmark.columns(*CHOSEN_BY))
    fewer = dataclasses.replace(benchmark, table=benchmark.table.head(7))
    assert selected_of(fewer, selection).equals(fewer.columns(*CHOSEN_BY))


def test_another_seed_draws_other_questions() -> None:
    table = table_of({("a", "choice"): 200})
    draws = [set(selected(table, Selection(sample=20, seed=seed))["id"]) for seed in (1, 2)]
    assert draws[0] != draws[1]


def test_families_then_sample_then_limit() -> None:
    table = table_of({("a", "choice"): 10, ("b", "choice"): 10, ("c", "yes-no"): 10})
    assert selected(table, None) is table
    assert selected(table, Selection(limit=3))["id"].to_list() == table["id"].to_list()[:3]
    chosen = selected(table, Selection(families=("c", "b"), sample=6, limit=4))
    assert chosen["family"].to_list() == ["b", "b", "b", "c"]
    assert selected(table, Selection(limit=99)).height == 30


@pytest.mark.parametrize(
    ("selection", "words"),
    [
        (Selection(families=("a", "z")), r"has no family 'z'\. Choose from its families: a, b\."),
        (Selection(limit=0), "the limit is 0"),
        (Selection(limit=-1), "the limit is -1"),
        (Selection(sample=0), "the sample is 0"),
        (Selection(sample=7), "a sample of 7 cannot be drawn from 6 questions"),
        (Selection(families=("a",), sample=4), "a sample of 4 cannot be drawn from 3 questions"),
    ],
)
def test_what_cannot_be_selected_is_refused_in_words(selection: Selection, words: str) -> None:
    with pytest.raises(InputError, match=words):
        selected(table_of({("a", "choice"): 3, ("b", "yes-no"): 3}), selection)
