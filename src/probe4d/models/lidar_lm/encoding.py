"""Encodes scenes into features on disk: a row for every key frame, of its point cloud or of a camera's image."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.evidence.camera_images import CameraImages
from probe4d.evidence.point_clouds import PointClouds
from probe4d.models.lidar_lm.features import FeatureFolder, FeatureRecord, start_features, write_rows
from probe4d.models.lidar_lm.image_tower import ImageTower
from probe4d.models.lidar_lm.key_frames import memory_for, refuse_missing_files
from probe4d.models.lidar_lm.needs import refuse_missing
from probe4d.models.local.reading_ahead import read_ahead
from probe4d.store.hashing import digest
from probe4d.store.locks import locked
from probe4d.wording import counted, listed

if TYPE_CHECKING:
    import torch

    from probe4d.models.lidar_lm.encoder import LidarEncoder

__all__ = ["encode"]

_LOG = logging.getLogger(__name__)


def encode(
    frames: PointClouds | CameraImages,
    encoder: LidarEncoder | ImageTower,
    out: Path | str,
    *,
    scenes: Sequence[str] | None = None,
    batch: int = 8,
    workers: int = 2,
    device: str | None = None,
    begun: Callable[[int, int], None] | None = None,
    done: Callable[[object], None] | None = None,
) -> FeatureFolder:
    """Write the features of scenes, a file each; those that the folder has already are kept.

    A row is the embedding of a camera's image, or those of all wedges of a scan one after another: a mean of them
    would forget where things lie. A file appears when its scene is finished, so that a command that was broken off
    goes on where it stopped.

    Args:
        frames: Point clouds for a LiDAR encoder, images for an image tower.
        encoder: Makes embeddings.
        out: Folder of features, new or with some that were made in the same way.
        scenes: Names; null is all.
        batch: Key frames that are encoded together, of one scene. Features do not depend on it, unless the encoder
            follows the released one.
        workers: Threads that read files ahead.
        device: Where the encoder runs, such as cuda or cpu; null takes an accelerator where there is one.
        begun: Told the number of key frames, and how many of them were done before.
        done: Told of each finished key frame.

    Raises:
        InputError: A number is below 1, a scene is not in the dataset, a reading or file is missing or cannot be used,
            the folder holds something else, or the encoder is of another kind than the frames.
        RunError: The memory does not suffice, or the disk is full.
    """
    if batch < 1 or workers < 1:
        raise InputError(f"batch and workers must be at least 1, not {batch} and {workers}.")
    refuse_missing()
    counts = {name: frames.frames(name) for name in (frames.scenes.names if scenes is None else scenes)}
    if empty := [name for name, count in counts.items() if not count]:
        _LOG.warning("%s without key frames, which get no features: %s.", counted(len(empty), "scene"), listed(empty))
    source = _source(frames, encoder, batch, device)
    folder = Path(out)
    with locked(folder / ".lock"):
        found = start_features(folder, source.record)
        there = counts.keys() & set(found.scenes)
        found.refuse_other(frames={name: counts[name] for name in there})
        wanted = {name: count for name, count in counts.items() if count and name not in there}
        refuse_missing_files(frames, wanted)
        if begun is not None:
            begun(sum(counts.values()), sum(counts[name] for name in there))
        with closing(_encoded(source, wanted, batch, workers, done)) as encoded:
            for name, rows in encoded:
                write_rows(folder, name, rows)
                if isinstance(frames, PointClouds) and (left_out := frames.left_out(name)):
                    _LOG.warning("%s: left out %s that are not finite.", name, counted(left_out, "LiDAR point"))
    return found


class _Source(Protocol):
    """What is encoded by what; `load` is called in threads."""

    record: FeatureRecord

    def load(self, scene: str, frame: int) -> Any: ...

    def embed(self, loaded: Sequence[Any]) -> NDArray[np.float32]: ...


class _LidarSource:
    def __init__(self, clouds: PointClouds, encoder: LidarEncoder, batch: int, device: torch.device) -> None:
        wedges = len(clouds.channels)
        self.record = FeatureRecord(
            encoder=encoder.fingerprint,
            width=wedges * encoder.options.out_channels,
            modality="lidar",
            coverage=clouds.coverage,
            wedges=clouds.channels,
            fuse="concatenated" if wedges > 1 else None,
            dataset=clouds.scenes.fingerprint,
            batch=batch if encoder.options.compat == "released" else None,
        )
        self._clouds = clouds
        self._encoder = encoder.to(device).eval()
        self._device = device

    def load(self, scene: str, frame: int) -> list[NDArray[np.float32]]:
        return [wedge.points for wedge in self._clouds.of(scene, frame)]

    def embed(self, loaded: Sequence[list[NDArray[np.float32]]]) -> NDArray[np.float32]:
        import torch

        from probe4d.models.lidar_lm.encoder import pack

        with torch.inference_mode():
            embeddings = self._encoder(pack([wedge for wedges in loaded for wedge in wedges]).to(self._device))
        rows: NDArray[np.float32] = embeddings.float().cpu().numpy().reshape(len(loaded), -1)
        return rows


class _CameraSource:
    def __init__(self, images: CameraImages, tower: ImageTower, device: torch.device) -> None:
        self.record = FeatureRecord(
            encoder=digest([tower.fingerprint, images.channel])[:16],  # what one camera shows, another does not
            width=tower.width,
            modality=f"camera:{images.channel}",
            dataset=images.scenes.fingerprint,
        )
        self._images = images
        self._tower = tower.to(device)

    def load(self, scene: str, frame: int) -> NDArray[np.float32]:
        return self._tower.prepared(self._images.of(scene, frame))

    def embed(self, loaded: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
        return self._tower.embed(loaded)


def _source(
    frames: PointClouds | CameraImages, encoder: LidarEncoder | ImageTower, batch: int, device: str | None
) -> _Source:
    from probe4d.models.local.devices import device_named
    from probe4d.models.local.memory import memory_for_model

    where = device_named(device)
    with memory_for_model("the encoder", where, option="--device cpu", smaller="a smaller encoder"):
        if isinstance(frames, PointClouds) and not isinstance(encoder, ImageTower):
            return _LidarSource(frames, encoder, batch, where)
        if isinstance(frames, CameraImages) and isinstance(encoder, ImageTower):
            return _CameraSource(frames, encoder, where)
    raise InputError("point clouds are encoded by a LiDAR encoder, and images by an image tower.")


def _encoded(
    source: _Source, frames: Mapping[str, int], batch: int, workers: int, done: Callable[[object], None] | None
) -> Generator[tuple[str, NDArray[np.float32]]]:
    """The rows of each scene, whose files are read ahead of the encoder, as many as two batches."""
    keys = ((scene, frame) for scene, count in frames.items() for frame in range(count))
    with closing(read_ahead(source.load, keys, workers, held=2 * batch)) as loaded:
        for scene, count in frames.items():
            rows = []
            for start in range(0, count, batch):
                part = list(islice(loaded, min(batch, count - start)))
                with memory_for(batch):
                    rows.append(source.embed(part))
                if done is not None:
                    for frame in range(start, start + len(part)):
                        done((scene, frame))
            yield scene, np.concatenate(rows)
