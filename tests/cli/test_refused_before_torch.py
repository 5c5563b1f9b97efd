"""What training and encoding refuse before they import torch, which takes seconds."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from probe4d.models.lidar_lm.features import FeatureRecord, start_features
from probe4d.models.lidar_lm.training.rows import ROWS_FILE, TrainingRow, write_training_rows

PROJECTOR = "train projector {rows} --base {base} --features {features}"
LORA = "train lora {rows} --from {checkpoint} --features {features}"
ENCODER = "train encoder {data} --clip {clip}"
ENCODE = "encode {data} --encoder {encoder}"
REFUSED = {
    f"{PROJECTOR} --config {{nowhere}}": "nowhere: cannot be read",
    f"{PROJECTOR} --epochs 0": "at `$.epochs`",
    PROJECTOR.replace("{rows}", "{nowhere}"): "there is no such file of training rows",
    PROJECTOR.replace("{base}", "{nowhere}"): "nowhere: is no folder of a language model",
    PROJECTOR.replace("{features}", "{nowhere}"): "nowhere: is no folder of features",
    f"{LORA} --rank 0": "at `$.rank`",
    LORA.replace("{rows}", "{nowhere}"): "there is no such file of training rows",
    LORA.replace("{checkpoint}", "{nowhere}"): "nowhere: is no checkpoint",
    LORA.replace("{features}", "{nowhere}"): "nowhere: is no folder of features",
    f"{LORA} --base {{nowhere}}": "nowhere: is no folder of a language model",
    f"{LORA} --ego-text question": "is measured in the dataset",
    f"{LORA} --ego-text question --data {{nowhere}}": "nowhere: does not exist",
    f"{LORA} --data {{data}}": "--data and --version are of --ego-text",
    f"{ENCODER} --epochs 0": "epochs of a training must be at least 1",
    f"{ENCODER} --learning-rate nan": "learning rate of a training must be positive",
    ENCODER.replace("{data}", "{nowhere}"): "nowhere: does not exist",
    ENCODER.replace("{clip}", "{nowhere}"): "nowhere: is no folder of a CLIP model",
    f"{ENCODER} --from {{nowhere}}": "nowhere: there is no encoder here",
    ENCODE.replace("{data}", "{nowhere}"): "nowhere: does not exist",
    ENCODE.replace("{encoder}", "{nowhere}"): "nowhere: there is no encoder here",
    f"{ENCODE} --scene nowhere": "has no scene 'nowhere'",
    "encode {data}": "point clouds need an encoder. Give one (--encoder CKPT)",
    "encode {data} --modality radar": "there is no modality 'radar'",
    "encode {data} --modality camera:CAM_FRONT": "images need a CLIP model. Give one (--clip DIR)",
    "encode {data} --modality camera:CAM_FRONT --clip {nowhere}": "nowhere: is no folder of a CLIP model",
    "encode {data} --modality camera:CAM_FRONT --clip {clip} --compat released": "are of point clouds",
    "encode {data} --modality camera:CAM_FRONT --clip {clip} --coverage one-wedge": "are of point clouds",
}

CALLING = """
import json, sys
from probe4d.cli import app
from probe4d.errors import InputError
for arguments in json.load(sys.stdin):
    try:
        app(arguments, standalone_mode=False)
    except InputError as error:
        print(json.dumps([str(error), "torch" in sys.modules]))
    else:
        print(json.dumps(["not refused", True]))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory, simulated: Path) -> dict[str, tuple[str, bool]]:
    """What each command is refused with, and whether torch was there by then; one process runs all in turn."""
    folder = tmp_path_factory.mktemp("before-torch")
    places = {name: folder / name for name in ("base", "checkpoint", "clip", "encoder", "features", "rows")}
    start_features(places["features"], FeatureRecord(encoder="e" * 16, width=8))
    row = TrainingRow(scene="sim-0001", prompt="Is there a car?", answer="Yes.")
    write_training_rows([row], places["rows"] / ROWS_FILE)
    for name, file in {"base": "config", "checkpoint": "lidar_lm", "clip": "config", "encoder": "encoder"}.items():
        places[name].mkdir()
        (places[name] / f"{file}.json").write_text("{}")
    told = [
        [*command.format(**places, data=simulated, nowhere=folder / "nowhere").split(), "--out", str(folder / "out")]
        for command in REFUSED
    ]
    done = subprocess.run(
        [sys.executable, "-c", CALLING], input=json.dumps(told), capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stderr
    assert not (folder / "out").exists()
    return dict(zip(REFUSED, map(json.loads, done.stdout.splitlines()), strict=True))


@pytest.mark.parametrize("command", REFUSED)
def test_is_refused_before_torch_is_imported(said: dict[str, tuple[str, bool]], command: str) -> None:
    words, has_torch = said[command]
    assert REFUSED[command] in words
    assert not has_torch
