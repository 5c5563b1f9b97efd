"""What the questions of a sheet show, embedded so that the sheet stays small enough to be sent and opened."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from io import BytesIO
from typing import NamedTuple

from PIL import Image

from probe4d.errors import InputError
from probe4d.evidence.pictures import Picture
from probe4d.report.embedded_photographs import MOST_BYTES, Size, encoded
from probe4d.runs.prepared import Prepared
from probe4d.runs.requests import rendered

__all__ = ["BYTES", "SheetPictures", "sheet_pictures"]

BYTES = 48_000_000
"""Of all pictures of a sheet, as they stand in it."""

_OF_BASE64 = 3 / 4
_QUALITY = 85


class SheetPictures(NamedTuple):
    """The pictures of a sheet.

    Attributes:
        jpegs: Each distinct picture once, in base64.
        of: Numbers of the pictures of a question in the order shown, by its id.
        labels: Frame numbers that are written into them, likewise.
        reasons: Why a question has none, by its id, alike for all that have none for the same reason.
        problems: The same with what is the matter with this question's.
    """

    jpegs: tuple[str, ...]
    of: dict[str, tuple[int, ...]]
    labels: dict[str, tuple[int, ...]]
    reasons: dict[str, str]
    problems: dict[str, str]


def sheet_pictures(prepared: Prepared, identities: Sequence[str], *, workers: int | None = None) -> SheetPictures:
    """Render the pictures of questions; what cannot be shown is told in its place.

    Args:
        prepared: The questions as a run would ask them.
        identities: Ids of those that the sheet holds, in its order.
        workers: Threads that render; null takes one for each processor.
    """
    reasons = {one.question: one.reason for one in prepared.left_out}
    problems = {one.question: one.detail or one.reason for one in prepared.left_out}
    shown = {identity: prepared.shown.of[identity].pictures for identity in identities if identity not in problems}
    distinct = {picture for pictures in shown.values() for picture in pictures}
    most_bytes = min(MOST_BYTES, int(_OF_BASE64 * BYTES / max(1, len(distinct))))
    jpegs: dict[Picture, str] = {}
    with prepared.rendering(workers=workers) as renderer:
        for (identity, pictures), images in rendered((((key, own), own) for key, own in shown.items()), renderer):
            if isinstance(images, InputError):
                reasons[identity], problems[identity] = images.what, str(images)
                continue
            for picture, image in zip(pictures, images, strict=False):  # without a renderer there are no images
                if picture not in jpegs:
                    jpegs[picture] = _small(image.content, most_bytes)
    number = {picture: place for place, picture in enumerate(jpegs)}
    drawn = {key: own for key, own in shown.items() if key not in problems and own}
    return SheetPictures(
        tuple(jpegs.values()),
        {key: tuple(number[picture] for picture in own) for key, own in drawn.items()},
        {key: tuple(picture.label for picture in own) for key, own in drawn.items()},
        reasons,
        problems,
    )


def _small(content: bytes, most_bytes: int) -> str:
    with Image.open(BytesIO(content)) as opened:
        image = opened.convert("RGB")
    return base64.b64encode(encoded(image, Size(max(image.size), _QUALITY, most_bytes))).decode()
