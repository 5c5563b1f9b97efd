"""The figures of the example: what each training seed reached, with intervals over whole scenes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl

__all__ = ["CONTENT", "TRAINED", "Trained", "run_names", "write_figures"]

CONTENT = "control:content"
TRAINED = "trained.json"
SAMPLING = 0.25
"""Joint correctness on pairs that sampling from the prompt alone can reach at most."""

_COLUMNS = ("seed", "family", "what", "value", "low", "high", "n")


class Trained(msgspec.Struct, frozen=True, kw_only=True):
    """What the training of a seed took.

    Attributes:
        seed: The seed.
        key_frames: Key frames that the encoder was shown, repetitions counted.
        encoder_answers: Answers that it learnt from, repetitions counted.
        encoder_weights: Number of its weights.
        encoder_minutes: Time on the clock, as are the others.
        encoding_minutes: Of the training scenes; only of the last part, where it was broken off.
        language_answers: Answers that projector and language model learnt from.
        language_weights: Number of their weights.
        language_minutes: Their time.
    """

    seed: int
    key_frames: int
    encoder_answers: int
    encoder_weights: int
    encoder_minutes: float
    encoding_minutes: float
    language_answers: int
    language_weights: int
    language_minutes: float

    @property
    def minutes(self) -> float:
        """All of it."""
        return self.encoder_minutes + self.encoding_minutes + self.language_minutes


class Figure(NamedTuple):
    """One figure of a training seed; `low` and `high` bound its 95 % interval and are null where it has none.

    The value is null where there was nothing to measure, as in a run that is too small to have pairs.
    """

    seed: int
    family: str
    what: str
    value: float | None
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
    trainings = [msgspec.json.decode((out / f"seed-{seed}" / TRAINED).read_bytes(), type=Trained) for seed in seeds]
    pl.DataFrame(map(msgspec.structs.asdict, trainings)).write_csv(folder / "trainings.csv")
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
        cells = row.select("value", "low", "high", "n").rows() or [(None, None, None, 0)]
        return Figure(seed, family, what, *cells[0])

    for family in ("existence", "position"):
        yield found(seen, family, "accuracy", "accuracy with features")
        yield found(blind, family, "accuracy", "accuracy blind")
        yield found(CONTENT, family, "accuracy", "accuracy of the content control")
        yield found(f"{seen} vs {blind}", family, "accuracy_change", "over blind")
        yield found(f"{seen} vs {CONTENT}", family, "accuracy_change", "over the content control")
    for family in ("all", "existence", "position"):
        yield found(seen, family, "pair_both_rate", "both of a pair right")


def _holds(figure: Figure) -> bool:
    """Whether a figure shows that the model looks, of those that can."""
    if figure.what.startswith("over "):
        return figure.low is not None and figure.low > 0
    if figure.what == "both of a pair right" and figure.family == "all":
        return figure.low is not None and figure.low > SAMPLING
    return True


def _markdown(figures: Sequence[Figure], trainings: Sequence[Trained]) -> Iterator[str]:
    seeds = list(dict.fromkeys(figure.seed for figure in figures))
    yield f"| %, with 95 % intervals over scenes | {' | '.join(f'seed {seed}' for seed in seeds)} |"
    yield "|---|" + "---|" * len(seeds)
    for family, what, n in dict.fromkeys((figure.family, figure.what, figure.n) for figure in figures):
        cells = [_cell(figure) for figure in figures if (figure.family, figure.what) == (family, what)]
        yield f"| {family}: {what} (n = {n:,}) | {' | '.join(cells)} |"
    yield ""
    yield "| training | encoder | encoding | projector and language model | in all |"
    yield "|---|---|---|---|---|"
    for one in trainings:
        cells = [
            f"seed {one.seed}",
            f"{one.encoder_weights:,} weights, {one.key_frames:,} key frames, {one.encoder_answers:,} answers: "
            f"{one.encoder_minutes} min",
            f"{one.encoding_minutes} min",
            f"{one.language_weights:,} weights, {one.language_answers:,} answers: {one.language_minutes} min",
            f"{one.minutes:.1f} min",
        ]
        yield f"| {' | '.join(cells)} |"


def _cell(figure: Figure) -> str:
    if figure.value is None:
        return "none"
    value = f"{100 * figure.value:.1f}"
    if figure.low is None or figure.high is None:
        return value
    bounds = f"{value} ({100 * figure.low:.1f} to {100 * figure.high:.1f})"
    return bounds if _holds(figure) else f"**{bounds}: not shown**"
