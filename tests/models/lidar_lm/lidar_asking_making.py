"""Tiny checkpoints and features that a benchmark is asked of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from probe4d.models.generation import Generation
from probe4d.models.lidar_lm.checkpoints.checkpoint import save
from probe4d.models.lidar_lm.features import FeatureRecord, start_features, write_rows
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes

ENCODER, WIDTH = "e" * 16, 6
GREEDY = Generation(temperature=0, max_tokens=3)


def checkpoint_of(base: Path, folder: Path, **asked: Any) -> Path:
    save(LidarLanguageModel.from_base(base, WIDTH, encoder=ENCODER, **asked), folder)
    return folder


def features_of(
    scenes: Scenes,
    folder: Path,
    *,
    width: int = WIDTH,
    encoder: str = ENCODER,
    left_out: int = 0,
    dataset: str | None = None,
) -> Path:
    """Features drawn at random, of all scenes but the last ones, strong enough to change what is said."""
    start_features(folder, FeatureRecord(encoder=encoder, width=width, dataset=dataset))
    rng = np.random.default_rng(0)
    lengths = list(scenes.scenes.select("scene", "keyframes").iter_rows())
    for scene, keyframes in lengths[: len(lengths) - left_out]:
        write_rows(folder, scene, rng.normal(scale=20, size=(keyframes, width)).astype(np.float32))
    return folder


def texts(run: Run) -> dict[str, str]:
    return dict(run.answers.select("question", "text").iter_rows())
