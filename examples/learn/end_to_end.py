"""Trains encoder, projector and language model together, on nothing but the answers to questions.

The trainings of `probe4d train` keep the encoder as it is, which needs one that has learnt before. Here it learns too:
a step takes a few key frames, encodes each once, and asks everything about it that `questions.py` has.
"""

from __future__ import annotations

import functools
import math
import re
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from questions import KeyFrame, all_prompts, rows_of
from torch import Tensor, nn
from torch.nn import functional

from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.encoder import LidarEncoder, pack
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.lidar_lm.learner import Batch, Learner
from probe4d.models.lidar_lm.loss_log import Loss, append_loss
from probe4d.models.lidar_lm.training_rows import TrainingRow

__all__ = ["Course", "EncodedFrames", "mirrored", "train"]

_WARM_UP_STEPS = 50
_LEAST_RATE = 0.02
_LONGEST_GRADIENT = 1.0
_MIRRORED_SHARE = 0.5
_NUMBER = re.compile("[0-9]{3}")
_SIDES = {"left": "right", "right": "left", "LEFT": "RIGHT", "RIGHT": "LEFT"}


class Course(NamedTuple):
    """How long, and how, is trained.

    Attributes:
        steps: Number of steps.
        frames: Key frames of a step.
        encoder_rate: Greatest learning rate of the encoder; rates rise over the first steps and fall with a cosine.
        language_rate: That of projector and language model.
        seed: Of the order of key frames, of which are mirrored, and of what is asked about them.
    """

    steps: int
    frames: int
    encoder_rate: float
    language_rate: float
    seed: int


class EncodedFrames(nn.Module):
    """Gives rows the features of their one key frame, fresh from the encoder, so that gradients reach it.

    The features of a key frame are the embeddings of its wedges in a row, as `probe4d encode` writes them.
    """

    def __init__(self, encoder: LidarEncoder, clouds: PointClouds) -> None:
        super().__init__()
        self.encoder = encoder
        self._clouds = clouds
        self._of_mirror = [clouds.channels.index(_swapped(channel)) for channel in clouds.channels]
        self.mirrored: frozenset[tuple[str, int]] = frozenset()
        self.features: list[Tensor] = []

    def forward(self, rows: Sequence[TrainingRow]) -> list[Tensor]:
        """The features of each row, (1, wedges x width); key frames in `mirrored` are shown left for right."""
        shown = [(row.scene, row.frames[0]) for row in rows if row.frames is not None]
        places = {key: place for place, key in enumerate(dict.fromkeys(shown))}
        wedges = [wedge for key in places for wedge in self._wedges(*key)]
        features = self.encoder(pack(wedges)).view(len(places), 1, -1)
        self.features = [features[places[key]] for key in shown]
        return self.features

    def _wedges(self, scene: str, frame: int) -> list[np.ndarray]:
        wedges = [wedge.points for wedge in self._clouds.of(scene, frame)]
        if (scene, frame) not in self.mirrored:
            return wedges
        mirror = np.array([1, -1, 1, 1], dtype=np.float32)  # y points to the left
        return [wedges[place] * mirror for place in self._of_mirror]


