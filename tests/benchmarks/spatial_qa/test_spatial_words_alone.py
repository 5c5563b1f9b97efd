"""What words alone give away of spatial questions: of all of them, and of samples balanced in contents."""

from __future__ import annotations

import polars as pl
import pytest
from street_making import streets

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES
from probe4d.benchmarks.suites import build
from probe4d.diagnosis.diagnose import diagnose


def built(scenes: int, **given: str) -> Benchmark:
    street = streets(tuple(f"scene-{number}" for number in range(scenes)), frames=2)
    return build("spatial-qa", street, None, refer="marker", min_side_px=5.0, **given)


@pytest.fixture(scope="module")
def full() -> Benchmark:
    return built(6)


@pytest.fixture(scope="module")
def balanced() -> Benchmark:
    return built(3, scale="sample:1000", balance="contents")


def test_sizes_follow_from_classes_and_places_do_not(full: Benchmark) -> None:
    words = diagnose(full, []).words_alone
    assert set(words["template"]) == set(TEMPLATES)
    right = dict(words.select("template", "value").iter_rows())
    settled = dict(words.select("template", "settled_value").iter_rows())
    for template in ("larger", "taller", "longer"):
        assert right[template] > max(0.7, right["left"])
        assert settled[template] > 0.95
    assert right["height"] > 0.9


def test_inside_a_balanced_sample_the_control_falls_below_chance_and_outside_it_contains_chance(
    full: Benchmark, balanced: Benchmark
) -> None:
    yes_no = pl.col("format") == "yes-no"
    inside = diagnose(balanced, []).words_alone.filter(yes_no)
    assert (inside["value"] * inside["n"]).sum() < 0.4 * inside["n"].sum()
    outside = diagnose(balanced, [], fit_controls=full)
    for template, low, high in outside.words_alone.filter(yes_no).select("template", "low", "high").iter_rows():
        assert low <= 0.5 <= high, template
    total = outside.figures.filter(run="control:content", metric="accuracy", family="all", format="yes-no")
    ((low, high),) = total.select("low", "high").iter_rows()
    assert low <= 0.5 <= high
    assert outside.words_alone.filter(yes_no)["known"].mean() > 0.9
