"""`probe4d encode` as people call it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from in_process import called

from feature_making import WIDTH, write_tiny_clip, write_tiny_encoder
from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.encoder import load_encoder
from probe4d.models.lidar_lm.encoding import encode
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.scenes.tables import Scenes

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def encoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_tiny_encoder(tmp_path_factory.mktemp("encoder") / "encoder")


def test_goes_on_after_a_kill_and_makes_the_same(
    simulated: Path, scenes: Scenes, encoder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    names = scenes.names[:3]
    told = ("encode", simulated, "--encoder", encoder, "--batch", 4, "--device", "cpu")
    told += tuple(word for name in names for word in ("--scene", name))
    killed = [sys.executable, "-m", "probe4d", *map(str, told), "--out", str(tmp_path / "killed")]
    with subprocess.Popen(killed, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as process:
        first = tmp_path / "killed" / f"{names[0]}.safetensors"
        while not first.exists() and process.poll() is None:
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    there = FeatureFolder(tmp_path / "killed").scenes
    assert 0 < len(there) < len(names)
    called(*told, "--out", tmp_path / "killed")
    printed = capsys.readouterr()
    assert printed.out == f"{tmp_path / 'killed'}: 3 scenes, rows of width {6 * WIDTH}\n"
    gone_on = FeatureFolder(tmp_path / "killed")
    assert f"{sum(gone_on.frames(name) for name in names if name not in there)} key frames encoded" in printed.err
    whole = encode(PointClouds(scenes), load_encoder(encoder), tmp_path / "whole", scenes=names, batch=16)
    assert gone_on.fingerprint == whole.fingerprint
    for name in names:
        assert np.allclose(gone_on.rows(name), whole.rows(name), atol=1e-5)


@pytest.mark.real_data
def test_real_cameras(here: Command, real_data: Callable[[str], Path], tmp_path: Path) -> None:
    clip = write_tiny_clip(tmp_path / "clip")
    kitti = real_data("kitti_0001_nuscenes_format")
    told = ("--modality", "camera:CAM_FRONT", "--clip", clip, "--out", tmp_path / "features")
    done = here("encode", kitti, *told)
    assert (done.returncode, "22 key frames encoded" in done.stderr) == (0, True)
    assert json.loads((tmp_path / "features/features.json").read_text())["modality"] == "camera:CAM_FRONT"


def test_a_bad_argument_is_told_in_one_line(here: Command, simulated: Path, tmp_path: Path) -> None:
    done = here("encode", simulated, "--modality", "radar", "--out", tmp_path / "features")
    assert done.returncode == 2
    assert done.stderr == "probe4d: there is no modality 'radar'. Take lidar, or camera:CHANNEL.\n"
