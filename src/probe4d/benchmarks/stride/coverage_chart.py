"""The coverage of a benchmark as charts, as Figure 3 of the paper has them: one SVG file beside the card."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from probe4d.benchmarks.stride.coverage import ALL, Coverage
from probe4d.benchmarks.stride.manoeuvres import MANOEUVRES, SPEED_CHANGES
from probe4d.benchmarks.stride.tags import TAGS
from probe4d.benchmarks.stride.templates import CODES

if TYPE_CHECKING:
    import altair

__all__ = ["CHART_FILE", "coverage_svg"]

CHART_FILE = "coverage.svg"

_WIDTH, _ROW = 420, 20
_FONT = "Arial, Liberation Sans, Helvetica, sans-serif"
_BAR = "#3b6ea5"
_SPEEDS = {"speeds up": "#2e8b57", "steady": "#9aa5b1", "slows down": "#e0a030", "stops": "#c0504d"}


def coverage_svg(coverage: Coverage) -> str:
    """Draw shares of clips with each tag, overall and in each family, and manoeuvres by change of speed, as SVG.

    The file has a white ground of its own, so that it can be read wherever a card is shown.
    """
    import altair as alt
    import vl_convert

    panels: list[altair.Chart | altair.LayerChart] = [_overall(coverage.tags), _by_family(coverage.tags)]
    if coverage.manoeuvres.height:
        panels.append(_manoeuvres(coverage.manoeuvres))
    config: dict[str, Any] = {
        "font": _FONT,
        "background": "white",
        "view": {"stroke": None},
        "title": {"anchor": "start", "fontSize": 13},
    }
    drawing = alt.vconcat(*panels, spacing=28).to_dict(validate=False)
    svg: str = vl_convert.vegalite_to_svg({**drawing, "config": config})
    return svg


def _overall(tags: pl.DataFrame) -> altair.Chart:
    rows = tags.filter(pl.col("family") == ALL)
    chart: altair.Chart = (
        _base(rows, "a  Share of clips with a situation")
        .mark_bar(color=_BAR, height=_ROW - 7)
        .encode(x=_share(), y=_y("tag", TAGS))
        .properties(width=_WIDTH, height=_ROW * len(TAGS))
    )
    return chart


def _by_family(tags: pl.DataFrame) -> altair.LayerChart:
    import altair as alt

    rows = tags.filter(pl.col("family") != ALL)
    codes = {family: code for code, family in CODES.items() if family in rows["family"]}
    rows = rows.with_columns(code=pl.col("family").replace_strict(codes), told=(100 * pl.col("share")).round(0))
    base = _base(rows, "b  The same within each family of questions, per cent").encode(
        x=alt.X("code:N", sort=list(codes.values()), title=None, axis=alt.Axis(orient="top", labelAngle=0)),
        y=_y("tag", TAGS),
    )
    scale = alt.Scale(domain=[0, 1], range=["#f2f5f9", _BAR])
    cells = base.mark_rect().encode(color=alt.Color("share:Q", scale=scale, legend=None))
    ink = alt.condition("datum.share > 0.55", alt.value("white"), alt.value("#222"))
    words = base.mark_text(fontSize=11).encode(text=alt.Text("told:Q", format=".0f"), color=ink)
    chart: altair.LayerChart = (cells + words).properties(width=_WIDTH, height=_ROW * len(TAGS))
    return chart


def _manoeuvres(manoeuvres: pl.DataFrame) -> altair.Chart:
    import altair as alt

    rows = manoeuvres.with_columns(
        order=pl.col("speed_change").replace_strict({name: place for place, name in enumerate(SPEED_CHANGES)})
    )
    scale = alt.Scale(domain=list(_SPEEDS), range=list(_SPEEDS.values()))
    chart: altair.Chart = (
        _base(rows, "c  What the ego vehicle does next, by change of speed")
        .mark_bar(height=_ROW - 4)
        .encode(
            x=_share(),
            y=_y("manoeuvre", MANOEUVRES),
            color=alt.Color("speed_change:N", scale=scale, title=None, legend=alt.Legend(orient="bottom")),
            order=alt.Order("order:Q"),
        )
        .properties(width=_WIDTH, height=(_ROW + 4) * manoeuvres["manoeuvre"].n_unique())
    )
    return chart


def _base(rows: pl.DataFrame, title: str) -> altair.Chart:
    import altair as alt

    return alt.Chart(alt.InlineData(values=rows.to_dicts()), title=title)


def _share() -> altair.X:
    import altair as alt

    return alt.X(
        "share:Q",
        stack="zero",
        title=None,
        scale=alt.Scale(domain=[0, 1]),
        axis=alt.Axis(format=".0%", tickCount=5, domain=False),
    )


def _y(field: str, order: Any) -> altair.Y:
    import altair as alt

    return alt.Y(f"{field}:N", sort=list(order), title=None, axis=alt.Axis(ticks=False, domain=False, labelPadding=6))
