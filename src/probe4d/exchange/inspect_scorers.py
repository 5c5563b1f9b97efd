"""The scorers of inspect-ai that read replies as `diagnose` does: of labels, and of intervals of key frames.

Only inspect-ai and what it loads import this module; the rest of Probe4D does not need inspect-ai.
"""

from __future__ import annotations

from collections.abc import Iterable

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
from probe4d.runs.settings import setting_named

__all__ = ["parsed_answer", "parsed_interval", "valid_rate"]


@metric
def valid_rate() -> Metric:
    """Share of the replies that name one answer, as the parser reads them."""

    def rate(scores: list[SampleScore]) -> float:
        return sum(score.score.as_float() for score in scores) / len(scores) if scores else 0.0

    return rate


@scorer(
    metrics={
        "correct": [accuracy(), stderr(cluster="scene"), grouped(accuracy(), "family", all=False)],
        "valid": [valid_rate(), grouped(valid_rate(), "family", all=False)],
    }
)
def parsed_answer(setting: str = "default") -> Scorer:
    """Read a reply whose answer is a label with Probe4D's default parser; one that cannot be read is wrong.

    Labels are yes and no, letters of options, and words of a vocabulary. The score's metadata says the state: `valid`,
    `ambiguous`, `refused`, `truncated`, `empty`. Questions for an interval get no score.

    Args:
        setting: Setting in which was asked, which says what part of a reply is the answer.
    """
    how = setting_named(setting)

    async def score(state: TaskState, target: Target) -> Score | None:
        if state.metadata["format"] == "interval":
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


def _finish_reason(state: TaskState) -> str | None:
    return state.output.stop_reason if state.output.choices else None
