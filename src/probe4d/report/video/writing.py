"""Pictures written as a video, an animation or a folder of PNG files: whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from probe4d.extras import needed
from probe4d.store.files import whole_file, write_error
from probe4d.store.folders import refuse_full, whole_folder

__all__ = ["load_encoder", "refuse_taken", "write_pictures"]

_CODEC, _PIXELS = "libx264", "yuv420p"
_ENCODING = {"crf": "18", "preset": "veryfast", "threads": "1"}
_BT709 = 1
"""Colours of high definition, as ITU-T H.273 numbers them: primaries, transfer and matrix."""
_WEBP_QUALITY, _WEBP_EFFORT = 80, 2
_LARGEST_DENOMINATOR = 1000


def load_encoder(form: str) -> None:
    """See that what encodes a format is installed, before anything is drawn.

    Raises:
        InputError: It is not.
    """
    if form == "MP4":
        needed("av", extra="video", user="an MP4")


def refuse_taken(path: Path, form: str) -> None:
    """Refuse a folder of pictures that cannot be made, before anything is drawn.

    Raises:
        InputError: The place is taken.
    """
    if form == "PNG":
        refuse_full(path)


def write_pictures(pictures: Iterator[tuple[int, Image.Image]], path: Path, form: str, fps: float) -> None:
    """Write pictures.

    Args:
        pictures: Key frame and picture, RGB, all of one size, at least one; drawn while they are written.
        path: The file, or the folder for PNG files, which are called `000.png` and so on by their key frame.
        form: MP4, GIF, WebP or PNG.
        fps: Pictures a second.

    Raises:
        InputError: The place cannot be written to.
        RunError: Writing failed, for example because the disk is full.
    """
    if form == "PNG":
        with whole_folder(path) as folder:
            for frame, picture in pictures:
                _save(picture, folder / f"{frame:03d}.png", "PNG")
        return
    with whole_file(path) as temporary:
        if form == "MP4":
            _write_mp4(pictures, temporary, fps)
        else:
            _write_animation((picture for _, picture in pictures), temporary, form, fps)


def _write_mp4(pictures: Iterator[tuple[int, Image.Image]], path: Path, fps: float) -> None:
    """H.264 in an MP4 whose index stands at its beginning, which browsers play while they fetch it."""
    import av

    rate = Fraction(fps).limit_denominator(_LARGEST_DENOMINATOR)
    with av.open(str(path), "w", format="mp4", options={"movflags": "+faststart"}) as container:
        stream = None
        for _, picture in pictures:
            if stream is None:
                stream = _stream(container, picture.size, rate)
            drawn = av.VideoFrame.from_ndarray(np.asarray(picture), format="rgb24")
            container.mux(stream.encode(drawn.reformat(format=_PIXELS, dst_colorspace="ITU709")))
        if stream is not None:
            container.mux(stream.encode())


def _stream(container: Any, size_px: tuple[int, int], rate: Fraction) -> Any:
    stream = container.add_stream(_CODEC, rate=rate, options=dict(_ENCODING))
    stream.width, stream.height = size_px
    stream.pix_fmt = _PIXELS
    context = stream.codec_context
    context.color_primaries = context.color_trc = context.colorspace = _BT709
    return stream


def _write_animation(pictures: Iterator[Image.Image], path: Path, form: str, fps: float) -> None:
    options: dict[str, Any] = {"quality": _WEBP_QUALITY, "method": _WEBP_EFFORT}
    if form == "GIF":
        pictures = map(_in_palette, pictures)
        options = {"optimize": False, "disposal": 1}
    first = next(pictures)
    _save(first, path, form, save_all=True, append_images=pictures, duration=round(1000 / fps), loop=0, **options)


def _in_palette(picture: Image.Image) -> Image.Image:
    return picture.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)


def _save(picture: Image.Image, path: Path, form: str, **options: Any) -> None:
    try:
        with path.open("wb") as file:  # Pillow would leave its own open where the drawing of a later one breaks off
            picture.save(file, form.upper(), **options)
    except OSError as error:
        raise write_error(path, error) from error
