"""Objects of camera-only data: from what a file holds or a model finds, to the file of objects."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import polars as pl

from probe4d.errors import InputError
from probe4d.evidence.camera_images import CameraImages
from probe4d.exchange.detections import read_detections
from probe4d.models.detectors.detecting import detect
from probe4d.models.detectors.loading import load_detector
from probe4d.scenes.estimated.detections import front_camera
from probe4d.scenes.estimated.estimating import EstimatedObjects, estimate_objects
from probe4d.scenes.estimated.filters import DetectionFilters
from probe4d.scenes.estimated.objects_file import write_objects
from probe4d.scenes.estimated.road_users import ROAD_USER_PROMPTS
from probe4d.scenes.nuscenes_writing.watching import Stages, unwatched
from probe4d.scenes.tables import Scenes

__all__ = ["detect_objects"]

_OBJECTS_SUFFIX = ".parquet"
_JOURNAL_SUFFIX = ".detections"


def detect_objects(
    data: Scenes,
    out: Path | str,
    *,
    detections: Path | str | None = None,
    model: str | None = None,
    scenes: Sequence[str] | None = None,
    channel: str | None = None,
    filters: DetectionFilters | None = None,
    device: str | None = None,
    batch: int = 1,
    workers: int = 2,
    stages: Stages = unwatched,
) -> EstimatedObjects:
    """Estimate where road users are from the images of one camera and flat ground (STRIDE, A.1), and write them.

    What a model finds is kept beside the objects image by image, so that a call that was broken off goes on when it is
    repeated.

    Args:
        data: The dataset.
        out: File of the objects, `.parquet`; what a model finds is kept beside it in a folder of that name and
            `.detections`.
        detections: File of what any tool found (see `read_detections`); it may hold more scenes than are taken.
        model: A detector that is asked instead (see `load_detector`), for each of `ROAD_USER_PROMPTS`.
        scenes: Names of the scenes that are taken; null is all.
        channel: The camera; null takes the one ahead.
        filters: What an object has to be; null takes the usual values.
        device: Where the model runs; null takes an accelerator where there is one.
        batch: Images that the model looks at together.
        workers: Threads that read files ahead.
        stages: Begins the asking of the model, for a progress bar.

    Raises:
        InputError: There is not one of a file and a model, `out` is no `.parquet`, there is no such scene, camera or
            model, or the file does not fit the dataset.
        RunError: The memory does not suffice, or the disk is full.
    """
    path = Path(out)
    if path.suffix != _OBJECTS_SUFFIX:
        raise InputError(f"the file of objects must end in {_OBJECTS_SUFFIX}.", path=path)
    taken = data if scenes is None else data.select(scenes)
    if model is None and detections is not None:
        every = read_detections(detections, data, channel=channel)
        found, by = every.filter(pl.col("scene").is_in(taken.names)), Path(detections).name
    elif model is not None and detections is None:
        images = CameraImages(taken, front_camera(taken) if channel is None else channel)
        detector = load_detector(model, device=device)
        journal = path.with_suffix(_JOURNAL_SUFFIX)
        with stages("Looking at images") as done:
            looking = partial(detect, batch=batch, workers=workers, begun=done.expect, done=done)
            found = looking(images, detector, ROAD_USER_PROMPTS, journal)
        by = f"{detector.name} {detector.fingerprint[:16]}"
    else:
        raise InputError(
            "objects come from a file or from a model.",
            remedy="Give one: detections (detections=, --detections FILE) or a model (model=, --model sam3:FOLDER).",
        )
    estimated = estimate_objects(taken, found, filters=filters, channel=channel, detector=by)
    write_objects(estimated, path)
    return estimated
