"""Charts as static SVG: drawn once, coloured by the page, so that they follow light and dark.

Each colour is drawn as a stand-in and then replaced by the page's variable of that name. Charts are narrow
enough for a phone; a wide screen puts several side by side.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import count
from typing import TYPE_CHECKING, Any

import polars as pl

from probe4d.diagnosis.controls.answerers import CONSTANT_VELOCITY, CONTENT, FIXED, MEDIAN, STATIONARY
from probe4d.report.theme import LIGHT

if TYPE_CHECKING:
    import altair

__all__ = ["Chart", "amounts", "bars", "changes", "differences", "dots", "lines", "ranges", "run_colours"]

WIDTH = 346  # of a whole chart with its labels: a phone's 390 px less the margins of a page
ROW = 19
HEIGHT = 150  # of a chart without rows
LABEL_LIMIT = 170
LEAST_REACH = 0.1  # of an axis of differences, so that small ones look small
FONT = "Arial, Liberation Sans, Helvetica, sans-serif"  # of equal widths, so that measured labels fit
STAND_IN = {name: f"#0000{number:02x}" for number, name in enumerate(LIGHT, start=1)}
CONTROLS = {
    FIXED: "control-fixed",
    CONTENT: "control-content",
    MEDIAN: "control-content",
    STATIONARY: "control-fixed",
    CONSTANT_VELOCITY: "control-content",
}
RUNS = 6  # colours for runs; later runs take them in turn


@dataclass(frozen=True)
class Chart:
    """A chart: its title, what it shows in words, and its SVG, safe to be put into a page."""

    title: str
    words: str
    svg: str


def run_colours(names: Sequence[str]) -> dict[str, str]:
    """Name of the colour of each answerer: controls in grey, runs in order."""
    numbers = count()
    return {name: CONTROLS.get(name) or f"run-{next(numbers) % RUNS}" for name in names}


def dots(title: str, words: str, rows: pl.DataFrame, names: Sequence[str]) -> Chart:
    """Values with intervals, a row each.

    Args:
        title: Title of the chart.
        words: What it shows.
        rows: Columns name, value, low, high, and told, the value as a text.
        names: Names that have a colour, all of them.
    """
    return _dots(title, words, rows, names, _unit(), _axis())


def amounts(title: str, words: str, rows: pl.DataFrame, names: Sequence[str]) -> Chart:
    """The same of amounts of 0 or more that are no shares, on an axis that reaches as far as they do.

    Args:
        title: Title of the chart, with the unit.
        words: What it shows.
        rows: Columns name, value, low, high, and told, the value as a text.
        names: Names that have a colour, all of them.
    """
    import altair as alt

    most = max([0.0, *(end for name in ("value", "high") for end in rows[name].drop_nulls())])
    scale = alt.Scale(domain=[0, most or 1.0], nice=True)
    return _dots(title, words, rows, names, scale, alt.Axis(title=None, tickCount=4, domain=False))


def ranges(title: str, words: str, rows: pl.DataFrame, colour: str) -> Chart:
    """Two shares a row, joined: columns name, false (hollow), true (filled), and told, words beside them."""
    import altair as alt

    order = rows["name"].to_list()
    base = _base(rows).encode(y=_y("name", order), color=alt.value(STAND_IN[colour]))
    joined = base.mark_rule(strokeWidth=2, opacity=0.45).encode(
        x=alt.X("false:Q", scale=_unit(), axis=_axis()), x2="true:Q"
    )
    hollow = base.mark_point(filled=False, size=45, strokeWidth=1.8, opacity=1).encode(x="false:Q")
    full = base.mark_point(filled=True, size=60, opacity=1).encode(x="true:Q")
    text = base.mark_text(align="left", dx=9, fontSize=10).encode(
        x=alt.value("width"), text="told:N", color=alt.value(STAND_IN["muted"])
    )
    return _chart(title, words, joined + hollow + full + text, len(order))


def differences(title: str, words: str, rows: pl.DataFrame, colour: str) -> Chart:
    """Differences of shares with intervals, a row each, on both sides of none.

    Args:
        title: Title of the chart.
        words: What it shows.
        rows: Columns name, value, low, high (null where there is no interval), and told, words beside the row.
        colour: Name of the colour.
    """
    import altair as alt

    order = rows["name"].to_list()
    ends = [abs(end) for name in ("value", "low", "high") for end in rows[name].drop_nulls()]
    reach = max(LEAST_REACH, *ends)
    label = "datum.value == 0 ? '0' : format(100 * datum.value, '+.0f')"
    axis = alt.Axis(labelExpr=label, title=None, tickCount=3, domain=False)
    scale = alt.Scale(domain=[-reach, reach])
    base = _base(rows).encode(y=_y("name", order), color=alt.value(STAND_IN[colour]))
    none = alt.Chart(alt.InlineData(values=[{"none": 0}])).mark_rule(strokeWidth=1.4)
    none = none.encode(x=alt.X("none:Q", scale=scale, axis=axis), color=alt.value(STAND_IN["muted"]))
    rule = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q")
    point = base.mark_point(filled=True, size=55, opacity=1).encode(x=alt.X("value:Q", scale=scale, axis=axis))
    text = base.mark_text(align="left", dx=9, fontSize=10).encode(
        x=alt.value("width"), text="told:N", color=alt.value(STAND_IN["muted"])
    )
    return _chart(title, words, none + rule + point + text, len(order))


def bars(title: str, words: str, rows: pl.DataFrame, colours: dict[str, str]) -> Chart:
    """Shares of a whole, a row each: columns name, part, share; `colours` gives each part's colour, in order."""
    import altair as alt

    order = rows["name"].unique(maintain_order=True).to_list()
    parts = [part for part in colours if part in set(rows["part"])]
    rank = {part: place for place, part in enumerate(parts)}
    ranked = rows.with_columns(rank=pl.col("part").replace_strict(rank, return_dtype=pl.Int64))
    bar = (
        _base(ranked)
        .mark_bar(height=ROW - 6)
        .encode(
            y=_y("name", order),
            x=alt.X("share:Q", stack="zero", scale=_unit(), axis=_axis()),
            color=_colour("part", [colours[part] for part in parts], parts),
            order="rank:Q",
        )
    )
    return _chart(title, words, bar, len(order))


