"""Trains a LiDAR encoder to embed what a camera sees as an image tower embeds the camera's image.

Stage 0 of B4DL (section 4.1, equation 1), after LidarCLIP: the squared distance to the image's embedding, over every
pair of key frame and camera. A training folder holds the embeddings of the images, which are made once, what the
training was asked to do and how far it has come; in the end it is an encoder.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path

import msgspec
import torch

from probe4d.errors import InputError
from probe4d.evidence.camera_images import CameraImages
from probe4d.evidence.coverage import Coverage
from probe4d.evidence.point_clouds import PointClouds
from probe4d.evidence.wedge_rig import shared_cameras
from probe4d.models.lidar_lm.encoder import EncoderOptions, LidarEncoder, load_encoder, save_encoder
from probe4d.models.lidar_lm.encoding import encode
from probe4d.models.lidar_lm.features import FeatureFolder
from probe4d.models.lidar_lm.image_tower import ImageTower
from probe4d.models.lidar_lm.key_frames import refuse_missing_files
from probe4d.models.lidar_lm.on_disk import ENCODER_RECORD
from probe4d.models.lidar_lm.training.encoder_loop import TARGETS, EncoderFit, EncoderLoss, order_of
from probe4d.models.lidar_lm.training.encoder_options import EncoderTraining
from probe4d.models.lidar_lm.training.state import STATE_FILE
from probe4d.models.local.devices import device_named
from probe4d.store.job_folder import hold_folder
from probe4d.wording import listed

__all__ = ["TARGETS", "EncoderLoss", "embed_images", "new_encoder", "train_encoder"]

_LOG = logging.getLogger(__name__)

_RECORD_FILE = "encoder_training.json"


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    """What a training was asked to do; a repetition must be asked the same."""

    options: EncoderTraining
    encoder: EncoderOptions
    start: str
    dataset: str
    scenes: list[str]
    coverage: Coverage
    targets: dict[str, str]
    version: int = 1


def embed_images(
    clouds: PointClouds,
    tower: ImageTower,
    out: Path | str,
    *,
    batch: int = 16,
    workers: int = 2,
    device: str | None = None,
    begun: Callable[[int, int], None] | None = None,
    done: Callable[[object], None] | None = None,
) -> dict[str, FeatureFolder]:
    """Embed the images of all cameras that wedges of the point clouds belong to, or go on with that.

    Args:
        clouds: What an encoder is to be trained on.
        tower: Embeds images.
        out: Folder of features of a camera each.
        batch: Images that are embedded together.
        workers: Threads that read images ahead.
        device: Where the tower runs; null takes an accelerator where there is one.
        begun: Told, for each camera, the number of its key frames and how many were done before.
        done: Told of each finished image.

    Returns:
        The embeddings, by the camera's channel.

    Raises:
        InputError: No wedge has a camera in every scene, or an image is missing or cannot be used.
    """
    everywhere = shared_cameras(clouds.scenes)
    used = [channel for channel in clouds.channels if channel in everywhere]
    if not used:
        raise InputError(
            f"no scene has images of {listed(clouds.channels, 'or')} that an encoder could learn from.",
            path=clouds.scenes.root,
            remedy="Take a dataset with cameras.",
        )
    if unused := [channel for channel in clouds.channels if channel not in everywhere]:
        _LOG.warning("%s: no camera sees what lies there, so that nothing is learnt of it.", listed(unused))
    return {
        channel: encode(
            CameraImages(clouds.scenes, channel),
            tower,
            Path(out) / channel,
            batch=batch,
            workers=workers,
            device=device,
            begun=begun,
            done=done,
        )
        for channel in used
    }


def new_encoder(width: int, *, seed: int) -> LidarEncoder:
    """An encoder of LidarCLIP's sizes with new weights, for an image tower of that width."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return LidarEncoder(EncoderOptions(out_channels=width))


def train_encoder(
    clouds: PointClouds,
    targets: Mapping[str, FeatureFolder],
    out: Path | str,
    *,
    encoder: LidarEncoder,
    options: EncoderTraining | None = None,
    workers: int = 2,
    device: str | None = None,
    begun: Callable[[int, int], None] | None = None,
    done: Callable[[EncoderLoss], None] | None = None,
) -> LidarEncoder:
    """Train an encoder, or go on with it, and write it.

    A training that was killed goes on from its last checkpoint to the same weights, on the same machine.

    Args:
        clouds: Point clouds of the scenes to learn from.
        targets: Embeddings of the images of cameras, from `embed_images`.
        out: Folder of the encoder, new or that of the same training.
        encoder: What the training starts from; it is changed, unless the training was done before.
        options: How; null is as B4DL's release.
        workers: Threads that read scans ahead.
        device: Where the encoder is trained; null takes an accelerator where there is one.
        begun: Told the number of steps, and how many were done before.
        done: Told of each step.

    Returns:
        The encoder, in `eval()`; of a training that was done before, as it lies in the folder.

    Raises:
        InputError: The folder holds something else, there is nothing to learn from, targets do not fit, or a scan is
            missing or cannot be used.
        RunError: The loss is not finite, the memory does not suffice, or the disk is full.
    """
    options = options or EncoderTraining()
    folder = Path(out)
    counts = {name: clouds.frames(name) for name in clouds.scenes.names}
    _refuse_unusable(targets, clouds)
    for target in targets.values():
        target.refuse_other(width=encoder.options.out_channels, dataset=clouds.scenes.fingerprint, frames=counts)
    record = _Record(
        options=options,
        encoder=encoder.options,
        start=encoder.fingerprint,
        dataset=clouds.scenes.fingerprint,
        scenes=clouds.scenes.names,
        coverage=clouds.coverage,
        targets={channel: target.fingerprint for channel, target in targets.items()},
    )
    with hold_folder(folder, _RECORD_FILE, record, beside=(TARGETS,)):
        if (folder / ENCODER_RECORD).exists():
            encoder = load_encoder(folder).to(device_named(device))
            if begun is not None:
                steps = order_of(sum(counts.values()), options).steps
                begun(steps, steps)
        else:
            refuse_missing_files(clouds, counts)
            fit = EncoderFit(clouds, targets, folder, encoder, options, device_named(device))
            if begun is not None:
                begun(fit.steps, fit.state.step)
            with closing(fit.losses(workers)) as losses:
                for loss in losses:
                    if done is not None:
                        done(loss)
            save_encoder(encoder, folder)
        (folder / STATE_FILE).unlink(missing_ok=True)
    return encoder.eval()


def _refuse_unusable(targets: Mapping[str, FeatureFolder], clouds: PointClouds) -> None:
    """Refuse, before anything is trained, what has nothing to learn from, or targets that belong to no wedge."""
    if not any(clouds.frames(name) for name in clouds.scenes.names):
        raise InputError("no scene has a key frame that an encoder could learn from.", path=clouds.scenes.root)
    if not targets:
        raise InputError("there are no embeddings of images to learn from.", remedy="Make them with embed_images.")
    if others := [channel for channel in targets if channel not in clouds.channels]:
        raise InputError(
            f"there are embeddings of images of {listed(others)}, and point clouds of {listed(clouds.channels)}.",
            remedy="Embed the images of the cameras that the point clouds belong to, with embed_images.",
        )
