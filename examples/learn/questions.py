"""Yes-no questions to learn from: existence and position, by the rules and in the words of LiDAR-Hallu.

A benchmark draws some questions of each scene. To learn from, every key frame has all that the rules allow; the model
that learns is asked about other scenes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from probe4d.benchmarks.lidar_hallu.rules import measured_objects, nearest_objects
from probe4d.benchmarks.lidar_hallu.templates import existence_stem, full_text, position_stem
from probe4d.models.lidar_lm.training.rows import TrainingRow
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.geometry import SECTORS
from probe4d.scenes.tables import Scenes

__all__ = ["POSITION_TIMES", "QUESTIONS", "KeyFrames", "Question", "key_frames", "swapped_sides", "training_rows"]

POSITION_TIMES = 3
"""How many questions with Yes, and with No, about the position of a class in a key frame a language model learns from.

A class and a sector come together an eighth as often as a class comes alone; with one of each, position is learnt
several times more slowly than existence.
"""

_RAREST = 0.02  # share; what is rarer weighs no more, so that one odd key frame is not all that is learnt
_NUMBERS = np.arange(len(SECTORS))
_NOT_THERE = -1
_SIDES = {"left": "right", "right": "left", "LEFT": "RIGHT", "RIGHT": "LEFT"}


class Question(NamedTuple):
    """What can be asked about any key frame.

    Attributes:
        label: A class.
        sector: Whether the nearest object of that class is there; null asks whether there is one at all.
    """

    label: str
    sector: str | None

    def prompt(self, frame: int) -> str:
        """The question in the words of the benchmark."""
        if self.sector is None:
            return full_text(existence_stem(frame, self.label))
        return full_text(position_stem(frame, self.label, self.sector))


QUESTIONS = tuple(Question(label, sector) for label in CLASSES for sector in (None, *SECTORS))
_TIMES = np.array([1 if question.sector is None else POSITION_TIMES for question in QUESTIONS])


@dataclass(frozen=True)
class KeyFrames:
    """Key frames and what is true of them.

    Attributes:
        places: Scene and index there of each.
        answers: (key frames, len(QUESTIONS)) float32: 1 is Yes, 0 No; NaN where the class is not there, whose position
            cannot be asked.
    """

    places: list[tuple[str, int]]
    answers: NDArray[np.float32]

    @property
    def balance(self) -> NDArray[np.float32]:
        """Weights under which every question has as many Yes as No, so that nothing can be learnt from its words.

        As `answers`, with a mean of about 1 over what can be asked; 0 where a question cannot be asked.
        """
        yes = np.nanmean(self.answers, axis=0, dtype=np.float64)
        alike = np.where(self.answers == 1, yes, 1 - yes).clip(_RAREST)
        weights = np.where(np.isnan(self.answers), 0, 0.5 / alike)
        return weights.astype(np.float32)


def key_frames(scenes: Scenes) -> KeyFrames:
    """Every key frame of scenes, by the answer rules of LiDAR-Hallu."""
    places = scenes.keyframes.select("scene", "frame").sort("scene", "frame")
    nearest = nearest_objects(measured_objects(scenes).everywhere).select(
        "scene", "frame", "label", sector=pl.col("sector").cast(pl.String).replace_strict(list(SECTORS), _NUMBERS)
    )
    asked = places.join(pl.DataFrame({"label": CLASSES}), how="cross", maintain_order="left_right")
    found = asked.join(nearest, on=["scene", "frame", "label"], how="left", maintain_order="left")["sector"]
    sector = found.fill_null(_NOT_THERE).to_numpy().reshape(len(places), len(CLASSES), 1)
    there = sector != _NOT_THERE
    answers = np.concatenate([there, np.where(there, sector == _NUMBERS, np.nan)], axis=2)
    return KeyFrames(list(places.iter_rows()), answers.reshape(len(places), len(QUESTIONS)).astype(np.float32))


def training_rows(frames: KeyFrames, seed: int) -> list[TrainingRow]:
    """About every key frame some of the questions, drawn so that each has as many Yes as No over all key frames.

    What is to come up more often than there are such questions comes up several times.

    Args:
        frames: The key frames.
        seed: Of what is drawn.
    """
    balance = frames.balance
    often = balance / balance.max(axis=0).clip(1e-6) * _TIMES
    times = np.floor(often + np.random.default_rng(seed).random(often.shape)).astype(np.int64)
    return [
        TrainingRow(
            scene=frames.places[place][0],
            frames=(frames.places[place][1],),
            prompt=QUESTIONS[asked].prompt(frames.places[place][1]),
            answer="Yes" if frames.answers[place, asked] else "No",
        )
        for place, asked in np.argwhere(times).tolist()
        for _ in range(times[place, asked])
    ]


def swapped_sides(text: str) -> str:
    """A text with left for right and right for left, as in a mirror."""
    return re.sub("|".join(_SIDES), lambda side: _SIDES[side[0]], text)
