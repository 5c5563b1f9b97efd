"""Options, order, learning rate and log of a training."""

from __future__ import annotations

import math
import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from transformers import get_cosine_schedule_with_warmup

from probe4d.errors import InputError
from probe4d.models.lidar_lm.training.loss_log import Loss, append_loss, draw_losses, losses_up_to, read_losses
from probe4d.models.lidar_lm.training.options import TrainingOptions, training_options
from probe4d.models.lidar_lm.training.order import EpochOrder, seed_of, warmed_up


def test_the_defaults_are_those_of_the_release() -> None:
    """Facts of the released training, so that nobody changes one by the way."""
    projector, lora = training_options("projector"), training_options("lora")
    assert (projector.template, lora.template) == ("plain", "v1")
    assert (projector.epochs, projector.batch, projector.accumulation, projector.learning_rate) == (1, 16, 8, 1e-3)
    assert (lora.epochs, lora.batch, lora.accumulation, lora.learning_rate) == (2, 8, 16, 1e-4)
    assert (lora.rank, lora.alpha, lora.dropout) == (64, 128, 0.05)
    for options in (projector, lora):
        assert (options.schedule, options.warmup_ratio, options.weight_decay) == ("cosine", 0.03, 0.0)
        assert (options.adam_beta1, options.adam_beta2, options.adam_epsilon) == (0.9, 0.999, 1e-8)
        assert (options.max_length, options.gradient_checkpointing, options.precision) == (2048, True, "bf16")


def test_the_file_explains_every_option() -> None:
    text = files("probe4d.models.lidar_lm.training").joinpath("training.toml").read_text()
    tables = tomllib.loads(text)
    assert set(tables["common"]) | set(tables["lora"]) == set(TrainingOptions.__struct_fields__)
    of_options = [line for line in text.splitlines() if line.partition(" = ")[1] and not line.startswith("#")]
    assert len(of_options) == sum(len(table) for table in tables.values())
    assert [line for line in of_options if len(line.partition(" # ")[2]) < 8] == []


def test_a_file_stands_over_the_defaults_and_options_over_both(tmp_path: Path) -> None:
    config = tmp_path / "mine.toml"
    config.write_text("[common]\nseed = 7\nprecision = 'fp32'\n[lora]\nrank = 8\nseed = 9\n[projector]\nepochs = 3\n")
    lora = training_options("lora", config, rank=16, epochs=None)
    assert (lora.seed, lora.precision, lora.rank, lora.epochs, lora.alpha) == (9, "fp32", 16, 2, 128)
    assert (training_options("projector", config).seed, training_options("projector", config).epochs) == (7, 3)


@pytest.mark.parametrize(
    ("content", "given", "words"),
    [
        ("[common]\nlearning = 1\n", {}, "unknown field `learning`"),
        ("[lora]\nepochs = 'two'\n", {}, "epochs"),
        ("epochs = 2\n", {}, "has 'epochs' where only the tables"),
        ("[stage3]\nepochs = 2\n", {}, "has 'stage3' where only the tables"),
        ("[lora\n", {}, "is no TOML"),
        ("", {"learning_rate": 0.0}, r"learning_rate"),
        ("", {"learning_rate": math.nan}, r"learning_rate"),
        ("", {"learning_rate": math.inf}, r"learning_rate"),
        ("", {"dropout": 1.0}, r"dropout"),
        ("", {"precision": "fp8"}, r"fp8"),
        ("", {"batch": 0}, r"batch"),
    ],
)
def test_what_no_training_can_have_is_refused(tmp_path: Path, content: str, given: dict[str, Any], words: str) -> None:
    (tmp_path / "mine.toml").write_text(content)
    with pytest.raises(InputError, match=words):
        training_options("lora", tmp_path / "mine.toml", **given)


