"""What judging would come to: calls, pictures, estimated tokens, and one request as it would be sent."""

from __future__ import annotations

from collections import Counter

from probe4d.diagnosis.judging.prepared import PreparedJudging
from probe4d.models.asking import Finished
from probe4d.models.request import Request
from probe4d.models.tokens import TextTokens, tokens_by_length
from probe4d.runs.dry_run import DryRun, example_request, picture_estimate, some_of

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
    generation = prepared.plan.generation
    candidates = list(prepared.candidates.values())
    finished = list(prepared.requests(candidates))
    asked = [one for one in finished if isinstance(one, Request)]
    sent = [prepared.candidates[request.key] for request in asked]
    with prepared.rendering(cache=False) as renderer:
        looked_at = list(prepared.requests(some_of(sent), renderer=renderer))
    requests = [one for one in looked_at if isinstance(one, Request)]
    shown = [picture for one in sent for picture in prepared.shown.of[one.question.id].pictures]
    limit = generation.max_tokens
    return DryRun(
        model=model,
        setting=f"rubric {prepared.rubric.name}",
        questions=dict(Counter(one.question.family for one in sent)),
        calls=len(asked),
        left_out=dict(Counter(one.reason for one in prepared.shown.left_out).most_common()),
        failures=tuple(dict.fromkeys(one.failure or "" for one in looked_at if isinstance(one, Finished))),
        text_tokens=count_tokens([request.text for request in asked]),
        pictures=picture_estimate(shown, requests, model, detail=generation.image_detail),
        reply_tokens=None if limit is None else limit * len(asked),
        example=example_request(generation, requests[0], model) if requests else None,
    )
