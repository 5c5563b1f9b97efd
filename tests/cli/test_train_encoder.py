"""`probe4d train encoder` as people call it."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from feature_making import WIDTH, write_tiny_clip, write_tiny_encoder

Command = Callable[..., subprocess.CompletedProcess[str]]


@dataclass(frozen=True)
class Trainings:
    """A command that trains an encoder on a real camera, in 11 steps with a checkpoint at every other."""

    dataroot: Path
    folder: Path

    def arguments(self, out: str) -> list[str]:
        told = ["train", "encoder", self.dataroot, "--clip", self.folder / "clip", "--from", self.folder / "start"]
        told += ["--epochs", 1, "--batch", 2, "--checkpoint-every", 2, "--device", "cpu", "--out", self.folder / out]
        return [str(argument) for argument in told]


Made = tuple[Trainings, subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def trainings(command: Command, real_data: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Trainings, and how the one in the folder `whole` ended, which nobody killed."""
    made = Trainings(real_data("kitti_0001_nuscenes_format"), tmp_path_factory.mktemp("trainings"))
    write_tiny_clip(made.folder / "clip")
    write_tiny_encoder(made.folder / "start")
    return made, command(*made.arguments("whole"))


@pytest.mark.real_data
def test_learns_from_a_real_camera_and_is_encoded_with(here: Command, trainings: Made, tmp_path: Path) -> None:
    made, done = trainings
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"rows of width {6 * WIDTH}\n")
    assert "Training, steps: 11 of 11" in done.stderr
    assert not [line for line in done.stderr.splitlines() if "%" in line]  # bars of other packages
    encoded = here("encode", made.dataroot, "--encoder", made.folder / "whole", "--out", tmp_path / "features")
    assert encoded.returncode == 0, encoded.stderr


@pytest.mark.real_data
def test_one_that_is_killed_ends_like_one_never_killed(command: Command, trainings: Made) -> None:
    made, _ = trainings
    killed, whole = made.folder / "killed", made.folder / "whole"
    state = killed / "training_state.safetensors"
    line = [sys.executable, "-m", "probe4d", *made.arguments("killed")]
    with subprocess.Popen(line, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        while not state.exists() and process.poll() is None:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    assert not (killed / "encoder.json").exists()
    (killed / ".training_state.safetensors.left.part").write_bytes(b"half of it")
    done = command(*made.arguments("killed"))
    assert done.returncode == 0, done.stderr
    assert re.search(r"\b[2468] of 11 steps were done before\.", done.stderr)
    for name in ("encoder.safetensors", "encoder.json", "encoder_training.json"):
        assert (killed / name).read_bytes() == (whole / name).read_bytes(), name
    assert {path.name for path in killed.iterdir()} == {path.name for path in whole.iterdir()}
    assert not state.exists()


def test_a_dataset_without_cameras_is_told_in_one_line(here: Command, simulated: Path, tmp_path: Path) -> None:
    clip = write_tiny_clip(tmp_path / "clip")
    done = here("train", "encoder", simulated, "--clip", clip, "--out", tmp_path / "encoder", "--quiet")
    assert done.returncode == 2
    assert "no scene has images of CAM_FRONT_LEFT," in done.stderr
    assert len(done.stderr.splitlines()) == 1
