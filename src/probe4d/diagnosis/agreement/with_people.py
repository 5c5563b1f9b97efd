"""How well judges of answers agree with people (STRIDE, A.5 and Table 4), with bootstrap intervals.

The figures are in `concordance`. An item is an answer, and people's score of it the mean where there are several.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.diagnosis.agreement.concordance import CORRELATIONS, FIGURES, ComparedScores
from probe4d.diagnosis.statistics.bootstrap import DRAWS, FEW_SCENES, SEED, blocks_of_counts, bounds_of_draws
from probe4d.diagnosis.writing import without_formulas
from probe4d.store.files import whole_file
from probe4d.wording import counted

__all__ = [
    "AGREEMENT_SCHEMA",
    "Agreement",
    "Figure",
    "JudgeLabels",
    "agreement_table",
    "judge_agreement",
    "write_agreement",
]

Scores = npt.NDArray[np.float64]

_WEIGHTS_AT_ONCE = 2**20
"""How often each item was drawn, in how many draws at a time: what stays in the processor's cache is faster."""

_TIMES_LESS = 10
"""Than the best score is what a judge gives at most that has a scale up to 1, or up to 10 in place of 100."""


@dataclass(frozen=True)
class JudgeLabels:
    """What people and judges said of the same answers.

    Attributes:
        items: What was judged, each once.
        human: (items,) score of people, 0 to `scale`; NaN where there is none.
        judges: (items,) scores by the name of the judge, 0 to `scale`; NaN where it left an item unscored.
        scale: The best score: 10 or 100.
        unscaled: Judges with a scale of their own, of which only correlations can be said.
        scenes: (items,) scene of each, by which they are resampled; null: items are resampled.
        references: (items,) right answers, null where there is none; null where the file has none.
        answers: (items,) answers that were judged, likewise.
        fingerprints: How the scores of a judge were computed, where they were computed here.
    """

    items: Sequence[str]
    human: Scores
    judges: Mapping[str, Scores]
    scale: int = 10
    unscaled: frozenset[str] = frozenset()
    scenes: Sequence[str] | None = None
    references: Sequence[str | None] | None = None
    answers: Sequence[str | None] | None = None
    fingerprints: Mapping[str, str] = field(default_factory=dict)

    @property
    def has_texts(self) -> bool:
        """Whether text metrics can be added to the judges."""
        return self.references is not None and self.answers is not None

    @property
    def without_human(self) -> int:
        """Number of items that people did not score, which no figure is of."""
        return int(np.isnan(self.human).sum())


class Figure(msgspec.Struct, frozen=True):
    """A figure with its 95 % interval; null where it is not defined, or where there is nothing to resample."""

    value: float | None = None
    low: float | None = None
    high: float | None = None


class Agreement(msgspec.Struct, frozen=True, kw_only=True):
    """How well one judge agrees with people.

    Attributes:
        judge: Its name.
        n: Number of items that both scored, from which the figures are.
        unscored: Number of items that people scored and the judge did not.
        figures: By the names of `FIGURES`.
        notes: What a reader of the figures should know, as sentences that begin small.
        fingerprint: How the scores were computed; null for those that came with the file.
    """

    judge: str
    n: int
    unscored: int
    figures: Mapping[str, Figure]
    notes: tuple[str, ...] = ()
    fingerprint: str | None = None


AGREEMENT_SCHEMA = {
    "judge": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
    "unscored": pl.Int64,
    "scale": pl.Int64,
    "fingerprint": pl.String,
}


def judge_agreement(labels: JudgeLabels, *, draws: int = DRAWS, seed: int = SEED) -> list[Agreement]:
    """Compare every judge with people.

    Intervals are quantiles 0.025 and 0.975 over draws of items (of whole scenes, where these are known) with
    replacement. A draw in which a figure is not defined, since all scores in it are equal, is left out of its interval.
    Every judge has its own draws, from the same seed: its figures depend on no other.

    Args:
        labels: The scores.
        draws: Number of resamples.
        seed: Their seed.

    Returns:
        One for each judge, in their order.
    """
    return [_agreement(labels, name, scores, draws=draws, seed=seed) for name, scores in labels.judges.items()]


