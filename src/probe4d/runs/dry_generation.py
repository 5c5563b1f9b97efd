"""What a suite's pipeline would come to: calls, pictures, estimated tokens, and one request of each stage."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from probe4d.benchmarks.generating import Prompt, Stage
from probe4d.models.generation import Generation
from probe4d.models.request import Request
from probe4d.models.tokens import TextTokens, tokens_by_length
from probe4d.runs.dry_run import DryRun, dry_requests, some_of
from probe4d.runs.pictured_prompts import pictured_requests

__all__ = ["dry_stage"]


def dry_stage(
    stage: Stage,
    prompts: Sequence[Prompt],
    root: Path,
    *,
    model: str,
    generation: Generation,
    count_tokens: TextTokens = tokens_by_length,
) -> DryRun:
    """Look at a stage without asking: nothing is sent, no model opened, no key needed, no file written.

    Args:
        stage: The stage.
        prompts: Its prompts.
        root: The dataset's folder.
        model: inspect-ai name of the model that would be asked; its provider decides what pictures cost.
        generation: How it would generate.
        count_tokens: Counts the tokens of texts.

    Returns:
        As of a run, whose setting is the stage; calls are counted by the last part of their keys.
    """
    return dry_requests(
        [Request(key=prompt.key, text=prompt.text) for prompt in prompts],
        list(pictured_requests(some_of(prompts), root, seed=generation.seed)),
        model=model,
        setting=stage,
        families=[prompt.key.rpartition("/")[2] for prompt in prompts],
        left_out=(),
        shown=[picture for prompt in prompts for picture in prompt.pictures],
        generation=generation,
        count_tokens=count_tokens,
    )
