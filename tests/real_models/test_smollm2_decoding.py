from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from probe4d.models.lidar_lm.decoding.decoder import Decoder, DecodingItem, DecodingOptions
from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.request import Contrast

WIDTH = 8
QUESTIONS = ("Does car exist in frame 002?", "In frame 003, is the nearest truck at the left position?", "Is it day?")


def test_both_branches_have_the_logits_of_whole_prompts(smollm2: Path) -> None:
    model = LidarLanguageModel.from_base(smollm2, WIDTH, torch.float32)
    rows = np.random.default_rng(0).normal(size=(6, WIDTH)).astype(np.float32)
    prompts = [model.prompt(question) for question in QUESTIONS]
    orders = [shuffled_order(len(rows), 42 + number) for number in range(len(QUESTIONS))]
    items = [
        DecodingItem(
            token_ids=prompt.ids.tolist(), rows=rows, contrast=Contrast(alpha=1.0, order=order), labels=("Yes", "No")
        )
        for prompt, order in zip(prompts, orders, strict=True)
    ]
    answers = Decoder(model).generate(items, DecodingOptions(temperature=0.0, max_new_tokens=1, keep_logits=3))
    for prompt, order, answer in zip(prompts, orders, answers, strict=True):
        assert [logit.text for logit in answer.first_logits[:2]] == [" Yes", " No"]
        tokens = [logit.token for logit in answer.first_logits]
        for shown, given in ((rows, "clean"), (rows[list(order)], "shuffled")):
            with torch.inference_mode():
                logits = model([prompt], [[torch.from_numpy(shown)]]).logits[0, -1, tokens]
            assert [getattr(logit, given) for logit in answer.first_logits] == pytest.approx(logits.tolist(), abs=1e-3)
