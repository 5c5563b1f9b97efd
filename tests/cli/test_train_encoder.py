"""`probe4d train encoder` as people call it."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from feature_making import WIDTH, write_tiny_clip, write_tiny_encoder

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.real_data
def test_learns_from_a_real_camera_and_is_encoded_with(
    command: Command, real_data: Callable[[str], Path], tmp_path: Path
) -> None:
    kitti = real_data("kitti_0001_nuscenes_format")
    clip, start = write_tiny_clip(tmp_path / "clip"), write_tiny_encoder(tmp_path / "start")
    told = ("--clip", clip, "--from", start, "--epochs", 1, "--batch", 11, "--out", tmp_path / "encoder")
    done = command("train", "encoder", kitti, *told)
    assert done.returncode == 0, done.stderr
    assert done.stdout.endswith(f"rows of width {6 * WIDTH}\n")
    assert "Training, steps: 2 of 2" in done.stderr
    assert not [line for line in done.stderr.splitlines() if "%" in line]  # bars of other packages
    encoded = command("encode", kitti, "--encoder", tmp_path / "encoder", "--out", tmp_path / "features")
    assert encoded.returncode == 0, encoded.stderr


def test_a_dataset_without_cameras_is_told_in_one_line(command: Command, simulated: Path, tmp_path: Path) -> None:
    clip = write_tiny_clip(tmp_path / "clip")
    done = command("train", "encoder", simulated, "--clip", clip, "--out", tmp_path / "encoder", "--quiet")
    assert done.returncode == 2
    assert "no scene has images of CAM_FRONT_LEFT," in done.stderr
    assert len(done.stderr.splitlines()) == 1
