"""A LiDAR language model learns from rows of B4DL: a step of training on what was imported and on what was built."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
import torch
from b4dl_making import flat, pairs_about, written

from probe4d.exchange.b4dl_release.importing import import_b4dl
from probe4d.exchange.b4dl_release.writing import export_b4dl
from probe4d.exchange.exports.training import export_training
from probe4d.exchange.released_training import import_training
from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.lidar_lm.training.options import training_options
from probe4d.models.lidar_lm.training.rows import TrainingRow, read_training_rows
from probe4d.models.lidar_lm.training.stages import train_projector
from probe4d.runs.evidence_plan import evidence_named
from probe4d.runs.plan import RunPlan
from probe4d.scenes.tables import Scenes

sys.path.insert(0, str(Path(__file__).parents[2] / "models" / "lidar_lm"))

from lidar_asking_making import WIDTH, features_of
from lidar_making import smollm_like_tokenizer, tiny_llama

from probe4d.models.lidar_lm.base_model import write_base

SPANS = ("scene", "question")


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("b4dl-base") / "llama"
    write_base(tiny_llama(smollm_like_tokenizer()), smollm_like_tokenizer(), folder)
    return folder


@pytest.fixture(scope="module")
def features(scenes: Scenes, tmp_path_factory: pytest.TempPathFactory) -> FeatureFolder:
    folder = tmp_path_factory.mktemp("b4dl-features") / "drawn"
    return FeatureFolder(features_of(scenes, folder, dataset=scenes.fingerprint))


def one_step(rows: list[TrainingRow], features: FeatureFolder, base: Path, out: Path) -> float:
    """Train the projector with all rows in one batch, see that it moved, and give the loss."""
    options = training_options(
        "projector", precision="fp32", gradient_checkpointing=False, accumulation=1, epochs=1, batch=len(rows)
    )
    trained = train_projector(rows, features, out, base=base, options=options)
    (loss,) = trained.losses
    untrained = LidarLanguageModel.from_base(base, WIDTH, torch.float32, seed=options.seed)
    assert not torch.equal(load_lidar_lm(out).projector.weight, untrained.projector.weight)
    return loss.loss


@pytest.mark.parametrize("span", SPANS)
def test_a_training_set_that_was_written_and_read_back_trains_a_step(
    scenes: Scenes, features: FeatureFolder, base: Path, tmp_path: Path, span: str
) -> None:
    export_b4dl(pairs_about(scenes, sequences=2), tmp_path / "release", scenes=scenes)
    read = import_b4dl(tmp_path / "release", tmp_path / "bench", scenes=scenes).benchmark
    plan = RunPlan(setting="released", evidence=evidence_named("lidar", span=span))
    # Simulated scenes are of no official split and count as test in what is written.
    export_training(read, tmp_path / "rows", plan=plan, with_held_out=True)
    rows = read_training_rows(tmp_path / "rows")
    assert {row.frames is None for row in rows} == {span == "scene"}
    assert math.isfinite(one_step(rows, features, base, tmp_path / "projector"))


def test_released_rows_and_captions_train_a_step(
    scenes: Scenes, features: FeatureFolder, base: Path, tmp_path: Path
) -> None:
    token = scenes.scenes["token"][0]
    sample = scenes.keyframes.filter(scene=scenes.names[0], frame=3)["token"][0]
    stage2 = [
        flat("When does it stop?", "from frame 003 to frame 009.", scene_token=token),
        flat("Which one is it?", "TRUCK.", scene_token=token),
    ]
    caption = {"sample_token": sample, "question": "What is ahead?", "answer_lidar": "Two cars."}
    rows = []
    for name, released in (("stage2.json", stage2), ("captions.json", [caption])):
        import_training(written(tmp_path, {name: released}) / name, tmp_path / "rows.jsonl", scenes=scenes)
        rows += read_training_rows(tmp_path / "rows.jsonl")
    assert [row.frames for row in rows] == [None, None, (3,)]
    assert math.isfinite(one_step(rows, features, base, tmp_path / "projector"))
