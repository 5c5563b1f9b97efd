"""How the next token is drawn from logits."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec
import torch
from torch import Tensor
from transformers import TopKLogitsWarper, TopPLogitsWarper

from probe4d.errors import InputError, RunError
from probe4d.models.lidar_lm.answering_options import Sampling

__all__ = ["SamplingOptions", "generator_of", "next_tokens"]

_LEAST_TEMPERATURE = 1e-6
"""Logits divided by less might be more than float32 holds, and the likeliest token is drawn all the same."""


class SamplingOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How tokens are drawn; the defaults are LiDAR-Hallu's.

    Attributes:
        sampling: Whether items without contrast are cut off by `top_k` and `top_p`; with contrast none is.
        temperature: Divides the logits; below 1e-6 the likeliest token is taken.
        top_k: Most tokens that are left; null leaves all.
        top_p: Probability that the tokens left hold at least together; null leaves all.

    Raises:
        InputError: A number is out of its range.
    """

    sampling: Sampling = "released"
    temperature: float = 0.05
    top_k: int | None = 50
    top_p: float | None = 0.6

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        if self.top_k is not None and self.top_k < 1:
            raise InputError(f"top_k must be at least 1, not {self.top_k}.")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InputError(f"top_p must be above 0 and at most 1, not {self.top_p}.")


def generator_of(seed: int | None) -> torch.Generator:
    """Make the generator of one item, on the processor wherever the model runs, so that draws are the same there.

    It draws what `torch.multinomial` draws after `torch.manual_seed(seed)`. Null seeds it from the system.
    """
    generator = torch.Generator("cpu")
    if seed is None:
        generator.seed()
    else:
        generator.manual_seed(seed)
    return generator


def next_tokens(
    logits: Tensor, options: SamplingOptions, generators: Sequence[torch.Generator], cut: Sequence[bool]
) -> list[int]:
    """Choose a token for each row.

    Args:
        logits: (rows, vocabulary) float32.
        options: How.
        generators: One a row.
        cut: Whether a row is cut off by `top_k` and `top_p`.

    Raises:
        RunError: Logits are not finite.
    """
    if not bool(logits.isfinite().all()):
        raise RunError(
            "the language model's logits are not finite numbers. Look for such values among the features and weights; "
            "where there are none, load the model as bf16 or fp32, whose range is wider than that of fp16."
        )
    if options.temperature < _LEAST_TEMPERATURE:
        return logits.argmax(dim=-1).tolist()
    scaled = logits / options.temperature
    rows = torch.tensor([row for row, is_cut in enumerate(cut) if is_cut], device=logits.device, dtype=torch.int64)
    if len(rows):
        scaled[rows] = _cut_off(scaled[rows], options)
    probabilities = scaled.softmax(dim=-1).cpu()
    drawn = (
        torch.multinomial(row, 1, generator=generator) for row, generator in zip(probabilities, generators, strict=True)
    )
    return [int(token) for token in drawn]


def _cut_off(logits: Tensor, options: SamplingOptions) -> Tensor:
    """Keep the likeliest tokens, first `top_k` and of these `top_p`, as transformers does; the others get -inf."""
    if options.top_k is not None:
        logits = TopKLogitsWarper(options.top_k)(None, logits)
    if options.top_p is not None and options.top_p < 1:
        # Sorted among the tokens left only: sorting whole vocabularies would take longer than the model.
        left = int(logits.isfinite().sum(dim=-1).max())
        highest, tokens = logits.topk(left, dim=-1)
        highest = TopPLogitsWarper(options.top_p)(None, highest)
        logits = torch.full_like(logits, -torch.inf).scatter(-1, tokens, highest)
    return logits
