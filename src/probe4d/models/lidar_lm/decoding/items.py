"""What decoding is given and what it gives: questions, options, answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray
from torch import nn
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from probe4d.errors import InputError
from probe4d.models.lidar_lm.decoding.sampling import SamplingOptions
from probe4d.models.request import Contrast, KeptLogit

__all__ = ["Decoded", "DecodingItem", "DecodingModel", "DecodingOptions", "FinishReason"]

FinishReason = Literal["stop", "max_tokens"]
"""What ended an answer: the model, or the bound."""


class DecodingModel(Protocol):
    """What decoding needs of a LiDAR language model."""

    @property
    def language_model(self) -> PreTrainedModel:
        """A causal language model of the Llama architecture."""

    @property
    def projector(self) -> nn.Linear:
        """Feature rows to embeddings."""

    @property
    def tokenizer(self) -> PreTrainedTokenizerBase:
        """The language model's; its end-of-sequence token ends an answer."""


@dataclass(frozen=True, kw_only=True)
class DecodingItem:
    """One question.

    Attributes:
        token_ids: The prompt; `splicing.FEATURES` stands where the feature rows go, once.
        rows: (T, D) float32 feature rows; with null or no rows their place stays empty.
        contrast: Temporal contrast, or null.
        seed: Seed of the draws; LiDAR-Hallu's is 1234 plus the number of the question; null draws anew each time.
        labels: Labels of the options, whose logits are kept.
    """

    token_ids: Sequence[int]
    rows: NDArray[np.float32] | None = None
    contrast: Contrast | None = None
    seed: int | None = None
    labels: Sequence[str] = ()


class DecodingOptions(SamplingOptions, frozen=True, kw_only=True):
    """How all items of a call are decoded; the defaults are LiDAR-Hallu's.

    Attributes:
        max_new_tokens: Most tokens of an answer.
        stop_at_eos: Whether the tokenizer's end-of-sequence token ends an answer.
        keep_logits: How many of the likeliest first tokens are kept with their logits, beside those of the labels;
            null keeps none.
        batch_rows: Most rows computed at once; an item with contrast takes two.
    """

    max_new_tokens: int = 32
    stop_at_eos: bool = True
    keep_logits: int | None = None
    batch_rows: int = 128

    def __post_init__(self) -> None:
        """Refuse numbers that mean nothing."""
        super().__post_init__()
        for name in ("max_new_tokens", "batch_rows"):
            if getattr(self, name) < 1:
                raise InputError(f"{name} must be at least 1, not {getattr(self, name)}.")
        if self.keep_logits is not None and self.keep_logits < 0:
            raise InputError(f"keep_logits must not be negative, but is {self.keep_logits}.")


@dataclass(frozen=True, kw_only=True)
class Decoded:
    """An answer.

    Attributes:
        text: The answer without special tokens and without space around it.
        token_ids: Its tokens; the one that ends it is left out.
        finish_reason: What ended it: the model (`stop`) or the bound (`max_tokens`).
        prompt_tokens: Tokens and feature rows read.
        first_logits: Logits of its first token, where they are kept.
    """

    text: str
    token_ids: tuple[int, ...]
    finish_reason: FinishReason
    prompt_tokens: int
    first_logits: tuple[KeptLogit, ...] = ()
