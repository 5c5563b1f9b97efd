"""The figures of the example: what each training seed reached, with intervals over whole scenes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.benchmark import read_benchmark
from probe4d.diagnosis.bootstrap import draw_counts

__all__ = ["CONTENT", "run_names", "write_figures"]

CONTENT = "control:content"
SAMPLING = 0.25
"""Joint correctness on pairs that sampling from the prompt alone can reach at most."""

_COLUMNS = ("seed", "family", "what", "value", "low", "high", "n")


class Figure(NamedTuple):
    """One figure of a training seed; `low` and `high` bound its 95 % interval and are null where it has none."""

    seed: int
    family: str
    what: str
    value: float
    low: float | None
    high: float | None
    n: int


def run_names(seed: int) -> tuple[str, str]:
    """Names of the runs of a training seed: with features, and without."""
    return f"seed-{seed}-seen", f"seed-{seed}-blind"


def write_figures(out: Path, seeds: Sequence[int], folder: Path) -> bool:
    """Write `figures.csv`, `trainings.csv` and `figures.md`, and say whether every seed learnt to look.

    Args:
        out: Folder of the example's run.
        seeds: The training seeds.
        folder: Where the figures go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    figures = [figure for seed in seeds for figure in _of_seed(out, seed)]
    table = pl.DataFrame(figures, schema=_COLUMNS, orient="row")
    table.write_csv(folder / "figures.csv", float_precision=4)
    trainings = [json.loads((out / f"seed-{seed}" / "trained.json").read_text()) for seed in seeds]
    pl.DataFrame(trainings).write_csv(folder / "trainings.csv")
    text = "\n".join(["<!-- Written by learn.py. -->", "", *_markdown(figures, trainings), ""])
    (folder / "figures.md").write_text(text, encoding="utf-8")
    print(text)
    return all(map(_holds, figures))


def _of_seed(out: Path, seed: int) -> Iterator[Figure]:
    seen, blind = run_names(seed)
    figures = pl.read_csv(out / "report" / "figures.csv", infer_schema_length=None)
    whole = figures.filter(pl.col("relation") == "all", pl.col("format") == "yes-no")

    def found(run: str, family: str, metric: str, what: str) -> Figure:
        row = whole.filter(pl.col("run") == run, pl.col("family") == family, pl.col("metric") == metric)
        return Figure(seed, family, what, *row.select("value", "low", "high", "n").row(0))

    for family in ("existence", "position"):
        yield found(seen, family, "accuracy", "accuracy with features")
        yield found(blind, family, "accuracy", "accuracy blind")
        yield found(CONTENT, family, "accuracy", "accuracy of the content control")
        yield found(f"{seen} vs {blind}", family, "accuracy_change", "over blind")
        yield found(f"{seen} vs {CONTENT}", family, "accuracy_change", "over the content control")
    for family in ("all", "existence", "position"):
        yield Figure(seed, family, "both of a pair right", *_joint(out, seen, family))


def _joint(out: Path, run: str, family: str) -> tuple[float, float, float, int]:
    """Share of the exact-prompt pairs of which both questions are right, its interval, and the number of pairs.

    As in the diagnosis, scenes are drawn, and a pair comes up as often as the product of its two scenes.
    """
    report = out / "report"
    pairs = pl.read_csv(report / "pairs.csv").filter(pl.lit(family == "all") | (pl.col("family") == family))
    correct = pl.read_parquet(report / "records.parquet").filter(pl.col("run") == run).select("question", "correct")
    scenes = read_benchmark(out / "bench").table.select(question="id", scene="scene")
    sides = [
        pairs.select(question=side)
        .join(correct, on="question", how="left", maintain_order="left")
        .join(scenes, on="question", how="left", maintain_order="left")
        for side in ("positive", "negative")
    ]
    both = (sides[0]["correct"] & sides[1]["correct"]).to_numpy().astype(np.float64)
    _, places = np.unique(np.stack([side["scene"].to_numpy() for side in sides]), return_inverse=True)
    first, second = places.reshape(2, -1)
    drawn = np.concatenate([_shares(counts, first, second, both) for counts in np.array_split(_draws(places), 20)])
    low, high = np.quantile(drawn, (0.025, 0.975))
    return float(both.mean()), float(low), float(high), both.size


def _draws(places: NDArray[np.intp]) -> NDArray[np.float64]:
    return draw_counts(int(places.max()) + 1).astype(np.float64)


def _shares(
    counts: NDArray[np.float64], first: NDArray[np.intp], second: NDArray[np.intp], both: NDArray[np.float64]
) -> NDArray[np.float64]:
    weights = counts[:, first] * counts[:, second]
    weights = weights[weights.sum(axis=1) > 0]
    shares: NDArray[np.float64] = weights @ both / weights.sum(axis=1)
    return shares


def _holds(figure: Figure) -> bool:
    """Whether a figure shows that the model looks, of those that can."""
    if figure.what.startswith("over "):
        return figure.low is not None and figure.low > 0
    if figure.what == "both of a pair right" and figure.family == "all":
        return figure.low is not None and figure.low > SAMPLING
    return True


def _markdown(figures: Sequence[Figure], trainings: Sequence[dict[str, object]]) -> Iterator[str]:
    seeds = list(dict.fromkeys(figure.seed for figure in figures))
    yield f"| %, with 95 % intervals over scenes | {' | '.join(f'seed {seed}' for seed in seeds)} |"
    yield "|---|" + "---|" * len(seeds)
    for family, what, n in dict.fromkeys((figure.family, figure.what, figure.n) for figure in figures):
        cells = [_cell(figure) for figure in figures if (figure.family, figure.what) == (family, what)]
        yield f"| {family}: {what} (n = {n:,}) | {' | '.join(cells)} |"
    yield ""
    yield "| training | key frames shown | questions | weights (encoder + language model) | minutes | CPU minutes |"
    yield "|---|---|---|---|---|---|"
    for one in trainings:
        weights = f"{one['encoder_weights']:,} + {one['language_weights']:,}"
        cells = [f"seed {one['seed']}", f"{one['key_frames']:,}", f"{one['rows']:,}", weights]
        yield f"| {' | '.join(map(str, [*cells, one['minutes'], one['cpu_minutes']]))} |"


def _cell(figure: Figure) -> str:
    value = f"{100 * figure.value:.1f}"
    if figure.low is None or figure.high is None:
        return value
    bounds = f"{value} ({100 * figure.low:.1f} to {100 * figure.high:.1f})"
    return bounds if _holds(figure) else f"**{bounds}: not shown**"