class Readout(nn.Module):
    """Answers the same questions from features by a score for each question, with which the encoder gets going.

    A language model that cannot read features yet gives an encoder that has nothing to show yet hardly a gradient, nor
    the other way round. This shortcut between answers and encoder is thrown away after training; it is taught nothing
    but the answers that the language model is taught.

    Args:
        width: Width of features.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        asked = dict.fromkeys(_NUMBER.sub("", prompt) for prompt in all_prompts(1))
        self._number_of = {question: number for number, question in enumerate(asked)}
        self.scores = nn.Sequential(nn.Linear(width, 256), nn.ReLU(), nn.Linear(256, len(asked)))

    def forward(self, rows: Sequence[TrainingRow], features: Sequence[Tensor]) -> Tensor:
        """Mean cross-entropy of the answers, in nats."""
        asked = torch.tensor([self._number_of[_NUMBER.sub("", row.prompt)] for row in rows])
        answers = torch.tensor([float(row.answer == "Yes") for row in rows])
        scores = self.scores(torch.cat(list(features)))[torch.arange(len(rows)), asked]
        return functional.binary_cross_entropy_with_logits(scores, answers)


def mirrored(row: TrainingRow) -> TrainingRow:
    """A row as it is true of its key frame seen in a mirror: left is right."""
    return msgspec.structs.replace(row, prompt=_swapped(row.prompt))


def train(
    model: LidarLanguageModel,
    encoder: LidarEncoder,
    key_frames: Sequence[KeyFrame],
    clouds: PointClouds,
    course: Course,
    folder: Path,
    done: Callable[[Loss], object],
) -> None:
    """Train all weights of a model and of its encoder.

    Args:
        model: The model; changed in place, and in `eval()` afterwards.
        encoder: Its encoder; likewise.
        key_frames: What is asked about.
        clouds: Point clouds of their scenes.
        course: How long, and how.
        folder: Where losses are logged.
        done: Told of each step.
    """
    frames = EncodedFrames(encoder, clouds)
    longest = model.language_model.config.max_position_embeddings
    learner = Learner(model, frames, template=model.template, max_length=longest)
    learner.requires_grad_(True).train()
    readout = Readout(model.projector.in_features)
    rates = [(encoder, course.encoder_rate), (model, course.language_rate), (readout, course.encoder_rate)]
    optimizer = torch.optim.AdamW(
        [{"params": list(part.parameters()), "greatest": rate} for part, rate in rates],
        betas=(0.9, 0.98),
        weight_decay=0.01,
    )
    tokens_of = functools.cache(lambda prompt, answer: model.prompt(prompt, answer=answer))
    for step, (rows, frames.mirrored) in enumerate(_rows_of_steps(key_frames, course), start=1):
        began = time.monotonic()
        batch = Batch(tuple(rows), tuple(tokens_of(row.prompt, row.answer) for row in rows))
        loss = learner(batch) / batch.answer_tokens
        optimizer.zero_grad()
        (loss + readout(rows, frames.features)).backward()
        norm = nn.utils.clip_grad_norm_(learner.parameters(), _LONGEST_GRADIENT)
        share = _share_of_rate(step, course)
        for group in optimizer.param_groups:
            group["lr"] = share * group["greatest"]
        optimizer.step()
        taken = Loss(
            step=step,
            epoch=step * course.frames / len(key_frames),
            loss=loss.item(),
            gradient_norm=norm.item(),
            learning_rate=share * course.language_rate,
            rows=len(rows),
            tokens=batch.answer_tokens,
            seconds=time.monotonic() - began,
        )
        append_loss(folder, taken)
        done(taken)
    learner.requires_grad_(False).eval()


def _rows_of_steps(
    key_frames: Sequence[KeyFrame], course: Course
) -> Iterator[tuple[list[TrainingRow], frozenset[tuple[str, int]]]]:
    """The rows of every step, and which key frames are mirrored; every key frame comes up about equally often."""
    generator = np.random.default_rng(course.seed)
    order: list[int] = []
    for _ in range(course.steps):
        if len(order) < course.frames:
            order = generator.permutation(len(key_frames)).tolist()
        rows: list[TrainingRow] = []
        turned = set()
        for _ in range(course.frames):
            shown = key_frames[order.pop()]
            asked = rows_of(shown, generator)
            if generator.random() < _MIRRORED_SHARE:
                turned.add((shown.scene, shown.frame))
                asked = [mirrored(row) for row in asked]
            rows += asked
        yield rows, frozenset(turned)


def _share_of_rate(step: int, course: Course) -> float:
    cosine = _LEAST_RATE + (1 - _LEAST_RATE) * (1 + math.cos(math.pi * step / course.steps)) / 2
    return min(1.0, step / _WARM_UP_STEPS) * cosine


def _swapped(text: str) -> str:
    return re.sub("|".join(_SIDES), lambda side: _SIDES[side[0]], text)
