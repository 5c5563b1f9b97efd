"""The loop that trains a LiDAR encoder against embeddings of images, step by step."""

from __future__ import annotations

import math
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np
import torch
from numpy.typing import NDArray

from probe4d.errors import RunError
from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.encoder import LidarEncoder, pack
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.training.encoder_options import EncoderTraining
from probe4d.models.lidar_lm.training.loss_log import LOSSES_FILE, PICTURE_FILE, cut_log, draw_losses
from probe4d.models.lidar_lm.training.order import EpochOrder
from probe4d.models.lidar_lm.training.state import TrainingState
from probe4d.models.local.memory import memory_that_suffices
from probe4d.models.local.reading_ahead import read_ahead
from probe4d.store.logs import append_lines
from probe4d.wording import counted, listed

__all__ = ["TARGETS", "EncoderFit", "EncoderLoss", "one_cycle", "order_of"]

TARGETS = "targets"
"""Folder, in that of a training, of the images' embeddings: features of a camera each."""

_MEASURED = "mean squared difference of embeddings"
_RISE, _FALL = 25.0, 1e4  # peak of the learning rate to its start, and start to end: the defaults of torch's OneCycleLR
_BETA1_AT_PEAK, _BETA1_AT_ENDS, _BETA2 = 0.85, 0.95, 0.999


class EncoderLoss(msgspec.Struct, frozen=True, kw_only=True):
    """What a step of training showed.

    Attributes:
        step: From 1.
        epoch: How often the key frames have been gone through, after the step.
        loss: Mean squared difference between numbers of the embeddings, before the step.
        learning_rate: Of this step.
        pairs: Pairs of point cloud and image that it took.
        seconds: How long it took.
    """

    step: int
    epoch: float
    loss: float
    learning_rate: float
    pairs: int
    seconds: float


class _Pairs(NamedTuple):
    """Point clouds of a key frame, (n, 4) each, and the embeddings of their cameras' images, (clouds, width)."""

    clouds: list[NDArray[np.float32]]
    targets: NDArray[np.float32]


def one_cycle(step: int, steps: int, options: EncoderTraining) -> tuple[float, float]:
    """Learning rate and first moment's decay of a step, from 1: half a cosine up, half a cosine down.

    As `OneCycleLR` of torch has it, which B4DL's release uses (Smith and Topin, 2019).
    """
    peak, last = max(0.0, options.warmup_ratio * steps - 1), steps - 1
    place = step - 1
    highest, start = options.learning_rate, options.learning_rate / _RISE
    if place < peak or not last:
        share = place / peak if peak else 0.0
        return _between(start, highest, share), _between(_BETA1_AT_ENDS, _BETA1_AT_PEAK, share)
    share = (place - peak) / (last - peak)
    return _between(highest, start / _FALL, share), _between(_BETA1_AT_PEAK, _BETA1_AT_ENDS, share)


def _between(first: float, last: float, share: float) -> float:
    return last + (first - last) / 2 * (1 + math.cos(math.pi * share))


def order_of(frames: int, options: EncoderTraining) -> EpochOrder:
    """Which of so many key frames each step takes."""
    return EpochOrder(frames, options.batch, epochs=options.epochs, seed=options.seed, purpose="encoder")


class EncoderFit:
    """A training under way, which goes on from what lies in its folder."""

    def __init__(
        self,
        clouds: PointClouds,
        targets: Mapping[str, FeatureFolder],
        folder: Path,
        encoder: LidarEncoder,
        options: EncoderTraining,
        device: torch.device,
    ) -> None:
        self._clouds = clouds
        self._targets = targets
        self._numbers = [clouds.channels.index(channel) for channel in targets]
        self._folder = folder
        self._options = options
        self._device = device
        self._encoder = encoder.to(device).train()
        # AdamW without decay is Adam.
        optimizer = torch.optim.AdamW(encoder.parameters(), betas=(_BETA1_AT_ENDS, _BETA2), weight_decay=0.0)
        self.state = TrainingState(encoder, optimizer, torch.amp.GradScaler(device.type, enabled=False))
        self.state.load(folder)
        self._keys = [(name, frame) for name in clouds.scenes.names for frame in range(clouds.frames(name))]
        self._order = order_of(len(self._keys), options)
        self.steps = self._order.steps

    def losses(self, workers: int) -> Generator[EncoderLoss]:
        """Do the steps that are left."""
        so_far = cut_log(self._folder, EncoderLoss, self.state.step)
        steps = range(self.state.step + 1, self.steps + 1)
        keys = (self._keys[index] for step in steps for index in self._order.items_of(step))
        with closing(read_ahead(self._load, keys, workers, held=2 * self._options.batch)) as loaded:
            for step in steps:
                began = time.monotonic()
                pairs = list(islice(loaded, len(self._order.items_of(step))))
                with memory_that_suffices(_out_of_memory(self._options)):
                    loss = self._step(step, pairs)
                self.state.step = step
                shown = EncoderLoss(
                    step=step,
                    epoch=self._order.epoch_after(step),
                    loss=loss,
                    learning_rate=one_cycle(step, self.steps, self._options)[0],
                    pairs=sum(len(of_frame.clouds) for of_frame in pairs),
                    seconds=time.monotonic() - began,
                )
                append_lines(self._folder / LOSSES_FILE, [shown])
                so_far.append(shown)
                if step % self._options.checkpoint_every == 0 or step == self.steps:
                    self.state.save(self._folder)
                    title = f"LiDAR encoder, {counted(len(self._keys), 'key frame')}"
                    draw_losses(so_far, self._folder / PICTURE_FILE, title=title, measured=_MEASURED)
                yield shown

    def _load(self, scene: str, frame: int) -> _Pairs:
        wedges = self._clouds.of(scene, frame)
        embeddings = [target.rows(scene, [frame]) for target in self._targets.values()]
        return _Pairs([wedges[number].points for number in self._numbers], np.concatenate(embeddings))

    def _step(self, step: int, pairs: Sequence[_Pairs]) -> float:
        optimizer = self.state.optimizer
        learning_rate, beta1 = one_cycle(step, self.steps, self._options)
        for group in optimizer.param_groups:
            group.update(lr=learning_rate, betas=(beta1, _BETA2))
        clouds = pack([cloud for of_frame in pairs for cloud in of_frame.clouds]).to(self._device)
        targets = torch.from_numpy(np.concatenate([of_frame.targets for of_frame in pairs])).to(self._device)
        with torch.autocast(self._device.type, torch.bfloat16, enabled=self._options.precision == "bf16"):
            embeddings = self._encoder(clouds)
        loss = torch.nn.functional.mse_loss(embeddings.float(), targets)
        if not torch.isfinite(loss):
            raise RunError(
                f"the loss is {loss.item()} at step {step} of {self.steps}. Lower the learning rate (--learning-rate); "
                f"the losses are in {self._folder / LOSSES_FILE}."
            )
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]  # torch has no types for it
        optimizer.step()
        return loss.item()


def _out_of_memory(options: EncoderTraining) -> str:
    remedies = []
    if options.batch > 1:
        remedies.append(f"a --batch below {options.batch}")
    if options.precision == "fp32":
        remedies.append("--precision bf16")
    remedies.append("a device with more memory (--device)")
    return (
        f"the memory does not suffice to learn from {counted(options.batch, 'key frame')} at once. Take "
        f"{listed(remedies, 'or')}; other options are another training, in another folder, to which {TARGETS}/ of this "
        "one can be moved."
    )