def _agreement(labels: JudgeLabels, name: str, scores: Scores, *, draws: int, seed: int) -> Agreement:
    by_people, by_both = ~np.isnan(labels.human), ~np.isnan(labels.human) & ~np.isnan(scores)
    items = np.asarray(labels.items, dtype=np.str_)
    chosen = np.flatnonzero(by_both)[np.argsort(items[by_both])]  # draws do not depend on the order of rows
    human, judge = labels.human[chosen], scores[chosen]
    drawn = items if labels.scenes is None else np.asarray(labels.scenes, dtype=np.str_)
    names, groups = np.unique(drawn[chosen], return_inverse=True)
    figures = _figures(human, judge, groups, draws=draws, seed=seed)
    if name in labels.unscaled:
        figures |= {figure: Figure() for figure in FIGURES if figure not in CORRELATIONS}
    return Agreement(
        judge=name,
        n=chosen.size,
        unscored=int((by_people & ~by_both).sum()),
        figures=figures,
        notes=(
            *_notes(human, judge, drawn="item" if labels.scenes is None else "scene", n=names.size),
            *_doubts(judge, scale=None if name in labels.unscaled | labels.fingerprints.keys() else labels.scale),
        ),
        fingerprint=labels.fingerprints.get(name),
    )


def _figures(human: Scores, judge: Scores, groups: npt.NDArray[np.intp], *, draws: int, seed: int) -> dict[str, Figure]:
    if not human.size:
        return dict.fromkeys(FIGURES, Figure())
    compared = ComparedScores(human, judge)
    values = compared.figures(np.ones((1, human.size)))[0]
    bounds = np.full((len(FIGURES), 2), np.nan)
    if groups.max() > 0:
        at_once = max(1, _WEIGHTS_AT_ONCE // human.size)
        counts = blocks_of_counts(int(groups.max()) + 1, at_once=at_once, draws=draws, seed=seed)
        drawn = np.vstack([compared.figures(block[:, groups].astype(np.float64)) for block in counts])
        bounds = np.vstack([bounds_of_draws(own[~np.isnan(own), None]) for own in drawn.T])
    return {
        name: Figure(*(None if np.isnan(number) else float(number) for number in (value, *bound)))
        for name, value, bound in zip(FIGURES, values, bounds, strict=True)
    }


def _notes(human: Scores, judge: Scores, *, drawn: str, n: int) -> tuple[str, ...]:
    """What a reader of a judge's figures should know.

    Args:
        human: Scores of people.
        judge: Those of the judge.
        drawn: What is resampled, in words.
        n: How many of these there are.
    """
    if not human.size:
        return ("no item has both its score and that of people.",)
    notes = []
    for who, scores in (("people give", human), ("it gives", judge)):
        if human.size > 1 and (scores == scores[0]).all():
            notes.append(f"{who} {scores[0]:g} to every item, so that there is no correlation.")
    if n < FEW_SCENES:
        notes.append(f"{counted(n, drawn)} cannot tell how far the figures would be off elsewhere.")
    return tuple(notes)


def _doubts(judge: Scores, *, scale: int | None) -> tuple[str, ...]:
    """Whether a judge seems to score on another scale than it is said to, null where it does as it should."""
    highest = judge.max(initial=0.0)
    if scale is None or not 0 < highest <= scale / _TIMES_LESS:
        return ()
    return (f"it gives no more than {highest:g} of {scale}; has it a scale of its own (unscaled=, --unscaled NAME)?",)


def agreement_table(agreements: Sequence[Agreement], *, scale: int) -> pl.DataFrame:
    """Agreement as a tidy table of `AGREEMENT_SCHEMA`, a row each judge and figure.

    Args:
        agreements: As `judge_agreement` gives them.
        scale: The best score, in whose points the mean absolute difference is.
    """
    rows = [
        (one.judge, name, figure.value, figure.low, figure.high, one.n, one.unscored, scale, one.fingerprint)
        for one in agreements
        for name, figure in one.figures.items()
    ]
    return pl.DataFrame(rows, schema=AGREEMENT_SCHEMA, orient="row")


def write_agreement(agreements: Sequence[Agreement], path: Path | str, *, scale: int) -> None:
    """Write `agreement_table` as a CSV file, whole; no name of a judge is a formula in it.

    Raises:
        InputError: The file cannot be written.
    """
    with whole_file(path) as temporary:
        table = agreement_table(agreements, scale=scale)
        table.with_columns(without_formulas(pl.col(pl.String))).write_csv(temporary)
