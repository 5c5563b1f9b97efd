"""Tiny LiDAR language models to decode, questions for them, and decoding as plainly as it can be written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from lidar_making import smollm_like_tokenizer, tiny_llama
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import LlamaForCausalLM, PreTrainedTokenizerFast

from probe4d.models.lidar_lm.decoding.decoder import DecodingItem, DecodingModel, DecodingOptions
from probe4d.models.lidar_lm.splicing import FEATURES

WIDTH = 6
SYSTEM = "A chat between a user and an assistant. USER: "
QUESTIONS = (
    "\nIs there a car in frame 3? ASSISTANT:",
    "\nIs there a pedestrian to the left in frame 12? Answer Yes or No. ASSISTANT:",
    "\nDoes the truck come closer? ASSISTANT:",
    "\nIs there a car in frame 7? A. Yes B. No ASSISTANT:",
    "\nWhere is the bus? ASSISTANT:",
)


@dataclass(frozen=True)
class Parts:
    """The parts of a LiDAR language model that decoding needs."""

    language_model: LlamaForCausalLM
    projector: nn.Linear
    tokenizer: PreTrainedTokenizerFast


def tiny_model(key_value_heads: int = 2, dtype: torch.dtype = torch.float32) -> Parts:
    """A random model whose logits lie so far apart that rounding seldom chooses a token."""
    tokenizer = smollm_like_tokenizer()
    language_model = tiny_llama(
        tokenizer, num_key_value_heads=key_value_heads, initializer_range=0.3, max_position_embeddings=256
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        projector = nn.Linear(WIDTH, language_model.config.hidden_size)
        nn.init.normal_(projector.weight, std=0.5)
    return Parts(language_model.to(dtype), projector.to(dtype), tokenizer)


def feature_rows(frames: int, seed: int = 0, width: int = WIDTH) -> NDArray[np.float32]:
    """Feature rows of a scene."""
    return np.random.default_rng(seed).normal(size=(frames, width)).astype(np.float32)


def prompt(model: DecodingModel, question: str, system: str = SYSTEM) -> tuple[int, ...]:
    """Tokens of a prompt, with the place of its rows after the system text."""
    before, after = (model.tokenizer(text, add_special_tokens=False)["input_ids"] for text in (system, question))
    return (*before, FEATURES, *after)


def embedded(model: DecodingModel, item: DecodingItem, order: Sequence[int] | None = None) -> Tensor:
    """(1, length, hidden) embeddings of a prompt whose feature rows stand in an order."""
    rows = item.rows if item.rows is not None else np.zeros((0, model.projector.in_features), dtype=np.float32)
    rows = rows if order is None else rows[list(order)]
    ids = list(item.token_ids)
    place = ids.index(FEATURES)
    embed, weight = model.language_model.get_input_embeddings(), model.projector.weight
    projected = model.projector(torch.tensor(rows, dtype=weight.dtype))
    parts = (embed(torch.tensor(ids[:place])), projected, embed(torch.tensor(ids[place + 1 :])))
    return torch.cat(parts)[None]


class Plain(NamedTuple):
    """An answer decoded plainly.

    `gaps` are the differences between the two highest logits that each token was chosen from; `clean` and
    `shuffled` the logits of the first token.
    """

    tokens: list[int]
    gaps: list[float]
    clean: Tensor
    shuffled: Tensor | None


@torch.inference_mode()
def one_at_a_time(model: DecodingModel, item: DecodingItem, options: DecodingOptions) -> Plain:
    """Decode one question in passes of its own, with transformers' own attention and caches, and without top-k/p.

    The draws are those of torch's global generator, seeded for the question.
    """
    language_model, contrast = model.language_model, item.contrast
    orders = [None] if contrast is None else [None, contrast.order]
    passes = [
        language_model(inputs_embeds=embedded(model, item, order), use_cache=True, logits_to_keep=1) for order in orders
    ]
    first = [step.logits[0, -1].float() for step in passes]
    tokens: list[int] = []
    gaps: list[float] = []
    end = model.tokenizer.eos_token_id if options.stop_at_eos else None
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(item.seed or 0)
        while True:
            branches = [step.logits[0, -1].float() for step in passes]
            logits = branches[0] if contrast is None else branches[0] + contrast.alpha * (branches[0] - branches[1])
            highest = logits.topk(2).values
            if options.temperature <= 0:
                token = int(logits.argmax())
            else:
                token = int(torch.multinomial(torch.softmax(logits / options.temperature, dim=-1)[None], 1))
            gaps.append(float(highest[0] - highest[1]))
            if token == end:
                break
            tokens.append(token)
            if len(tokens) == options.max_new_tokens:
                break
            read = torch.tensor([[token]])
            passes = [language_model(input_ids=read, cache=step.cache, use_cache=True) for step in passes]
    return Plain(tokens, gaps, first[0], first[1] if contrast is not None else None)


def up_to_a_tie(tokens: Sequence[int], plain: Plain, gap: float = 1e-3) -> tuple[list[int], list[int]]:
    """Tokens and those of a plain answer, up to where rounding may choose between two."""
    tie = next((place for place, found in enumerate(plain.gaps) if found <= gap), len(plain.gaps))
    return list(tokens[:tie]), plain.tokens[:tie]