@pytest.mark.parametrize("content", ["[projector]\nrank = 4\n", "[common]\nrank = 4\n"])
def test_the_projector_has_no_options_of_lora(tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.toml").write_text(content)
    with pytest.raises(InputError, match="trained without rank, of LoRA"):
        training_options("projector", tmp_path / "mine.toml")
    with pytest.raises(InputError, match="trained without alpha and dropout, of LoRA"):
        training_options("projector", alpha=8, dropout=0.0)


def order_of(items: int, a_step: int, *, epochs: int = 1, seed: int = 42, purpose: str = "rows") -> EpochOrder:
    return EpochOrder(items, a_step, epochs=epochs, seed=seed, purpose=purpose)


@given(st.integers(1, 60), st.integers(1, 20), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_each_epoch_takes_every_row_once(items: int, a_step: int, epochs: int, seed: int) -> None:
    order = order_of(items, a_step, epochs=epochs, seed=seed)
    steps = [order.items_of(step) for step in range(1, order.steps + 1)]
    assert len(steps) == epochs * math.ceil(items / a_step)
    taken = [index for step in steps for index in step]
    for epoch in range(epochs):
        assert sorted(taken[epoch * items : (epoch + 1) * items]) == list(range(items))
    assert all(0 < len(step) <= a_step for step in steps)
    ends = [order.epoch_after(step) for step in range(1, order.steps + 1)]
    assert ends == pytest.approx([sum(map(len, steps[:step])) / items for step in range(1, order.steps + 1)])


def test_the_order_follows_from_the_seed_and_changes_with_epoch_seed_and_purpose() -> None:
    keys = [(1, "rows"), (1, "rows"), (2, "rows"), (1, "encoder")]
    orders = [order_of(50, 50, epochs=2, seed=seed, purpose=purpose) for seed, purpose in keys]
    first, again, *others = ([tuple(order.items_of(step)) for step in (1, 2)] for order in orders)
    assert first == again
    assert len({*first, *others[0], *others[1]}) == 6


def test_the_rate_falls_as_the_schedule_of_transformers_has_it() -> None:
    options, steps = training_options("lora", learning_rate=0.5), 250
    optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=0.5)
    expected = get_cosine_schedule_with_warmup(optimizer, math.ceil(0.03 * steps), steps)
    for step in range(1, steps + 1):
        if step > 8:
            assert warmed_up(step, steps, options) == pytest.approx(expected.get_last_lr()[0])
        optimizer.step()
        expected.step()


@given(st.integers(1, 400), st.floats(0, 0.9), st.sampled_from(["cosine", "constant"]))
def test_every_step_learns_and_none_faster_than_asked(steps: int, warmup_ratio: float, schedule: str) -> None:
    options = training_options("lora", warmup_ratio=warmup_ratio, schedule=schedule)
    rates = [warmed_up(step, steps, options) for step in range(1, steps + 1)]
    assert all(0 < rate <= 1e-4 for rate in rates)
    top = rates.index(max(rates))
    assert rates[: top + 1] == sorted(rates[: top + 1])
    assert rates[top:] == sorted(rates[top:], reverse=True)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["order", "step"]), st.integers(0, 99)), unique=True))
def test_no_two_purposes_share_a_seed(keys: list[tuple[int, str, int]]) -> None:
    seeds = [seed_of(*key) for key in keys]
    assert len(set(seeds)) == len(keys)
    assert all(0 <= seed < 2**63 for seed in seeds)


def loss_of(step: int) -> Loss:
    return Loss(
        step=step,
        epoch=step / 10,
        loss=3 / step,
        gradient_norm=None,
        learning_rate=1e-3,
        rows=8,
        tokens=24,
        seconds=0.1,
    )


def test_a_log_is_cut_at_the_step_from_which_a_training_goes_on(tmp_path: Path) -> None:
    for step in range(1, 8):
        append_loss(tmp_path, loss_of(step))
    with open(tmp_path / "losses.jsonl", "ab") as log:
        log.write(msgspec.json.encode(loss_of(8))[:20])
    assert [loss.step for loss in read_losses(tmp_path)] == list(range(1, 8))
    assert losses_up_to(tmp_path, 4) == [loss_of(step) for step in range(1, 5)] == read_losses(tmp_path)
    append_loss(tmp_path, loss_of(5))
    assert [loss.step for loss in read_losses(tmp_path)] == [1, 2, 3, 4, 5]


def test_a_new_training_has_an_empty_log(tmp_path: Path) -> None:
    assert read_losses(tmp_path) == losses_up_to(tmp_path, 0) == []


@pytest.mark.parametrize("steps", [1, 2, 5000])
def test_the_picture_of_losses_is_large_enough_to_look_at(tmp_path: Path, steps: int) -> None:
    draw_losses(
        [loss_of(step) for step in range(1, steps + 1)], tmp_path / "losses.png", title="lora on <b>32</b> rows"
    )
    with Image.open(tmp_path / "losses.png") as picture:
        assert picture.width > 1200
        assert picture.height > 700
        colours = picture.convert("RGB").getcolors(1 << 24)
    assert colours is not None
    blue = sum(count for count, (red, _, of_blue) in colours if of_blue > red + 60)  # type: ignore[misc]
    assert blue > 10