def lines(title: str, words: str, rows: pl.DataFrame, names: Sequence[str]) -> Chart:
    """Values with intervals against ordered bins: columns name, bin, place (its position), value, low, high."""
    import altair as alt

    colours = run_colours(names)
    order = rows["name"].unique(maintain_order=True).to_list()
    bins = rows.sort("place")["bin"].unique(maintain_order=True).to_list()
    x = alt.X("bin:N", sort=bins, title=None, axis=alt.Axis(labelAngle=0, labelOverlap=False, labelFontSize=10))
    shift = alt.XOffset("name:N", sort=order)
    base = _base(rows).encode(x=x, xOffset=shift, color=_colour("name", [colours[name] for name in order], order))
    rule = base.mark_rule(strokeWidth=1.6).encode(
        y=alt.Y("low:Q", scale=_unit(), title=None, axis=_axis()), y2="high:Q"
    )
    point = base.mark_point(filled=True, size=38, opacity=1).encode(y="value:Q")
    return _chart(title, words, rule + point, None)


def changes(title: str, words: str, rows: pl.DataFrame) -> Chart:
    """Counts to the right (repairs) and to the left (regressions): columns name, part, n (signed)."""
    import altair as alt

    order = rows["name"].unique(maintain_order=True).to_list()
    bar = (
        _base(rows)
        .mark_bar(height=ROW - 6)
        .encode(
            y=_y("name", order),
            x=alt.X("n:Q", title=None, axis=alt.Axis(format="~s", tickCount=5)),
            color=_colour("part", ["right", "wrong"], ["repaired", "regressed"]),
        )
    )
    return _chart(title, words, bar, len(order))


