"""Asks a detector about the images of a camera, and keeps what it finds image by image."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path

import msgspec
import polars as pl

from probe4d.errors import InputError
from probe4d.evidence.camera_images import CameraImages
from probe4d.models.detectors.detector import Detection, Detector
from probe4d.models.local.reading_ahead import read_ahead, refuse_absent
from probe4d.store.job_folder import hold_folder
from probe4d.store.logs import append_lines, read_lines

__all__ = ["detect"]

JOB_FILE = "detector.json"
JOURNAL_FILE = "detections.jsonl"

_WORDS_AND_NUMBERS = {
    "category": pl.String(),
    "left_px": pl.Float64(),
    "top_px": pl.Float64(),
    "right_px": pl.Float64(),
    "bottom_px": pl.Float64(),
    "confidence": pl.Float64(),
    "mask_quality": pl.Float64(),
    "area_px": pl.Float64(),
}


class _Job(msgspec.Struct, frozen=True, kw_only=True):
    """What the folder of a detection holds; a repetition has to ask for the same."""

    detector: str
    fingerprint: str
    prompts: tuple[str, ...]
    channel: str
    dataset: str
    version: int = 1


class _Seen(msgspec.Struct, frozen=True):
    """One line of the journal: an image, and everything that was found in it."""

    scene: str
    frame: int
    found: tuple[Detection, ...]


def detect(
    images: CameraImages,
    detector: Detector,
    prompts: Sequence[str],
    out: Path | str,
    *,
    scenes: Sequence[str] | None = None,
    batch: int = 1,
    workers: int = 2,
    begun: Callable[[int, int], None] | None = None,
    done: Callable[[object], None] | None = None,
) -> pl.DataFrame:
    """Find objects in the images of a camera.

    What is found in an image is on disk before the next batch is looked at, so that a command that was broken off goes
    on where it stopped.

    Args:
        images: The images.
        detector: Finds objects.
        prompts: What is looked for.
        out: Folder of the journal, new or of the same detector, prompts, camera and dataset.
        scenes: Names; null is all.
        batch: Images that are looked at together.
        workers: Threads that read files ahead.
        begun: Told the number of images, and how many of them were done before.
        done: Told of each finished image.

    Returns:
        A row for everything that was found: `scene`, `frame`, `channel`, and the fields of `Detection`; sorted by scene
        and frame. Key frames of which the camera has no image have none.

    Raises:
        InputError: A number is below 1, there is no prompt, a scene is not in the dataset, an image is missing or
            cannot be used, or the folder holds something else.
        RunError: The memory does not suffice, or the disk is full.
    """
    if batch < 1 or workers < 1:
        raise InputError(f"batch and workers must be at least 1, not {batch} and {workers}.")
    if not prompts:
        raise InputError("a detector needs at least one prompt.")
    wanted = _images(images, scenes)
    folder, journal = Path(out), Path(out) / JOURNAL_FILE
    job = _Job(
        detector=detector.name,
        fingerprint=detector.fingerprint,
        prompts=tuple(prompts),
        channel=images.channel,
        dataset=images.scenes.fingerprint,
    )
    with hold_folder(folder, JOB_FILE, job, job="detection"):
        seen = {(line.scene, line.frame): line for line in _lines(journal)}
        missing = [key for key in wanted if key not in seen]
        _refuse_absent(images, missing)
        if begun is not None:
            begun(len(wanted), len(wanted) - len(missing))
        with closing(read_ahead(images.of, missing, workers, held=2 * batch)) as loaded:
            for start in range(0, len(missing), batch):
                keys = missing[start : start + batch]
                found = detector.detect(list(islice(loaded, len(keys))), prompts)
                lines = [_Seen(*key, tuple(of_image)) for key, of_image in zip(keys, found, strict=True)]
                append_lines(journal, lines)
                seen |= {(line.scene, line.frame): line for line in lines}
                if done is not None:
                    for key in keys:
                        done(key)
    return _table([seen[key] for key in wanted], images.channel)


def _images(images: CameraImages, scenes: Sequence[str] | None) -> list[tuple[str, int]]:
    """Scenes and key frames of the images, sorted."""
    names = images.scenes.names if scenes is None else sorted(set(scenes))
    for name in names:
        images.frames(name)  # a name that there is not is refused
    taken = images.scenes.sensors.filter((pl.col("channel") == images.channel) & pl.col("scene").is_in(names))
    return list(taken.select("scene", "frame").sort("scene", "frame").iter_rows())


def _refuse_absent(images: CameraImages, wanted: Collection[tuple[str, int]]) -> None:
    """See that the files of images are there, before any is looked at."""
    missing = images.missing({scene for scene, _ in wanted})
    refuse_absent([missing[key] for key in wanted if key in missing], "image")


def _lines(journal: Path) -> Iterator[_Seen]:
    """What a journal holds; a line that a kill cut short is done again."""
    if journal.exists():
        for _, line in read_lines(journal, _Seen, tails=[]):
            yield line


def _table(lines: Sequence[_Seen], channel: str) -> pl.DataFrame:
    found = [(line.scene, line.frame, channel, *msgspec.structs.astuple(one)) for line in lines for one in line.found]
    keys = {"scene": pl.String(), "frame": pl.Int32(), "channel": pl.String()}
    return pl.DataFrame(found, schema=keys | _WORDS_AND_NUMBERS, orient="row")
