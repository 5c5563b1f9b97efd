"""Stage 1: trains an encoder on nothing but the answers to questions, since there is no CLIP to learn from.

A step takes a few key frames, encodes each once, and asks everything about it that `questions.py` has.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray
from questions import QUESTIONS, KeyFrames, Question, swapped_sides
from torch import Tensor, nn
from torch.nn import functional

from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.encoder import LidarEncoder, pack
from probe4d.models.lidar_lm.training.loss_log import Loss, append_loss

__all__ = ["Course", "mirrored_answers", "train_encoder"]

_WARM_UP = 0.05  # share of the steps
_LONGEST_GRADIENT = 1.0
_MIRRORED_SHARE = 0.5


class Course(NamedTuple):
    """How long, and how, is trained.

    Attributes:
        steps: Number of steps.
        frames: Key frames of a step.
        rate: Greatest learning rate; it rises over the first steps and falls with a cosine.
        seed: Of the order of key frames, and of which are shown in a mirror.
    """

    steps: int
    frames: int
    rate: float
    seed: int


def train_encoder(
    encoder: LidarEncoder,
    frames: KeyFrames,
    clouds: PointClouds,
    course: Course,
    folder: Path,
    done: Callable[[Loss], object],
) -> None:
    """Train an encoder so that one score a question, linear in the features, tells Yes from No.

    The features of a key frame are the embeddings of its wedges side by side, as `probe4d encode` writes them. The
    scores are thrown away afterwards. Half of the key frames are shown in a mirror, with left for right in the
    questions.

    Args:
        encoder: The encoder; changed in place, and in `eval()` afterwards.
        frames: What is asked about, and what is true of it.
        clouds: Point clouds of their scenes.
        course: How long, and how.
        folder: Where losses are logged.
        done: Told of each step.
    """
    scores = nn.Linear(len(clouds.channels) * encoder.options.out_channels, len(QUESTIONS))
    trained = [*encoder.parameters(), *scores.parameters()]
    optimizer = torch.optim.AdamW(trained, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, course.rate, total_steps=course.steps + 1, pct_start=_WARM_UP, cycle_momentum=False
    )
    balance = frames.balance
    encoder.train()
    for step, (taken, in_mirror) in enumerate(_steps(len(frames.places), course), start=1):
        began = time.monotonic()
        wedges = [
            wedge
            for place, mirror in zip(taken, in_mirror, strict=True)
            for wedge in _wedges(clouds, frames.places[place], mirror)
        ]
        features = encoder(pack(wedges)).view(len(taken), -1)
        answers, weights = (
            torch.from_numpy(np.where(in_mirror[:, None], mirrored_answers(table[taken]), table[taken]))
            for table in (frames.answers, balance)
        )
        loss = _loss(scores(features), answers, weights)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(trained, _LONGEST_GRADIENT)
        (rate,) = schedule.get_last_lr()
        optimizer.step()
        schedule.step()
        asked = int((weights > 0).sum())
        told = Loss(
            step=step,
            epoch=step * course.frames / len(frames.places),
            loss=loss.item(),
            gradient_norm=norm.item(),
            learning_rate=rate,
            rows=asked,
            tokens=asked,
            seconds=time.monotonic() - began,
        )
        append_loss(folder, told)
        done(told)
    encoder.eval()


def mirrored_answers(answers: NDArray[np.float32]) -> NDArray[np.float32]:
    """What holds in a mirror, (n, len(QUESTIONS)), from what holds."""
    return answers[:, _MIRRORED]


def _number_in_mirror(question: Question) -> int:
    return QUESTIONS.index(question._replace(sector=question.sector and swapped_sides(question.sector)))


_MIRRORED = [_number_in_mirror(question) for question in QUESTIONS]


def _loss(scores: Tensor, answers: Tensor, weights: Tensor) -> Tensor:
    """Mean cross-entropy of the answers that can be asked for, in nats, under their weights."""
    losses = functional.binary_cross_entropy_with_logits(scores, answers.nan_to_num(), reduction="none")
    return (losses * weights).sum() / weights.sum()


def _wedges(clouds: PointClouds, place: tuple[str, int], mirror: np.bool_) -> list[NDArray[np.float32]]:
    wedges = [wedge.points for wedge in clouds.of(*place)]
    if not mirror:
        return wedges
    to_the_right = np.array([1, -1, 1, 1], dtype=np.float32)  # y points to the left
    return [wedges[clouds.channels.index(swapped_sides(channel))] * to_the_right for channel in clouds.channels]


def _steps(count: int, course: Course) -> Iterator[tuple[Sequence[int], NDArray[np.bool_]]]:
    """Key frames of every step, and which of them are mirrored; every key frame comes up about equally often."""
    generator = np.random.default_rng(course.seed)
    order: list[int] = []
    for _ in range(course.steps):
        if len(order) < course.frames:
            order = generator.permutation(count).tolist()
        yield [order.pop() for _ in range(course.frames)], generator.random(course.frames) < _MIRRORED_SHARE
