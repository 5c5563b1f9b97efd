"""The example that trains a tiny LiDAR language model: its parts, and two steps of its training."""

from __future__ import annotations

from pathlib import Path

import msgspec
import numpy as np
import pytest

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.training_rows import TrainingRow
from probe4d.scenes.tables import Scenes

EXAMPLE = Path(__file__).parents[1] / "examples" / "learn"


@pytest.fixture(autouse=True)
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))


def test_what_is_learnt_is_what_the_benchmark_says(scenes: Scenes, built: Benchmark) -> None:
    from questions import key_frames

    true_of = {(shown.scene, shown.frame): shown.sectors for shown in key_frames(scenes)}
    asked = [one for one in built.questions if one.format == "yes-no" and one.family in ("existence", "position")]
    assert {one.family for one in asked} == {"existence", "position"}
    for question in asked:
        sectors = true_of[question.scene, question.frames[0]]
        (label,) = question.entities
        holds = label in sectors if question.family == "existence" else sectors[label] == question.relation
        assert question.answer == ("Yes" if holds else "No")


def test_rows_have_the_words_of_the_benchmark(scenes: Scenes, built: Benchmark) -> None:
    from questions import all_prompts, key_frames, rows_of

    from probe4d.benchmarks.lidar_hallu.templates import default_prompt

    prompts = set(all_prompts(41))
    assert {
        default_prompt(one) for one in built.questions if one.format == "yes-no" and one.family != "motion"
    } <= prompts
    rows = rows_of(max(key_frames(scenes), key=lambda shown: len(shown.sectors)), np.random.default_rng(0))
    assert {row.prompt for row in rows} <= prompts
    answers = [row.answer for row in rows if "position" in row.prompt]
    assert answers.count("Yes") == answers.count("No") > 0


def test_a_prompt_has_three_tokens_and_any_text_comes_back() -> None:
    from questions import all_prompts
    from tokenizer import phrase_tokenizer

    tokenizer = phrase_tokenizer(all_prompts(2), ("Yes", "No"))
    for prompt in all_prompts(2):
        assert len(tokenizer(prompt)["input_ids"]) == 3
    for text in (*all_prompts(2), "A chat: is 12 < 001?\n", " Yes"):
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("is the nearest bus at the front-left position", "is the nearest bus at the front-right position"),
        ("is the nearest bus at the right position", "is the nearest bus at the left position"),
        ("is the nearest bus at the back position", "is the nearest bus at the back position"),
        ("Does bus exist in frame 003?", "Does bus exist in frame 003?"),
    ],
)
def test_in_a_mirror_left_is_right(prompt: str, expected: str) -> None:
    from end_to_end import mirrored

    row = TrainingRow(scene="scene", frames=(3,), prompt=prompt, answer="Yes")
    assert mirrored(row) == msgspec.structs.replace(row, prompt=expected)
    assert mirrored(mirrored(row)) == row


def test_two_steps_change_encoder_and_language_model_and_leave_a_checkpoint(scenes: Scenes, tmp_path: Path) -> None:
    import torch
    from end_to_end import Course, train
    from questions import all_prompts, key_frames
    from tiny_model import tiny_encoder, tiny_language_model
    from tokenizer import phrase_tokenizer

    from probe4d.models.lidar_lm.checkpoint import load_lidar_lm, save
    from probe4d.models.lidar_lm.loss_log import read_losses

    torch.manual_seed(0)
    encoder, model = tiny_encoder(), tiny_language_model(phrase_tokenizer(all_prompts(41), ("Yes", "No")))
    parts = {"encoder": encoder, "projector": model.projector, "language model": model.language_model}
    before = {
        (part, name): weight.detach().clone() for part in parts for name, weight in parts[part].named_parameters()
    }
    course = Course(steps=2, frames=2, encoder_rate=1e-3, language_rate=1e-3, seed=0)
    told = []
    train(model, encoder, key_frames(scenes), PointClouds(scenes), course, tmp_path, done=told.append)
    assert read_losses(tmp_path) == told
    assert [loss.step for loss in told] == [1, 2]
    for part, module in parts.items():
        changed = [name for name, weight in module.named_parameters() if not weight.equal(before[part, name])]
        assert len(changed) > 0.9 * len(list(module.parameters())), part
        assert not module.training
    save(model, tmp_path / "checkpoint")
    assert load_lidar_lm(tmp_path / "checkpoint").feature_width == 6 * encoder.options.out_channels
