"""Makes requests of a suite's prompts, with the pictures that they show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from probe4d.benchmarks.generating import Picture, Prompt
from probe4d.errors import InputError
from probe4d.evidence.image import Image, image_of, jpeg_of
from probe4d.evidence.photographs import open_photograph
from probe4d.models.asking import Finished
from probe4d.models.local.reading_ahead import read_ahead
from probe4d.models.request import Request
from probe4d.store.files import inside

__all__ = ["pictured_requests"]

_JPEG_QUALITY = 85
_WORKERS = 4
_PICTURES_HELD = 64
"""Most pictures that are read and not sent: those of two prompts of the longest sequences."""


def pictured_requests(
    prompts: Sequence[Prompt], root: Path, *, seed: int | None, workers: int | None = None
) -> Iterator[Request | Finished]:
    """Make a request of each prompt; pictures are read ahead of who takes them, in memory that is bounded.

    Args:
        prompts: The prompts.
        root: The dataset's folder, to which the files of pictures are relative.
        seed: Seed of the generation.
        workers: Threads that read pictures; null takes four.

    Yields:
        A request, or the request as finished with its failure where a picture cannot be read.
    """

    def load(file: str, longest_side_px: int) -> Image | InputError:
        try:
            return _picture(root, Picture(file, longest_side_px))
        except InputError as error:
            return error

    shown = ((picture.file, picture.longest_side_px) for prompt in prompts for picture in prompt.pictures)
    loaded = read_ahead(load, shown, workers or _WORKERS, held=_PICTURES_HELD)
    try:
        for prompt in prompts:
            pictures = [next(loaded) for _ in prompt.pictures]
            request = Request(key=prompt.key, text=prompt.text, seed=seed)
            fault = next((one for one in pictures if isinstance(one, InputError)), None)
            if fault is not None:
                yield Finished(request, None, str(fault))
            else:
                images = tuple(one for one in pictures if isinstance(one, Image))
                yield msgspec.structs.replace(request, images=images)
    finally:
        loaded.close()


def _picture(root: Path, picture: Picture) -> Image:
    box_px = (picture.longest_side_px, picture.longest_side_px)
    pixels = open_photograph(inside(root, picture.file), box_px, may_grow=False)
    return image_of(jpeg_of(pixels, _JPEG_QUALITY), "image/jpeg")
