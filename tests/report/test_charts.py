"""Charts: coloured by the page alone, described in words, without references and safe with hostile names."""

from __future__ import annotations

import re
from collections.abc import Callable
from xml.etree import ElementTree

import polars as pl
import pytest

from probe4d.report import charts
from probe4d.report.charts import Chart
from probe4d.report.theme import LIGHT

NAMES = ["B4DL", "<script>alert(1)</script>", 'a"b&c', "control:fixed", "control:content"]


def dots() -> Chart:
    values = [0.1, 0.2, 0.3, 0.4, 1.0]
    table = pl.DataFrame({"name": NAMES, "value": values, "low": [0.0] * 5, "high": [1.0] * 5})
    return charts.dots("Dots", "five", table.with_columns(told=pl.lit("10 %")), NAMES)


def ranges() -> Chart:
    table = pl.DataFrame({"name": NAMES, "false": [0.1] * 5, "true": [0.9] * 5})
    return charts.ranges(NAMES[1], NAMES[1], table.with_columns(told=pl.lit("named")), "run-0")


def bars() -> Chart:
    table = pl.DataFrame({"name": [*NAMES, *NAMES], "part": ["A"] * 5 + ["B"] * 5, "share": [0.5] * 10})
    return charts.bars("Bars", "halves", table, {"A": "letter-0", "B": "letter-1"})


def lines() -> Chart:
    table = pl.DataFrame({"name": NAMES, "bin": ["0–5"] * 5, "place": [0] * 5, "value": [0.5] * 5})
    return charts.lines("Lines", "one bin", table.with_columns(low=pl.lit(0.4), high=pl.lit(0.6)), NAMES)


def changes() -> Chart:
    table = pl.DataFrame({"name": [NAMES[1]] * 2, "part": ["repaired", "regressed"], "n": [3.0, -2.0]})
    return charts.changes("Changes", "three and two", table)


@pytest.fixture(params=[dots, ranges, bars, lines, changes], ids=lambda make: make.__name__)
def make(request: pytest.FixtureRequest) -> Callable[[], Chart]:
    return request.param  # type: ignore[no-any-return]


def test_the_page_gives_every_colour(make: Callable[[], Chart]) -> None:
    svg = make().svg
    used = set(re.findall(r"var\(--([a-z0-9-]+)\)", svg))
    assert used <= set(LIGHT)
    assert "muted" in used
    assert "#" not in re.sub(r"&#\d+;", "", svg), "no colour is fixed"


def test_a_chart_is_named_described_and_well_formed(make: Callable[[], Chart]) -> None:
    chart = make()
    root = ElementTree.fromstring(chart.svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == chart.title
    assert root[0].text == chart.words
    assert float(root.get("width") or 0) <= 347, "fits a phone"
    assert not [element for element in root.iter() if element.tag.endswith(("script", "image", "use", "style"))]


def test_nothing_is_fetched_and_the_same_chart_has_the_same_bytes(make: Callable[[], Chart]) -> None:
    svg = make().svg
    assert "href" not in svg
    assert "url(" not in svg
    assert svg == make().svg


def test_every_run_has_a_colour_and_controls_are_grey() -> None:
    many = [*(f"run {number}" for number in range(20)), 'control:"><b>', "control:"]
    colours = charts.run_colours([*many, "control:fixed", "control:content"])
    assert set(colours.values()) <= set(LIGHT)
    assert colours["control:fixed"] == "control-fixed"
    assert colours["run 0"] != colours["run 1"]
