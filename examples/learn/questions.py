"""Yes-no questions to learn from: existence and position, by the rules and in the words of LiDAR-Hallu.

A benchmark draws some questions of each scene. To learn from, every key frame has all that the rules allow, with as
many Yes as No about each position; the model that learns is asked about other scenes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from probe4d.benchmarks.lidar_hallu.rules import measured_objects, nearest_objects
from probe4d.benchmarks.lidar_hallu.templates import existence_stem, full_text, position_stem
from probe4d.models.lidar_lm.training_rows import TrainingRow
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SECTORS
from probe4d.scenes.tables import Scenes

__all__ = ["KeyFrame", "all_prompts", "key_frames", "rows_of"]

WRONG_SECTORS = 2
"""Questions with the answer No about the position of a class in a key frame, and as many with Yes.

With one of each, a class and a sector come together so rarely that position is learnt several times more slowly.
"""


class KeyFrame(NamedTuple):
    """A key frame and what is true of it.

    Attributes:
        scene: Its scene.
        frame: Its index there.
        sectors: Sector of the nearest object of each class that is present.
    """

    scene: str
    frame: int
    sectors: dict[str, str]


def key_frames(scenes: Scenes) -> list[KeyFrame]:
    """Every key frame of scenes, by the answer rules of LiDAR-Hallu."""
    nearest = nearest_objects(measured_objects(scenes).everywhere)
    found = nearest.group_by("scene", "frame").agg("label", "sector")
    table = scenes.keyframes.select("scene", "frame").join(found, on=["scene", "frame"], how="left")
    return [
        KeyFrame(scene, frame, dict(zip(labels or (), sectors or (), strict=True)))
        for scene, frame, labels, sectors in table.sort("scene", "frame").iter_rows()
    ]


def rows_of(key_frame: KeyFrame, generator: np.random.Generator) -> list[TrainingRow]:
    """What is asked about a key frame: whether each class is there, and where the nearest of those is that are.

    Args:
        key_frame: The key frame.
        generator: Draws the wrong sectors that are proposed.
    """
    frame, sectors = key_frame.frame, key_frame.sectors
    asked = [(existence_stem(frame, label), label in sectors) for label in CLASSES]
    for label, sector in sectors.items():
        wrong = generator.choice([other for other in SECTORS if other != sector], WRONG_SECTORS, replace=False)
        asked += [(position_stem(frame, label, sector), True)] * WRONG_SECTORS
        asked += [(position_stem(frame, label, other), False) for other in wrong]
    return [
        TrainingRow(scene=key_frame.scene, frames=(frame,), prompt=full_text(stem), answer="Yes" if is_true else "No")
        for stem, is_true in asked
    ]


def all_prompts(frames: int) -> list[str]:
    """Every prompt about a scene of so many key frames."""
    return [
        full_text(stem)
        for frame in range(frames)
        for label in CLASSES
        for stem in (
            existence_stem(frame, label),
            *(position_stem(frame, label, sector) for sector in SECTORS),
        )
    ]
