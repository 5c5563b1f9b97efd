"""Trainings that are killed, and trainings that several devices share (see training_lives.py)."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
import torch
from safetensors.torch import load_file

from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm
from probe4d.models.lidar_lm.training.loss_log import Loss, read_losses

SCRIPT = Path(__file__).with_name("training_lives.py")
PLACES = (
    "before-any-checkpoint",
    "after-a-checkpoint",
    "writing-the-state",
    "writing-the-checkpoint",
    "finishing",
)
ADAPTER = Path("adapter", "adapter_model.safetensors")


@pytest.fixture(scope="module")
def lives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """The folder of the trainings, and how each life of the killed one ended."""
    folder = tmp_path_factory.mktemp("lives")
    done = subprocess.run([sys.executable, SCRIPT, folder], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return folder, done.stdout.splitlines()


def timeless(losses: list[Loss]) -> list[Loss]:
    return [msgspec.structs.replace(loss, seconds=0.0) for loss in losses]


def test_a_training_killed_wherever_ends_like_one_never_killed(lives: tuple[Path, list[str]]) -> None:
    folder, ends = lives
    kill = int(signal.SIGKILL)
    *killings, last = ends
    assert killings == [f"{place} {kill}" for place in PLACES]
    assert last == "whole 0"
    killed, whole = folder / "killed", folder / "never-killed"
    assert timeless(read_losses(killed)) == timeless(read_losses(whole))
    assert [loss.step for loss in read_losses(killed)] == list(range(1, 9))
    for file in (ADAPTER, "projector.safetensors", "lidar_lm.json", "training.json"):
        assert (killed / file).read_bytes() == (whole / file).read_bytes(), file
    assert {path.name for path in killed.iterdir()} == {path.name for path in whole.iterdir()}
    assert load_lidar_lm(killed).lora is not None


def test_several_devices_learn_what_one_does(lives: tuple[Path, list[str]]) -> None:
    """17 rows by eight: the last step of each epoch leaves one device without a row."""
    one, two = (lives[0] / f"{number}-{noun}" for number, noun in (("one", "device"), ("two", "devices")))
    for of_one, of_two in zip(read_losses(one), read_losses(two), strict=True):
        assert (of_two.rows, of_two.tokens, of_two.epoch) == (of_one.rows, of_one.tokens, of_one.epoch)
        assert of_two.loss == pytest.approx(of_one.loss, rel=1e-4)
        assert of_two.gradient_norm == pytest.approx(of_one.gradient_norm, rel=1e-3)
    weights = load_file(two / ADAPTER)
    for name, weight in load_file(one / ADAPTER).items():
        torch.testing.assert_close(weights[name], weight, rtol=1e-2, atol=1e-4)
