"""Samples: how many of each template, answer and scene, and that no more has to be kept than is drawn from."""

from __future__ import annotations

import polars as pl
import pytest
from street_making import streets

from probe4d.benchmarks.spatial_qa.candidates import Candidates, candidates_of, merged
from probe4d.benchmarks.spatial_qa.draws import Balance, Draw, foremost, sample
from probe4d.benchmarks.spatial_qa.measuring import Measuring
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.spatial_qa.views import Filters

MEASURING = Measuring(seed=42, filters=Filters(min_side_px=5), captions=None, ambiguous="drop")
SCENES = streets()


@pytest.fixture(scope="module")
def candidates() -> Candidates:
    return candidates_of(SCENES, MEASURING)


@pytest.mark.parametrize("balance", ["answers", "contents"])
@pytest.mark.parametrize("size", [10, 100, 700])
def test_candidates_that_are_cut_scene_by_scene_give_the_same_sample(
    candidates: Candidates, balance: Balance, size: int
) -> None:
    draw = Draw(size, balance, 42)
    parts = [candidates_of(SCENES.select([name]), MEASURING) for name in SCENES.names]
    cut = merged([foremost(part, draw) for part in parts])
    assert sum(pool.height for pool in cut.pools.values()) < sum(pool.height for pool in candidates.pools.values())
    from_cut, from_all = sample(cut, draw), sample(candidates, draw)
    assert from_cut.shortfalls == from_all.shortfalls
    for name, pool in from_all.pools.items():
        assert _rows(candidates, name, pool) == _rows(cut, name, from_cut.pools[name])


def _rows(candidates: Candidates, name: str, pool: pl.DataFrame) -> list[tuple[object, ...]]:
    tokens = [candidates.objects["token"].gather(pool[column]) for column in pool.select("^object_[1-5]$").columns]
    scenes = [candidates.views[name].gather(pool["view"]) for name in ("scene", "frame", "channel")]
    return sorted(zip(*(one.to_list() for one in (*tokens, *scenes, pool["answer"])), strict=True))


def test_quotas_add_up_to_the_size() -> None:
    for size in (0, 1, 37, 38, 39, 1000):
        quotas = [Draw(size, "answers", 1).quota(template) for template in TEMPLATES.values()]
        assert sum(quotas) == size
        assert max(quotas) - min(quotas) <= 1


def test_scenes_take_turns(candidates: Candidates) -> None:
    drawn = sample(candidates, Draw(6 * 38, "answers", 42)).pools["distance"]
    assert candidates.views["scene"].gather(drawn["view"]).value_counts()["count"].to_list() == [2, 2, 2]


def test_a_smaller_sample_lies_in_a_larger_one(candidates: Candidates) -> None:
    small, large = (sample(candidates, Draw(size, "answers", 42)).pools for size in (200, 400))
    for name in TEMPLATES:
        assert set(_rows(candidates, name, small[name])) <= set(_rows(candidates, name, large[name]))


def test_one_content_gives_its_second_pair_only_when_all_have_given_their_first(candidates: Candidates) -> None:
    pool = sample(candidates, Draw(400, "contents", 42)).pools["wider"]
    categories = [
        candidates.objects["category"].gather(pool[column]).alias(column) for column in ("object_1", "object_2")
    ]
    counts = pl.DataFrame(categories).with_columns(pool["answer"]).group_by(pl.all()).len()["len"]
    assert counts.max() <= 2
