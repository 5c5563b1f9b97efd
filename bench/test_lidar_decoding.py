"""Decoding of a LiDAR language model on a processor, beside transformers without what questions share.

SmolLM2-135M is asked yes-no questions about one scene of 40 frames, exactly 8 new tokens each. With temporal contrast
the peer asks one question at a time, in two passes with caches of their own; without, it reads all prompts as one
padded batch. `PROBE4D_BENCH_LIDAR_QUESTIONS` sets the number of questions (64). Ratios are printed, not asserted: they
depend on the machine and what else it does; the answers must be the same.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeVar

import pytest
import torch
from decoding_making import feature_rows, one_at_a_time, up_to_a_tie
from torch import Tensor

from probe4d.benchmarks.lidar_hallu.templates import existence_stem, full_text, motion_stem, position_stem
from probe4d.models.lidar_lm.decoding.decoder import Decoder, DecodingItem, DecodingOptions
from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.request import Contrast

SMOLLM2 = Path(__file__).parents[1] / "build" / "models" / "smollm2"
QUESTIONS = int(os.environ.get("PROBE4D_BENCH_LIDAR_QUESTIONS", "64"))
FRAMES = 40
WIDTH = 768
NEW_TOKENS = 8

Made = TypeVar("Made")


class Cost(NamedTuple):
    """Seconds in all, and of this process's processor time."""

    wall_s: float
    processor_s: float

    def __str__(self) -> str:
        return f"{self.wall_s:.1f} s ({self.processor_s:.1f} s of processor time)"


def cost(work: Callable[[], Made]) -> tuple[Cost, Made]:
    wall_s, processor_s = time.perf_counter(), time.process_time()
    made = work()
    return Cost(time.perf_counter() - wall_s, time.process_time() - processor_s), made


@pytest.fixture(scope="module")
def model() -> LidarLanguageModel:
    if not (SMOLLM2 / "config.json").exists():
        pytest.skip(f"SmolLM2 was not found in {SMOLLM2}; run `make weights`")
    return LidarLanguageModel.from_base(SMOLLM2, WIDTH, torch.float32).eval()


def stem(number: int) -> str:
    """Yes-no questions of three families in turn."""
    label = ("car", "truck", "pedestrian", "traffic cone")[number % 4]
    frame = number % (FRAMES - 5)
    if number % 3 == 0:
        return existence_stem(frame, label)
    if number % 3 == 1:
        return position_stem(frame, label, ("front", "back-left", "right")[number // 3 % 3])
    return motion_stem(frame, frame + 5, label, ("closer", "left", "similar")[number // 3 % 3])


@pytest.fixture(scope="module")
def items(model: LidarLanguageModel) -> list[DecodingItem]:
    rows = feature_rows(FRAMES, width=WIDTH)
    return [
        DecodingItem(
            token_ids=model.prompt(full_text(stem(number))).ids.tolist(),
            rows=rows,
            contrast=Contrast(alpha=1.0, order=shuffled_order(FRAMES, 42 + number)),
            seed=1234 + number,
        )
        for number in range(QUESTIONS)
    ]


@torch.inference_mode()
def read_as_one_batch(model: LidarLanguageModel, items: Sequence[DecodingItem]) -> Tensor:
    """(questions, vocabulary) logits after prompts that are read in full, with a cache for what would follow."""
    prompts = [model.prompt(full_text(stem(number))) for number in range(len(items))]
    batch = model.embedded(prompts, [[torch.from_numpy(item.rows)] for item in items])
    language_model = model.language_model
    read = language_model.model(
        inputs_embeds=batch.inputs_embeds,
        attention_mask=batch.attention_mask,
        position_ids=batch.position_ids,
        use_cache=True,
    )
    last = batch.attention_mask.sum(dim=1) - 1
    return language_model.lm_head(read.last_hidden_state[torch.arange(len(items)), last])


def test_temporal_contrast(model: LidarLanguageModel, items: list[DecodingItem]) -> None:
    options = DecodingOptions(temperature=0.0, max_new_tokens=NEW_TOKENS, stop_at_eos=False)
    decoder = Decoder(model)
    decoder.generate(items[:2], options)
    together, answers = cost(lambda: decoder.generate(items, options))
    alone, plain = cost(lambda: [one_at_a_time(model, item, options) for item in items])
    for answer, other in zip(answers, plain, strict=True):
        assert len(answer.token_ids) == len(other.tokens) == NEW_TOKENS
        mine, others = up_to_a_tie(answer.token_ids, other)
        assert mine == others
    print(f"\n{QUESTIONS} questions with temporal contrast, {NEW_TOKENS} new tokens each")
    print(f"  one at a time, two passes: {alone}")
    print(f"  together: {together}, {alone.wall_s / together.wall_s:.1f} × as fast", end=" ")
    print(f"({alone.processor_s / together.processor_s:.1f} × in processor time)")


def test_prefix_reuse(model: LidarLanguageModel, items: list[DecodingItem]) -> None:
    options = DecodingOptions(temperature=0.0, max_new_tokens=1, keep_logits=1)
    plain = [replace(item, contrast=None) for item in items]
    decoder = Decoder(model)
    decoder.generate(plain[:2], options)
    shared, answers = cost(lambda: decoder.generate(plain, options))
    whole, logits = cost(lambda: read_as_one_batch(model, plain))
    for answer, other in zip(answers, logits, strict=True):
        assert answer.first_logits[0].clean == pytest.approx(float(other.max()), abs=1e-3)
    print(f"\nprompts of {QUESTIONS} questions about one scene, {answers[0].prompt_tokens} tokens or so each")
    print(f"  one padded batch: {whole}")
    print(f"  what they share read once: {shared}, {whole.wall_s / shared.wall_s:.1f} × as fast", end=" ")
    print(f"({whole.processor_s / shared.processor_s:.1f} × in processor time)")