def _dots(
    title: str, words: str, rows: pl.DataFrame, names: Sequence[str], scale: altair.Scale, axis: altair.Axis
) -> Chart:
    import altair as alt

    colours = run_colours(names)
    order = rows["name"].to_list()
    base = _base(rows).encode(y=_y("name", order), color=_colour("name", [colours[name] for name in order], order))
    rule = base.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q")
    point = base.mark_point(filled=True, size=55, opacity=1).encode(x=alt.X("value:Q", scale=scale, axis=axis))
    text = base.mark_text(align="left", dx=9, fontSize=10).encode(
        x=alt.value("width"), text="told:N", color=alt.value(STAND_IN["muted"])
    )
    return _chart(title, words, rule + point + text, len(order))


def _base(rows: pl.DataFrame) -> altair.Chart:
    import altair as alt

    return alt.Chart(alt.InlineData(values=rows.to_dicts()))


def _y(field: str, order: Sequence[str]) -> altair.Y:
    import altair as alt

    return alt.Y(
        f"{field}:N",
        sort=list(order),
        title=None,
        axis=alt.Axis(labelLimit=LABEL_LIMIT, labelPadding=8, ticks=False, domain=False),
    )


def _colour(field: str, colours: Sequence[str], order: Sequence[str]) -> altair.Color:
    import altair as alt

    scale = alt.Scale(domain=list(order), range=[STAND_IN[colour] for colour in colours])
    return alt.Color(f"{field}:N", scale=scale, legend=None)


def _unit() -> altair.Scale:
    import altair as alt

    return alt.Scale(domain=[0, 1])


def _axis() -> altair.Axis:
    import altair as alt

    # Every other line without its label, or the labels of a narrow chart run into each other.
    label = "datum.value * 2 % 1 == 0 ? format(datum.value, '.0%') : ''"
    return alt.Axis(values=[0, 0.25, 0.5, 0.75, 1], labelExpr=label, title=None, domain=False)


@cache
def _config() -> dict[str, Any]:
    ink, line, muted = (STAND_IN[name] for name in ("ink", "line", "muted"))
    axis = {"labelColor": ink, "gridColor": line, "tickColor": line, "domainColor": line, "labelFontSize": 11}
    return {
        "background": "transparent",
        "autosize": {"type": "fit-x", "contains": "padding"},
        "font": FONT,
        "view": {"stroke": None},
        "axis": axis,
        "axisX": {"labelColor": muted, "labelFontSize": 10, "ticks": False},
        "axisQuantitative": {"labelColor": muted, "labelFontSize": 10, "ticks": False},
    }


def _chart(title: str, words: str, drawing: Any, rows: int | None) -> Chart:
    import vl_convert

    size = {"width": WIDTH, "height": HEIGHT if rows is None else ROW * rows}
    specification = {**drawing.to_dict(validate=False), **size, "config": _config()}
    return Chart(title, words, _of_page(vl_convert.vegalite_to_svg(specification), title, words))


def _of_page(svg: str, title: str, words: str) -> str:
    """Make a stand-alone SVG a part of a page: named, described, coloured by variables, free to shrink."""
    for name, stand_in in STAND_IN.items():
        svg = svg.replace(f'"{stand_in}"', f'"var(--{name})"')
    opening = f'<svg role="img" aria-label="{escape(title)}" class="chart" xmlns="http://www.w3.org/2000/svg"'
    size = re.search(r' width="[^"]+" height="[^"]+" viewBox="[^"]+"', svg)
    if size is None:
        raise AssertionError("the chart renderer gave no size")
    body = svg[svg.index(">") + 1 :]
    return f"{opening}{size[0]}><desc>{escape(words)}</desc>{body}"
