"""The two stages of B4DL's training (section 4.2): the projector alone, then LoRA alone.

A training folder holds, until it is done, what it was asked to do and how far it has come; in the end it is a
checkpoint that can be asked. The same call goes on where a killed one stopped.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

import msgspec
import torch
from torch import nn

from probe4d.errors import InputError
from probe4d.models.lidar_lm.base_model import fingerprint
from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm, save
from probe4d.models.lidar_lm.checkpoints.record import RECORD
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.language_model import LidarLanguageModel
from probe4d.models.lidar_lm.layouts import Layout
from probe4d.models.lidar_lm.training.learner import FeaturesOf, Learner, features_on_disk
from probe4d.models.lidar_lm.training.loop import fit
from probe4d.models.lidar_lm.training.loss_log import Loss, read_losses
from probe4d.models.lidar_lm.training.options import (
    Precision,
    Stage,
    TrainingOptions,
    refuse_other_stage,
    training_options,
)
from probe4d.models.lidar_lm.training.rows import TrainingRow, ego_text_of, refuse_unusable_rows
from probe4d.models.lidar_lm.training.state import STATE_FILE, kept_tensors
from probe4d.models.local.weights import fill, read_weights, write_weights
from probe4d.store.hashing import digest
from probe4d.store.job_folder import hold_folder, remove
from probe4d.wording import counted

__all__ = ["TRAINING_FILE", "Trained", "TrainingRecord", "train_lora", "train_model", "train_projector"]

_LOG = logging.getLogger(__name__)

TRAINING_FILE = "training.json"
FEATURES_FILE = "features.safetensors"
"""Weights of a module that gave features and was trained along."""
_NEW = ".checkpoint"
_DTYPES: Mapping[Precision, torch.dtype] = {"bf16": torch.bfloat16, "fp16": torch.float16, "fp32": torch.float32}


class TrainingRecord(msgspec.Struct, frozen=True, kw_only=True):
    """What a training was asked to do; a repetition must be asked the same.

    Attributes:
        stage: What is trained.
        options: How.
        rows: SHA-256 of the rows.
        features: Fingerprint of the features.
        start: Fingerprint of the weights that it starts from.
        layout: Prompt layout.
        devices: Number of devices that share a step.
        version: Of this record.
    """

    stage: str
    options: TrainingOptions
    rows: str
    features: str
    start: str
    layout: Layout
    devices: int
    version: int = 1


@dataclass(frozen=True)
class Trained:
    """A training that is done.

    Attributes:
        folder: The checkpoint.
        losses: Of all steps.
        steps_before: How many of them an earlier call had done.
    """

    folder: Path
    losses: list[Loss]
    steps_before: int


def train_projector(
    rows: Sequence[TrainingRow],
    features: FeatureFolder,
    out: Path | str,
    *,
    base: Path | str,
    options: TrainingOptions | None = None,
    layout: Layout = "hallu",
    begun: Callable[[int, int], object] | None = None,
    done: Callable[[Loss], object] | None = None,
) -> Trained:
    """Train a new projector before a frozen language model, or go on with it.

    Args:
        rows: What it learns from.
        features: Features of their scenes.
        out: Folder of the checkpoint, new or that of the same training.
        base: Folder of the language model, as transformers saves it.
        options: How; null takes `training.toml`.
        layout: Prompt layout that the model will be trained and asked in.
        begun: Told the number of steps, and how many of them were done before.
        done: Told of each step.

    Raises:
        InputError: The folder is in use, rows cannot be learnt from or are too long, features are missing or do not
            fit, options are those of the other stage, or the language model cannot be read.
        RunError: As `fit`.
    """
    options = options or training_options("projector")
    refuse_other_stage(options, "projector")
    refuse_unusable_rows(rows)
    model = LidarLanguageModel.from_base(
        base,
        features.record.width,
        _DTYPES[options.precision],
        seed=options.seed,
        layout=layout,
        encoder=features.record.encoder,
    )
    return _train(model, rows, features, Path(out), options, stage="projector", begun=begun, done=done)


def train_lora(
    rows: Sequence[TrainingRow],
    features: FeatureFolder,
    out: Path | str,
    *,
    start: Path | str,
    base: Path | str | None = None,
    options: TrainingOptions | None = None,
    layout: Layout | None = None,
    begun: Callable[[int, int], object] | None = None,
    done: Callable[[Loss], object] | None = None,
) -> Trained:
    """Train LoRA layers in a language model whose projector was trained before, or go on with it.

    Args:
        rows: What they learn from; the model is asked with the ego text that they have.
        features: Features of their scenes, of the encoder that the projector was trained with.
        out: Folder of the checkpoint, new or that of the same training.
        start: Checkpoint with the projector. LoRA layers that it has are merged into its language model first.
        base: Folder of its language model, where that is no longer where it was.
        options: How; null takes `training.toml`.
        layout: Prompt layout; null keeps that of `start`.
        begun: Told the number of steps, and how many of them were done before.
        done: Told of each step.

    Raises:
        InputError: As `train_projector`, or the features have another width or encoder than those of `start`.
        RunError: As `fit`.
    """
    options = options or training_options("lora")
    refuse_other_stage(options, "lora")
    refuse_unusable_rows(rows)
    model = load_lidar_lm(start, base, _DTYPES[options.precision]).merged()
    features.refuse_other(encoder=model.encoder, width=model.feature_width)
    model.layout = layout or model.layout
    model.encoder = model.encoder or features.record.encoder  # which a released checkpoint does not name
    model.with_lora(**options.of_lora, seed=options.seed)
    return _train(model, rows, features, Path(out), options, stage="lora", begun=begun, done=done)


def train_model(
    model: LidarLanguageModel,
    features_of: FeaturesOf,
    rows: Sequence[TrainingRow],
    out: Path,
    options: TrainingOptions,
    *,
    features: str,
    stage: str,
    begun: Callable[[int, int], object] | None = None,
    done: Callable[[Loss], object] | None = None,
) -> Trained:
    """Train of a model what requires gradients, or go on with it, and write the checkpoint.

    Args:
        model: The model; it is changed in place.
        features_of: Gives rows their features; a module, such as an encoder, is trained along, and what of it was
            trained lies in the checkpoint as `features.safetensors`. Whoever asks that checkpoint encodes with the
            trained module; the checkpoint itself names no encoder then, since the one it started with is gone.
        rows: What it learns from; the model is asked with the ego text that they have.
        out: Folder of the checkpoint, new or that of the same training.
        options: How.
        features: Fingerprint of the features, which a repetition must share.
        stage: What is trained, in a word.
        begun: See `fit`.
        done: See `fit`.

    Returns:
        The training. Of one that was done before, a module that gives features has its trained weights back; the
        model is read from the checkpoint.

    Raises:
        InputError: The folder is in use or holds another training, rows cannot be learnt from, or nothing of the model
            is to be trained; or as `fit`.
        RunError: As `fit`.
    """
    from accelerate import Accelerator

    refuse_unusable_rows(rows)
    model.ego_text = ego_text_of(rows)
    learner = Learner(model, features_of, template=options.template, max_length=options.max_length)
    if not any(parameter.requires_grad for parameter in learner.parameters()):
        raise InputError(
            "nothing of the model is to be trained.",
            remedy="Let what is to learn require gradients, such as model.projector.requires_grad_(True).",
        )
    devices = Accelerator()
    record = TrainingRecord(
        stage=stage,
        options=options,
        rows=digest(list(rows)),
        features=features,
        start=fingerprint(model),
        layout=model.layout,
        devices=devices.num_processes,
    )
    with hold_folder(out, TRAINING_FILE, record) if devices.is_main_process else nullcontext():
        if devices.is_main_process:
            _clear(out)
        devices.wait_for_everyone()
        module = features_of if isinstance(features_of, nn.Module) else None
        if (out / RECORD).exists():
            if module is not None:
                path = out / FEATURES_FILE
                fill(kept_tensors(module), read_weights(path), path, remedy="Take another folder.")
            losses = read_losses(out)
            return Trained(out, losses, steps_before=len(losses))
        before = 0

        def starts(steps: int, done_before: int) -> None:
            nonlocal before
            before = done_before
            if begun is not None:
                begun(steps, done_before)

        title = f"{stage} on {counted(len(rows), 'row')}"
        fit(learner, rows, options, out, devices=devices, title=title, begun=starts, done=done)
        if devices.is_main_process:
            _finish(model, out, module)
        devices.wait_for_everyone()
        return Trained(out, read_losses(out), steps_before=before)


def _train(
    model: LidarLanguageModel,
    rows: Sequence[TrainingRow],
    features: FeatureFolder,
    out: Path,
    options: TrainingOptions,
    *,
    stage: Stage,
    begun: Callable[[int, int], object] | None,
    done: Callable[[Loss], object] | None,
) -> Trained:
    features_of = features_on_disk(features)
    _refuse_unusable(
        rows, features, Learner(model, features_of, template=options.template, max_length=options.max_length)
    )
    return train_model(
        model, features_of, rows, out, options, features=features.fingerprint, stage=stage, begun=begun, done=done
    )


def _refuse_unusable(rows: Sequence[TrainingRow], features: FeatureFolder, learner: Learner) -> None:
    """Refuse, before anything is trained, rows that are too long or whose features are missing, broken or others."""
    for dataset in dict.fromkeys(row.dataset for row in rows):
        features.refuse_other(dataset=dataset)
    frames = {scene: len(features.rows(scene)) for scene in dict.fromkeys(row.scene for row in rows)}
    for row in rows:
        of_scene = frames[row.scene]
        if row.keyframes not in (None, of_scene):
            raise InputError(
                f"there are features of {counted(of_scene, 'key frame')} of scene {row.scene!r}, and the training rows "
                f"are about a scene of {row.keyframes:,}.",
                path=features.path,
                remedy="Use the features of the dataset that the rows are about.",
            )
        if row.frames is not None and max(row.frames) >= of_scene:
            raise InputError(
                f"a training row shows key frame {max(row.frames)} of scene {row.scene!r}, of which there are features "
                f"of {counted(of_scene, 'key frame')} ({row.prompt[:60]!r}).",
                path=features.path,
                remedy="Use the features of the dataset that the rows are about.",
            )
        learner.refuse_long(row, of_scene if row.frames is None else len(row.frames))


def _clear(out: Path) -> None:
    """Take away what a kill left: a checkpoint half-made, or the state of a training that is done."""
    remove(out / _NEW)
    if (out / RECORD).exists():
        remove(out / STATE_FILE)


def _finish(model: LidarLanguageModel, out: Path, module: nn.Module | None) -> None:
    """Put the checkpoint into the folder, its record last, so that there is a whole one or none.

    LoRA beside a language model that is no base on disk, as after other LoRA, is merged into it.
    """
    model.projector.to(model.language_model.dtype)
    if model.base is None:
        model.merged()
    new = out / _NEW
    if module is not None and kept_tensors(module) and model.encoder is not None:
        _LOG.warning("The encoder %s was trained along; the checkpoint names none.", model.encoder)
        model.encoder = None
    save(model, new)
    if module is not None:
        write_weights(kept_tensors(module), new / FEATURES_FILE)
    for entry in sorted(new.iterdir(), key=lambda entry: entry.name == RECORD):
        remove(out / entry.name)
        entry.replace(out / entry.name)
    new.rmdir()
    (out / STATE_FILE).unlink(missing_ok=True)
