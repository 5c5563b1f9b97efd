"""The example that trains a tiny LiDAR language model: its parts, and two steps of its training."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from torch import Tensor, nn

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.training.loss_log import Loss
from probe4d.scenes.tables import Scenes

EXAMPLE = Path(__file__).parents[1] / "examples" / "learn"


@pytest.fixture(autouse=True)
def example(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(EXAMPLE))


def test_what_is_learnt_is_what_the_benchmark_says(scenes: Scenes, built: Benchmark) -> None:
    from questions import QUESTIONS, key_frames

    frames = key_frames(scenes)
    answers = dict(zip(frames.places, frames.answers, strict=True))
    asked = [one for one in built.questions if one.format == "yes-no" and one.family in ("existence", "position")]
    assert {one.family for one in asked} == {"existence", "position"}
    for question in asked:
        (label,) = question.entities
        sector = None if question.family == "existence" else question.relation
        answer = answers[question.scene, question.frames[0]][QUESTIONS.index((label, sector))]
        assert question.answer == {1.0: "Yes", 0.0: "No"}[answer]


def test_questions_have_the_words_of_the_benchmark(scenes: Scenes, built: Benchmark) -> None:
    from questions import QUESTIONS, key_frames, training_rows

    from probe4d.benchmarks.lidar_hallu.templates import default_prompt

    frames = key_frames(scenes)
    prompts = {question.prompt(frame) for question in QUESTIONS for _, frame in frames.places}
    asked = {default_prompt(one) for one in built.questions if one.format == "yes-no" and one.family != "motion"}
    assert asked
    assert asked <= prompts
    assert {row.prompt for row in training_rows(frames, seed=0)} <= prompts


def test_every_question_has_as_many_yes_as_no() -> None:
    from questions import QUESTIONS, KeyFrames, training_rows

    generator = np.random.default_rng(0)
    answers = (generator.random((4000, len(QUESTIONS))) < generator.uniform(0.05, 0.95, len(QUESTIONS))).astype(
        np.float32
    )
    answers[generator.random(answers.shape) < 0.3] = np.nan
    answers[:, 3] = 1
    frames = KeyFrames([("scene", number) for number in range(len(answers))], answers)
    yes, no = ((frames.balance * (answers == answer)).sum(axis=0) for answer in (1, 0))
    there = np.arange(len(QUESTIONS)) != 3
    np.testing.assert_allclose(yes[there], no[there], rtol=1e-4)
    assert not frames.balance[np.isnan(answers)].any()
    rows = training_rows(frames, seed=1)
    of_a_question = [
        [row.answer for row in rows if row.prompt == question.prompt(row.frames[0])] for question in QUESTIONS[:3]
    ]
    for given in of_a_question:
        assert abs(given.count("Yes") / len(given) - 0.5) < 0.1


def test_a_prompt_has_three_tokens_and_any_text_comes_back() -> None:
    from questions import QUESTIONS
    from tokenizer import phrase_tokenizer

    prompts = [question.prompt(frame) for question in QUESTIONS for frame in range(2)]
    tokenizer = phrase_tokenizer(prompts, ("Yes", "No"))
    for prompt in prompts:
        assert len(tokenizer(prompt)["input_ids"]) == 3
    for text in (*prompts, "A chat: is 12 < 001?\n", " Yes"):
        assert tokenizer.decode(tokenizer(text)["input_ids"]) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("front-left", "front-right"),
        ("right", "left"),
        ("back", "back"),
        ("CAM_BACK_LEFT", "CAM_BACK_RIGHT"),
    ],
)
def test_in_a_mirror_left_is_right(text: str, expected: str) -> None:
    from questions import swapped_sides

    assert swapped_sides(text) == expected
    assert swapped_sides(expected) == text


def test_answers_in_a_mirror_are_those_of_the_other_side() -> None:
    from encoder_course import mirrored_answers
    from questions import QUESTIONS

    answers = np.arange(len(QUESTIONS), dtype=np.float32)[None]
    (mirrored,) = mirrored_answers(answers)
    assert mirrored[QUESTIONS.index(("car", "left"))] == QUESTIONS.index(("car", "right"))
    assert mirrored[QUESTIONS.index(("bus", None))] == QUESTIONS.index(("bus", None))
    np.testing.assert_array_equal(mirrored_answers(mirrored_answers(answers)), answers)


def weights_of(module: nn.Module) -> dict[str, Tensor]:
    return {name: weight.detach().clone() for name, weight in module.named_parameters()}


def changed_share(before: dict[str, Tensor], module: nn.Module) -> float:
    """Share of a module's weights that are no longer what they were."""
    after = dict(module.named_parameters())
    assert after.keys() == before.keys()
    return sum(not after[name].equal(weight) for name, weight in before.items()) / len(before)


def test_a_few_steps_change_every_part_and_leave_a_checkpoint(scenes: Scenes, tmp_path: Path) -> None:
    import torch
    from encoder_course import Course, train_encoder
    from learn import learn_language
    from questions import key_frames
    from tiny_model import tiny_encoder, tiny_language_model

    from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm
    from probe4d.models.lidar_lm.encoding import encode
    from probe4d.models.lidar_lm.training.loss_log import read_losses

    torch.manual_seed(0)
    street = scenes.select(scenes.names[:2])
    frames, clouds, encoder = key_frames(street), PointClouds(street), tiny_encoder()
    before = weights_of(encoder)
    told: list[Loss] = []
    train_encoder(encoder, frames, clouds, Course(2, frames=2, rate=1e-3, seed=0), tmp_path / "encoder", told.append)
    assert read_losses(tmp_path / "encoder") == told
    assert [loss.step for loss in told] == [1, 2]
    assert not encoder.training
    assert changed_share(before, encoder) > 0.9
    encode(clouds, encoder, tmp_path / "features")
    learn_language(tmp_path / "checkpoint", tmp_path / "features", frames, seed=0)
    model = load_lidar_lm(tmp_path / "checkpoint")
    assert model.feature_width == 6 * encoder.options.out_channels
    assert model.encoder == encoder.fingerprint
    torch.manual_seed(0)
    untrained = weights_of(tiny_language_model(model.tokenizer))
    assert changed_share(untrained, model) > 0.9
