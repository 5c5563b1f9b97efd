"""The scorers of inspect-ai that read replies as `diagnose` does: of labels, intervals of key frames, and numbers.

Only inspect-ai and what it loads import this module; the rest of Probe4D does not need inspect-ai.
"""

from __future__ import annotations

import itertools
import math
import statistics
from collections.abc import Iterable, Sequence

from inspect_ai.scorer import (
    Metric,
    SampleScore,
    Score,
    Scorer,
    Target,
    accuracy,
    grouped,
    mean,
    metric,
    scorer,
    stderr,
)
from inspect_ai.solver import TaskState

from probe4d.diagnosis.parsing import parse
from probe4d.exchange.interval_replies import INTERVAL_METRICS, score_intervals
from probe4d.exchange.number_replies import ERROR_METRICS, NUMBER_METRICS, SHARE_METRICS, score_numbers
from probe4d.runs.settings import setting_named

__all__ = ["mean_by", "parsed_answer", "parsed_interval", "parsed_number", "valid_rate"]


@metric
def valid_rate() -> Metric:
    """Share of the replies that name one answer, as the parser reads them."""

    def rate(scores: list[SampleScore]) -> float:
        return sum(score.score.as_float() for score in scores) / len(scores) if scores else 0.0

    return rate


@metric
def mean_by(groups: Sequence[str]) -> Metric:
    """The mean of each part of the samples; inspect-ai takes its own `grouped` but once for a value.

    Args:
        groups: Names of metadata, every value of which is a part.
    """

    def means(scores: list[SampleScore]) -> dict[str, float]:
        found: dict[str, list[float]] = {}
        for group, score in itertools.product(groups, scores):
            found.setdefault(str((score.sample_metadata or {}).get(group)), []).append(score.score.as_float())
        return {part: statistics.fmean(values) for part, values in found.items()}

    return means


@scorer(
    metrics={
        "correct": [accuracy(), stderr(cluster="scene"), grouped(accuracy(), "family", all=False)],
        "valid": [valid_rate(), grouped(valid_rate(), "family", all=False)],
    }
)
def parsed_answer(setting: str = "default") -> Scorer:
    """Read a reply whose answer is a label with Probe4D's default parser; one that cannot be read is wrong.

    Labels are yes and no, letters of options, and words of a vocabulary. The score's metadata says the state: `valid`,
    `ambiguous`, `refused`, `truncated`, `empty`. Questions for an interval or a number get no score.

    Args:
        setting: Setting in which was asked, which says what part of a reply is the answer.
    """
    how = setting_named(setting)

    async def score(state: TaskState, target: Target) -> Score | None:
        if state.metadata["format"] in ("interval", "number"):
            return None
        choices: Iterable[str] = (choice.value for choice in state.choices)
        parsed = parse(
            how.answer_part(state.output.completion),
            format=state.metadata["format"],
            options=tuple(choices),
            finish_reason=_finish_reason(state),
        )
        return Score(
            value={"correct": int(parsed.label == target.text), "valid": int(parsed.state == "valid")},
            answer=parsed.label,
            explanation=state.output.completion,
            metadata={"state": parsed.state},
        )

    return score


@scorer(
    metrics={name: [mean(), stderr(cluster="scene"), grouped(mean(), "family", all=False)] for name in INTERVAL_METRICS}
)
def parsed_interval(setting: str = "default") -> Scorer:
    """Read a reply whose answer is an interval of key frames with Probe4D's parser; one that cannot be read is worth 0.

    The values are those of the answer in `intervals` of a diagnosis: intersection over union and whether it reaches
    each threshold, by both conventions, and whether it could be read. Questions of other formats get no score.

    Args:
        setting: Setting in which was asked, which says what part of a reply is the answer.
    """
    how = setting_named(setting)

    async def score(state: TaskState, target: Target) -> Score | None:
        if state.metadata["format"] != "interval":
            return None
        part = how.answer_part(state.output.completion)
        (row,) = score_intervals([part], [target.text], [_finish_reason(state)]).iter_rows(named=True)
        return Score(
            value={name: row[name] for name in INTERVAL_METRICS},
            answer=row["label"],
            explanation=state.output.completion,
            metadata={"state": row["state"]},
        )

    return score


@scorer(
    metrics={
        **{name: [mean(), stderr(cluster="scene"), mean_by(["family", "unit"])] for name in SHARE_METRICS},
        **{name: [mean_by(["unit", "family_unit"])] for name in ERROR_METRICS},
    }
)
def parsed_number(setting: str = "default") -> Scorer:
    """Read a reply whose answer is a number of a known unit with Probe4D's parser; one that cannot be read is wrong.

    The values are what `diagnose` takes the means of: whether the answer is within 75 to 125 % of the truth, whether
    it could be read, and the absolute error in the unit of the question, of angles also the shorter way round. What
    was not read has no error (NaN, which inspect-ai leaves out of a mean), and errors in metres and in degrees have no
    mean in common. Questions of other formats get no score.

    Args:
        setting: Setting in which was asked, which says what part of a reply is the answer.
    """
    how = setting_named(setting)

    async def score(state: TaskState, target: Target) -> Score | None:
        if state.metadata["format"] != "number":
            return None
        part = how.answer_part(state.output.completion)
        worth = score_numbers([part], [target.text], [state.metadata["unit"]], [_finish_reason(state)])
        (row,) = worth.iter_rows(named=True)
        return Score(
            value={name: math.nan if row[name] is None else row[name] for name in NUMBER_METRICS},
            answer=row["label"],
            explanation=state.output.completion,
            metadata={"state": row["state"]},
        )

    return score


def _finish_reason(state: TaskState) -> str | None:
    return state.output.stop_reason if state.output.choices else None
