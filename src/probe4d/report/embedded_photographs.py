"""Camera images for pages: small, a fixed number of them, chosen so that every kind of question has some."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import msgspec
import polars as pl
from PIL import Image

from probe4d.benchmarks.question import Question
from probe4d.errors import InputError
from probe4d.evidence.photographs import open_photograph
from probe4d.report.camera_panels import CameraView
from probe4d.scenes.sensor_files import list_files, unlisted
from probe4d.store.files import inside

__all__ = [
    "LARGE",
    "MOST_BYTES",
    "MOST_PHOTOGRAPHS",
    "SMALL",
    "Photograph",
    "Photographs",
    "Size",
    "encoded",
    "in_turn",
]

MOST_PHOTOGRAPHS = 200
MOST_BYTES = 60_000


class Size(NamedTuple):
    """How large a photograph becomes: longest side in pixels, JPEG quality, and the most bytes."""

    side_px: int
    quality: int
    most_bytes: int | None


SMALL = Size(800, 80, MOST_BYTES)
"""For pages that hold many."""
LARGE = Size(1600, 90, None)
"""For a picture of its own."""

_SMALLER = 0.85
_LOWEST_QUALITY = 50
_QUALITY_STEP = 10


class Photograph(msgspec.Struct, frozen=True, omit_defaults=True):
    """A camera image, or why there is none.

    Attributes:
        jpeg: The file, in base64.
        problem: What is wrong, as a sentence.
    """

    jpeg: str | None = None
    problem: str | None = None

    @property
    def address(self) -> str | None:
        """As a data URL."""
        return None if self.jpeg is None else f"data:image/jpeg;base64,{self.jpeg}"


class Photographs:
    """Reads and scales camera images; what is wrong with a file is told in place of its image.

    Args:
        root: The dataset's folder.
        size: How large they become.
    """

    def __init__(self, root: Path, size: Size) -> None:
        self._root = root
        self._size = size
        self._read: dict[CameraView, Photograph] = {}

    def of(self, view: CameraView) -> Photograph:
        """A camera image; read once, however often it is asked for."""
        if view not in self._read:
            try:
                self._read[view] = Photograph(jpeg=base64.b64encode(self._scaled(view)).decode())
            except InputError as error:
                self._read[view] = Photograph(problem=f"The image {view.file} {error.what}")
        return self._read[view]

    def missing(self, views: Mapping[str, CameraView]) -> dict[str, Photograph]:
        """Those of some views whose files are not there, with that as their problem."""
        files = pl.DataFrame(
            {"key": list(views), "filename": [view.file for view in views.values()]},
            schema={"key": pl.String, "filename": pl.String},
        )
        absent = list_files(self._root, files).filter(~pl.col("exists") | pl.col("outside"))
        return {
            key: Photograph(problem=f"The image {file} {unlisted(self._root, file).what}")
            for key, file in absent.select("key", "filename").iter_rows()
        }

    def _scaled(self, view: CameraView) -> bytes:
        wide, high = view.size_px
        scale = min(1.0, self._size.side_px / max(wide, high))
        box = max(1, round(wide * scale)), max(1, round(high * scale))
        path = inside(self._root, view.file)
        image = open_photograph(path, box)
        if any(abs(side - wanted) > 1 for side, wanted in zip(image.size, box, strict=True)):
            raise InputError(f"is not {wide} by {high} pixels or a like shape, as the dataset's tables say.", path=path)
        return encoded(image, self._size)


def in_turn(questions: Sequence[Question], views: Mapping[str, str], wrong: Iterable[str]) -> list[str]:
    """Views in the order in which they are embedded until there are enough.

    Of the questions of each template that a run got wrong, and of those that none did, each gives its k-th before
    any gives its next one; within them the ids decide, which are hashes.

    Args:
        questions: The questions, in any order.
        views: Key of the view of each question that has one, by id.
        wrong: Ids of the questions that a run got wrong.
    """
    was_wrong = set(wrong)
    turns: dict[tuple[str, bool], int] = {}
    ordered = []
    for question in sorted((one for one in questions if one.id in views), key=lambda one: one.id):
        stratum = (question.template, question.id in was_wrong)
        turns[stratum] = turns.get(stratum, 0) + 1
        ordered.append((turns[stratum], question.id))
    return list(dict.fromkeys(views[identity] for _, identity in sorted(ordered)))


def encoded(image: Image.Image, size: Size) -> bytes:
    """An image as JPEG of at most so many bytes: first of less quality, then smaller; its side is left as it is."""
    quality = size.quality
    while True:
        content = BytesIO()
        image.save(content, "JPEG", quality=quality)
        if size.most_bytes is None or content.tell() <= size.most_bytes:
            return content.getvalue()
        if quality > _LOWEST_QUALITY:
            quality -= _QUALITY_STEP
        else:
            smaller = [max(1, round(side * _SMALLER)) for side in image.size]
            image = image.resize((smaller[0], smaller[1]), Image.Resampling.HAMMING)
