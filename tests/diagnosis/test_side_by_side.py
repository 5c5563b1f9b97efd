"""Tables of several sets of questions as one."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from probe4d.diagnosis.side_by_side import beside, control_beside, in_order, runs_then_controls

NAMES = ["zebra", "ant", "moth", "bee"]
CONTROLS = ["control:content", "control:fixed"]
SETS = st.permutations(NAMES).flatmap(
    lambda names: st.lists(st.integers(0, 2), min_size=4, max_size=4).map(
        lambda places: [[n for n, p in zip(names, places, strict=True) if p == place] for place in sorted({*places})]
    )
)


def _tables(sets: list[list[str]]) -> list[pl.DataFrame]:
    """For each set of questions two rows of each run that was asked them and of each control."""
    return [
        pl.DataFrame(
            [(name, place, row) for name in [*runs, *CONTROLS] for row in range(2)], ["run", "set", "row"], orient="row"
        )
        for place, runs in enumerate(sets)
    ]


@given(SETS)
def test_runs_stand_in_order_before_the_controls_of_the_first_set(sets: list[list[str]]) -> None:
    found = runs_then_controls(_tables(sets), NAMES, CONTROLS)
    set_of = {name: place for place, runs in enumerate(sets) for name in runs} | dict.fromkeys(CONTROLS, 0)
    assert found.rows() == [(name, set_of[name], row) for name in [*NAMES, *CONTROLS] for row in range(2)]


@given(SETS)
def test_each_run_that_was_asked_others_has_controls_of_its_own(sets: list[list[str]]) -> None:
    found = beside(_tables(sets), NAMES, CONTROLS)
    first = runs_then_controls(_tables(sets), NAMES, CONTROLS)
    assert found.head(first.height).equals(first)
    others = [(place, run) for place, runs in enumerate(sets) for run in runs if place]
    assert found.slice(first.height).rows() == [
        (control_beside(control, run), place, row) for place, run in others for control in CONTROLS for row in range(2)
    ]


@given(st.lists(st.sampled_from(NAMES)))
def test_rows_of_one_name_keep_their_order(runs: list[str]) -> None:
    table = pl.DataFrame({"run": runs, "row": range(len(runs))}, schema={"run": pl.String(), "row": pl.Int64()})
    assert in_order(table, "run", NAMES).rows() == sorted(table.rows(), key=lambda row: NAMES.index(row[0]))
