"""All that words a LiDAR language model's prompts beside the questions, for the digest of a run's wording."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import cos, radians, sin
from typing import Literal

import polars as pl

from probe4d.benchmarks.question import Question
from probe4d.evidence.ego_text import EgoTexts
from probe4d.runs.lidar_requests import FeatureReader
from probe4d.runs.told_motion import held_text

__all__ = ["lidar_wording"]

_POSES = (
    (0.0, 0.0, 0.0, 0),
    (0.0, 0.0, 0.0, 0),  # stands
    (1.2, 0.0, 0.0, 0),  # starts
    (6.3, 0.0, 0.0, 31),  # speeds up and turns left
    (11.4, 3.1, 1.0, 31),  # climbs
    (14.3, 6.3, 0.2, 0),  # falls, slows down and turns right
    (14.3, 9.4, 0.2, 0),  # to the left
    (11.2, 9.4, 0.2, 0),  # backs
    (14.3, 6.3, 0.2, 0),  # to the right
)
"""A drive that takes every kind of step: global position in metres and heading in degrees, twice a second.

No number lies where rounding could go either way, so that the texts are the same on every machine.
"""


def lidar_wording(reader: FeatureReader, questions: Iterable[Question]) -> list[str]:
    """What stands around a question, and how the ego vehicle's motion is told to a model that is told it.

    It depends on no dataset: texts that questions hold are given, and of those that are measured examples.

    Args:
        reader: The model.
        questions: What it is asked, in order.
    """
    if reader.ego_text == "none":
        return [reader.prompt_text("")]
    held = [held_text(question) or "" for question in questions] if reader.ego_text == "question" else []
    return [reader.prompt_text("", ""), *held, *_measured(reader.ego_text)]


def _measured(kind: Literal["question", "paper"]) -> Iterator[str]:
    """Texts of one frame, of a span and of all that is shown."""
    scene = "example"
    texts = EgoTexts(_keyframes(scene), kind)
    for words in (*(f"In frame {frame:03d}" for frame in range(len(_POSES))), "From frame 001 to frame 003", ""):
        yield texts.of(scene, words)


def _keyframes(scene: str) -> pl.DataFrame:
    x_m, y_m, z_m, headings_deg = zip(*_POSES, strict=True)
    halves = [radians(heading) / 2 for heading in headings_deg]
    return pl.DataFrame(
        {
            "scene": scene,
            "frame": range(len(_POSES)),
            "timestamp_us": [500_000 * frame for frame in range(len(_POSES))],
            "pose_x": x_m,
            "pose_y": y_m,
            "pose_z": z_m,
            "pose_qw": [cos(half) for half in halves],
            "pose_qx": 0.0,
            "pose_qy": 0.0,
            "pose_qz": [sin(half) for half in halves],
        }
    )
