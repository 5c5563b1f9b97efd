"""Chains against a walk that follows them one row at a time."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from probe4d.scenes.sanity.links import find_links


@st.composite
def _rows(draw: st.DrawFn) -> tuple[list[int | None], list[int | None], list[int | None]]:
    size = draw(st.integers(0, 7))
    reference = st.one_of(st.none(), st.integers(-1, size - 1)) if size else st.none()
    column = st.lists(reference, min_size=size, max_size=size)
    group = st.lists(st.one_of(st.none(), st.integers(0, 1)), min_size=size, max_size=size)
    return draw(column), draw(column), draw(group)


def _never_ends(after: list[int | None], start: int) -> bool:
    seen: set[int] = set()
    at: int | None = start
    while at is not None and at >= 0:
        if at in seen:
            return True
        seen.add(at)
        at = after[at]
    return False


@given(_rows())
def test_faults_are_those_that_a_walk_finds(rows: tuple[list[int | None], list[int | None], list[int | None]]) -> None:
    prev, after, group = rows
    chain = find_links(*(pl.Series(column, dtype=pl.Int64) for column in rows))
    for row in range(len(prev)):
        sides = [(after[row], prev), (prev[row], after)]
        one_sided = any(
            other is not None and other >= 0 and links[other] is not None and links[other] != row
            for other, links in sides
        )
        assert chain.one_sided[row] == one_sided
        assert chain.cyclic[row] == _never_ends(after, row)
        heir = after[row]
        crosses = heir is not None and heir >= 0 and None not in (group[heir], group[row]) and group[heir] != group[row]
        assert chain.crossing[row] == crosses


@given(st.lists(st.integers(1, 5), min_size=1, max_size=4), st.randoms())
def test_sound_chains_are_sound_in_any_order_of_rows(lengths: list[int], random: object) -> None:
    chains = [[(group, step) for step in range(length)] for group, length in enumerate(lengths)]
    members = [member for chain in chains for member in chain]
    random.shuffle(members)  # type: ignore[attr-defined] - hypothesis hands out a random.Random
    number = {member: row for row, member in enumerate(members)}
    prev = pl.Series([number.get((group, step - 1), -1) for group, step in members])
    after = pl.Series([number.get((group, step + 1), -1) for group, step in members])
    chain = find_links(prev, after, pl.Series([group for group, _ in members]))
    assert chain.sound.all()
    assert not (chain.one_sided | chain.crossing | chain.cyclic | chain.extra_start).any()
