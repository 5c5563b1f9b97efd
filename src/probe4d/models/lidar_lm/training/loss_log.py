"""The losses of a training: a JSON object a step, and a picture of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import msgspec
import polars as pl

from probe4d.store.files import write_bytes
from probe4d.store.logs import append_lines, read_lines

if TYPE_CHECKING:
    import altair

__all__ = [
    "LOSSES_FILE",
    "PICTURE_FILE",
    "Loss",
    "append_loss",
    "cut_log",
    "draw_losses",
    "losses_up_to",
    "read_losses",
]

LOSSES_FILE = "losses.jsonl"
PICTURE_FILE = "losses.png"

_INK, _MUTED, _LINE, _ACCENT = "#1b2129", "#5b6673", "#d5dae1", "#1f5fbf"
_WIDTH, _LOSS_HEIGHT, _RATE_HEIGHT, _PIXELS = 640, 260, 70, 2.0
_SMOOTHING_SHARE = 0.05  # of the steps that a point of the line is the mean of
_FEW_POINTS, _MOST_POINTS = 30, 2000
_MEASURED = "cross-entropy (nats per answer token)"


class Step(Protocol):
    """What is drawn of a step of training."""

    @property
    def step(self) -> int:
        """From 1."""

    @property
    def epoch(self) -> float:
        """How often everything has been gone through, after the step."""

    @property
    def loss(self) -> float:
        """Before the step."""

    @property
    def learning_rate(self) -> float:
        """Of the step."""


AStep = TypeVar("AStep", bound=Step)


class Loss(msgspec.Struct, frozen=True, kw_only=True):
    """What a step of training showed.

    Attributes:
        step: From 1.
        epoch: How often the rows have been gone through, after the step.
        loss: Mean cross-entropy of the answers' tokens, in nats, before the step.
        gradient_norm: Length of the gradient before it was shortened; null where fp16 overflowed and the step was
            left out.
        learning_rate: Of this step.
        rows: Examples that it took.
        tokens: Tokens of their answers.
        seconds: How long it took.
    """

    step: int
    epoch: float
    loss: float
    gradient_norm: float | None
    learning_rate: float
    rows: int
    tokens: int
    seconds: float


def append_loss(folder: Path, loss: Loss) -> None:
    """Append a step to the log of a training."""
    append_lines(folder / LOSSES_FILE, [loss])


def read_losses(folder: Path) -> list[Loss]:
    """Read the log of a training, without a last line that a kill cut short; empty where there is none.

    Raises:
        InputError: A line is no loss.
    """
    path = folder / LOSSES_FILE
    return [loss for _, loss in read_lines(path, Loss, tails=[])] if path.exists() else []


def losses_up_to(folder: Path, step: int) -> list[Loss]:
    """Cut a log off after a step, from which a training goes on, and return what is left."""
    return cut_log(folder, Loss, step)


def cut_log(folder: Path, kind: type[AStep], step: int) -> list[AStep]:
    """Cut a log whose lines are of that kind off after a step, and return what is left.

    Raises:
        InputError: A line is of another kind.
    """
    path = folder / LOSSES_FILE
    lines = [shown for _, shown in read_lines(path, kind, tails=[])] if path.exists() else []
    kept = [shown for shown in lines if shown.step <= step]
    write_bytes(path, msgspec.json.Encoder().encode_lines(kept))
    return kept


def draw_losses(losses: Sequence[Step], path: Path, *, title: str, measured: str = _MEASURED) -> None:
    """Draw losses and learning rate against the steps, as a PNG.

    Args:
        losses: At least one.
        path: The picture.
        title: What was trained, on what.
        measured: What the losses are, and their unit.
    """
    import vl_convert

    table = pl.DataFrame(
        [(shown.step, shown.loss, shown.learning_rate) for shown in losses],
        schema={"step": pl.Int64, "loss": pl.Float64, "learning_rate": pl.Float64},
        orient="row",
    )
    span = max(1, round(_SMOOTHING_SHARE * table.height))
    table = table.with_columns(smooth=pl.col("loss").rolling_mean(span, min_samples=1, center=True))
    table = table.gather_every(-(-table.height // _MOST_POINTS))
    last = losses[-1]
    words = f"step {last.step:,}, epoch {last.epoch:.2f}: {table['smooth'][-1]:.3f}"
    specification = _drawing(table, title, words, measured).to_dict(validate=False) | {"config": _config()}
    write_bytes(path, vl_convert.vegalite_to_png(specification, scale=_PIXELS))


def _drawing(table: pl.DataFrame, title: str, words: str, measured: str) -> altair.VConcatChart:
    import altair as alt

    base = alt.Chart(alt.InlineData(values=table.to_dicts()))
    steps = alt.Scale(domain=[0, int(table["step"].max())], nice=False)  # type: ignore[arg-type]  # integers
    below = alt.X(
        "step:Q", title="step", scale=steps, axis=alt.Axis(format=",d", tickCount=6, tickMinStep=1, grid=False)
    )
    above = alt.X("step:Q", title=None, scale=steps, axis=alt.Axis(labels=False, ticks=False, grid=False))
    height = alt.Y("loss:Q", title=measured, scale=alt.Scale(zero=True, nice=True))
    size, opacity = (60, 0.8) if table.height <= _FEW_POINTS else (14, 0.25)
    points = base.mark_point(filled=True, size=size, opacity=opacity, color=_ACCENT).encode(x=above, y=height)
    line = base.mark_line(strokeWidth=2, color=_ACCENT).encode(x=above, y=alt.Y("smooth:Q"))
    rate = base.mark_area(line={"color": _MUTED, "strokeWidth": 1.2}, color=_LINE, opacity=0.6).encode(
        x=below, y=alt.Y("learning_rate:Q", title="learning rate", axis=alt.Axis(format=".0e", tickCount=2))
    )
    heading = alt.TitleParams(title, subtitle=f"{words} (a point a step; the line is their moving mean)")
    losses = (points + line).properties(width=_WIDTH, height=_LOSS_HEIGHT, title=heading)
    return alt.vconcat(losses, rate.properties(width=_WIDTH, height=_RATE_HEIGHT), spacing=8)


def _config() -> dict[str, Any]:
    axis = {"gridColor": _LINE, "domainColor": _LINE, "tickColor": _LINE, "labelColor": _MUTED, "titleColor": _MUTED}
    return {
        "background": "#ffffff",
        "padding": 16,
        "font": "Arial, Liberation Sans, Helvetica, sans-serif",
        "view": {"stroke": None},
        "axis": axis | {"titleFontWeight": "normal", "titleFontSize": 11, "labelFontSize": 10},
        "axisY": {"minExtent": 48, "maxExtent": 48, "domain": False, "ticks": False},
        "title": {
            "anchor": "start",
            "color": _INK,
            "fontSize": 15,
            "subtitleColor": _MUTED,
            "subtitleFontSize": 11,
            "offset": 12,
        },
    }
