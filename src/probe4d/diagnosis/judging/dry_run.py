"""What judging would come to: calls, pictures, estimated tokens, and one request as it would be sent."""

from __future__ import annotations

from probe4d.diagnosis.judging.prepared import PreparedJudging
from probe4d.models.request import Request
from probe4d.models.tokens import TextTokens, tokens_by_length
from probe4d.runs.dry_run import DryRun, dry_requests, some_of

__all__ = ["dry_judge"]


def dry_judge(prepared: PreparedJudging, *, model: str, count_tokens: TextTokens = tokens_by_length) -> DryRun:
    """Look at a judging without asking: nothing is sent, no model opened, no key needed, no file written.

    Args:
        prepared: The judging.
        model: inspect-ai name of the judge that would be asked; its provider decides what pictures cost.
        count_tokens: Counts the tokens of texts.

    Returns:
        As of a run, whose setting is the rubric.
    """
    candidates = list(prepared.candidates.values())
    finished = list(prepared.requests(candidates))
    asked = [one for one in finished if isinstance(one, Request)]
    sent = [prepared.candidates[request.key] for request in asked]
    with prepared.rendering(cache=False) as renderer:
        looked_at = list(prepared.requests(some_of(sent), renderer=renderer))
    return dry_requests(
        asked,
        looked_at,
        model=model,
        setting=f"rubric {prepared.rubric.name}",
        families=[one.question.family for one in sent],
        left_out=prepared.shown.left_out,
        shown=[picture for one in sent for picture in prepared.shown.of[one.question.id].pictures],
        generation=prepared.plan.generation,
        count_tokens=count_tokens,
    )
