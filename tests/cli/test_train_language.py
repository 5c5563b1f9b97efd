"""`probe4d train projector` and `probe4d train lora` as people call them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "models" / "lidar_lm"))
from in_process import called
from lidar_making import smollm_like_tokenizer, write_tiny_base

from probe4d.errors import InputError
from probe4d.models.lidar_lm.features import FeatureRecord, start_features, write_rows
from probe4d.models.lidar_lm.training.rows import read_training_rows
from probe4d.scenes.tables import Scenes

WIDTH = 8
SMALL = ("--precision", "fp32", "--no-recompute", "--accumulation", 1, "--batch", 20, "--epochs", 1)


@pytest.fixture(scope="module")
def ground(tmp_path_factory: pytest.TempPathFactory, bench: Path, scenes: Scenes) -> Path:
    """A folder with a tiny language model, features of the simulated scenes, and rows about them."""
    folder = tmp_path_factory.mktemp("train-language")
    write_tiny_base(folder / "base", smollm_like_tokenizer())
    start_features(folder / "features", FeatureRecord(encoder="e" * 16, width=WIDTH))
    draw = np.random.default_rng(0)
    for scene, keyframes in scenes.scenes.select("scene", "keyframes").iter_rows():
        write_rows(folder / "features", scene, draw.normal(size=(keyframes, WIDTH)).astype(np.float32))
    called("export", bench, "--to", "training", "--out", folder / "rows")
    return folder


def test_both_stages_from_a_benchmark_to_a_checkpoint(
    ground: Path, simulated: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = (ground / "rows", "--features", ground / "features", *SMALL)
    called("train", "projector", *given, "--base", ground / "base", "--out", tmp_path / "projector")
    printed = capsys.readouterr()
    assert printed.out.startswith(f"{tmp_path / 'projector'}: projector of 5 steps, loss ")
    assert "Training, steps: 5 of 5" in printed.err
    assert "rows a second" in printed.err

    config = tmp_path / "mine.toml"
    config.write_text("[common]\nseed = 7\n[lora]\nrank = 4\nalpha = 16\n")
    told = ("--from", tmp_path / "projector", "--config", config, "--alpha", 8)
    told += ("--ego-text", "question", "--data", simulated, "--layout", "paper")
    called("train", "lora", *given, *told, "--out", tmp_path / "lora")
    trained = capsys.readouterr().out
    assert "checkpoint of 5 steps" in trained
    checkpoint = json.loads((tmp_path / "lora" / "lidar_lm.json").read_text())
    assert (checkpoint["layout"], checkpoint["ego_text"]) == ("paper", "question")
    adapter = json.loads((tmp_path / "lora" / "adapter" / "adapter_config.json").read_text())
    assert (adapter["r"], adapter["lora_alpha"]) == (4, 8)
    assert json.loads((tmp_path / "lora" / "training.json").read_text())["options"]["seed"] == 7

    called("train", "lora", *given, *told, "--out", tmp_path / "lora")
    printed = capsys.readouterr()
    assert printed.out == trained
    assert "nothing was left to do" in printed.err

    (tmp_path / "lora" / "losses.jsonl").unlink()
    called("train", "lora", *given, *told, "--out", tmp_path / "lora")
    gone = "checkpoint, trained before; nothing was left to do, and losses.jsonl is gone."
    assert capsys.readouterr().out == f"{tmp_path / 'lora'}: {gone}\n"


def test_the_rows_of_an_export_say_which_ego_text_they_have(ground: Path, bench: Path, tmp_path: Path) -> None:
    called("export", bench, "--to", "training", "--ego-text", "question", "--out", tmp_path / "ego")
    assert {row.ego_text_kind for row in read_training_rows(tmp_path / "ego")} == {"question"}
    assert {row.ego_text_kind for row in read_training_rows(ground / "rows")} == {"none"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ("train lora {rows} --from {base} --features {features}", "is no checkpoint of a LiDAR language model"),
        ("export {bench} --to jsonl --ego-text paper", "an option of --to training"),
        ("export {bench} --to training --evidence birds-eye --data {nowhere}", "does not exist"),
        ("export {bench} --to training --evidence shuffled", "not the evidence shuffled:lidar"),
    ],
)
def test_bad_input_is_told_and_nothing_is_written(
    ground: Path, bench: Path, tmp_path: Path, given: str, words: str
) -> None:
    places = {name: ground / name for name in ("rows", "base", "features")}
    arguments = given.format(**places, bench=bench, nowhere=tmp_path / "nowhere").split()
    with pytest.raises(InputError, match=words):
        called(*arguments, "--out", tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_features_of_a_scene_that_are_missing_are_named_before_anything_is_trained(
    ground: Path, tmp_path: Path
) -> None:
    features = tmp_path / "features"
    start_features(features, FeatureRecord(encoder="e" * 16, width=WIDTH))
    arguments = ("train", "projector", ground / "rows", "--base", ground / "base")
    with pytest.raises(InputError, match=r"there is no file .*\.safetensors\. Encode the scene with `probe4d encode`"):
        called(*arguments, "--features", features, "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
