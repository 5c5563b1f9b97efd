"""What trainings of tests need: a tiny language model on disk, features of a few scenes, rows about them."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from lidar_making import smollm_like_tokenizer, tiny_llama

from probe4d.models.lidar_lm.base_model import write_base
from probe4d.models.lidar_lm.features import FeatureFolder, FeatureRecord, start_features, write_rows
from probe4d.models.lidar_lm.training.options import Stage, TrainingOptions, training_options
from probe4d.models.lidar_lm.training.rows import TrainingRow
from probe4d.models.lidar_lm.training.stages import Trained, train_lora, train_projector

ENCODER = "e" * 16
WIDTH, FRAMES, SCENES = 12, 6, 8
CLASSES = ("car", "truck", "bus", "bicycle")
SMALL: dict[str, Any] = {"precision": "fp32", "gradient_checkpointing": False, "accumulation": 1}


@dataclass(frozen=True)
class Ground:
    """Where trainings happen.

    Attributes:
        base: Folder of the language model; its head is made large, so that LoRA beside a frozen one can be sure.
        path: Folder of the features.
        rows: 32 rows, four a scene, with answers that only the features tell.
    """

    base: Path
    path: Path
    rows: list[TrainingRow]

    @property
    def features(self) -> FeatureFolder:
        return FeatureFolder(self.path)

    def projector(self, out: Path, rows: list[TrainingRow] | None = None, **options: Any) -> Trained:
        """A new projector, trained for a moment."""
        how = small("projector", **{"epochs": 1, "batch": 16, "learning_rate": 0.01} | options)
        return train_projector(rows or self.rows, self.features, out, base=self.base, options=how)

    def lora(self, out: Path, start: Path, rows: list[TrainingRow] | None = None, **options: Any) -> Trained:
        """LoRA on a projector, trained for a moment."""
        how = small("lora", **{"epochs": 1, "batch": 16, "learning_rate": 0.01, "rank": 4, "alpha": 8} | options)
        return train_lora(rows or self.rows, self.features, out, start=start, options=how)


def small(stage: Stage, **options: Any) -> TrainingOptions:
    """Options for a processor and a moment."""
    return training_options(stage, **SMALL | options)


def make_ground(folder: Path) -> Ground:
    """Make what trainings need in a folder, or find it there."""
    base, path = folder / "base", folder / "features"
    draw = np.random.default_rng(0)
    rows = []
    if not base.exists():
        language_model = tiny_llama(smollm_like_tokenizer())
        with torch.no_grad():
            language_model.lm_head.weight.mul_(50)
        write_base(language_model, smollm_like_tokenizer(), base)
    start_features(path, FeatureRecord(encoder=ENCODER, width=WIDTH))
    for scene in (f"scene-{number}" for number in range(SCENES)):
        write_rows(path, scene, draw.normal(size=(FRAMES, WIDTH)).astype(np.float32))
        for number, label in enumerate(CLASSES):
            rows.append(
                TrainingRow(
                    scene=scene,
                    frames=None if number % 2 else (0, 3, 5),
                    prompt=f"Is there a {label} in frame 003?",
                    answer=("Yes.", "No.")[int(draw.integers(2))],
                )
            )
    return Ground(base, path, rows)
