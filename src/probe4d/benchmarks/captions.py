"""Captions of objects on disk: JSON lines, one a track, which a captioner or a person writes."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from probe4d.errors import InputError
from probe4d.store.files import write_bytes
from probe4d.store.logs import read_lines
from probe4d.wording import is_unseen

__all__ = ["Caption", "read_captions", "write_captions"]


class Caption(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a captions file.

    Attributes:
        track: Instance token of the object.
        caption: A noun phrase, as it will stand in questions; null where none was found.
    """

    track: str
    caption: str | None


def read_captions(path: Path | str) -> dict[str, str]:
    """Read a captions file: JSON lines of `Caption`.

    Returns:
        Captions by instance token; tracks without one are left out.

    Raises:
        InputError: There is no such file, a line is no caption, a caption has no word in it or a character that does
            not show, or a track has two.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(
            "there is no such file of captions.",
            path=path,
            remedy='Give JSON lines of {"track": TOKEN, "caption": TEXT}, as `probe4d caption` writes them.',
        )
    captions: dict[str, str] = {}
    seen: set[str] = set()
    for line, caption in read_lines(path, Caption):
        if caption.track in seen:
            raise InputError(f"has a second caption of track {caption.track}.", path=path, row=f"line {line}")
        seen.add(caption.track)
        if caption.caption is None:
            continue
        words = " ".join(caption.caption.split())
        if not words:
            raise InputError(
                "has a caption without a word.",
                path=path,
                row=f"line {line}",
                remedy="Write null where there is no caption.",
            )
        if (hidden := next(filter(is_unseen, words), None)) is not None:
            raise InputError(
                f"has a caption with a character that does not show (U+{ord(hidden):04X}): what a model reads would "
                "not be what a person sees.",
                path=path,
                row=f"line {line}",
                remedy="Write the caption without it, or null.",
            )
        captions[caption.track] = words
    return captions


def write_captions(captions: Iterable[Caption], path: Path) -> None:
    """Write a captions file, whole."""
    write_bytes(path, msgspec.json.Encoder().encode_lines(captions))
