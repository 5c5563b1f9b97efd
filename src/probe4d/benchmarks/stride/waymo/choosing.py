"""Which edition of STRIDE a dataset gets, and where its estimated objects come from."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from probe4d.benchmarks.stride.editions import ANNOTATED, Edition
from probe4d.benchmarks.stride.templates import Template
from probe4d.benchmarks.stride.waymo.driving import is_end_to_end
from probe4d.benchmarks.stride.waymo.edition import waymo_edition
from probe4d.errors import InputError
from probe4d.scenes.estimated.objects_file import read_objects_record
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import file_digest

__all__ = ["ObjectsSource", "edition_of", "objects_source"]

_ESTIMATE = "Estimate them with `probe4d detect DATAROOT --out objects.parquet`, and give --objects objects.parquet"


class ObjectsSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where estimated objects come from, as `benchmark.json` has it.

    Attributes:
        sha256: Of the file of objects.
        detector: What found them.
        channel: The camera in whose images.
        objects: How many the file holds.
    """

    sha256: str
    detector: str
    channel: str
    objects: int


def edition_of(scenes: Scenes, objects: Path | str | None, horizon_s: float | None) -> Edition:
    """The edition for scenes.

    Args:
        scenes: All scenes of a dataset.
        objects: File of estimated objects.
        horizon_s: How far ahead TRJ-5 asks.

    Raises:
        InputError: Objects or a horizon are given for annotated scenes, or as `waymo_edition` says.
    """
    if is_end_to_end(scenes):
        return waymo_edition(scenes, None if objects is None else Path(objects), horizon_s)
    for option, value in (("estimated objects", objects), ("a horizon", horizon_s)):
        if value is not None:
            raise InputError(
                f"{option} can be given for Waymo's end-to-end data only, and this is other data.",
                path=scenes.root / scenes.version,
                remedy="Leave --objects and --horizon out.",
            )
    return ANNOTATED


def objects_source(scenes: Scenes, asked: Sequence[Template], objects: Path | str | None) -> ObjectsSource | None:
    """Where the estimated objects come from; null where there are none and no template asked for needs them.

    Raises:
        InputError: A template needs objects and there are none, or the file cannot be read.
    """
    if objects is not None:
        record = read_objects_record(objects)
        return ObjectsSource(
            sha256=file_digest(objects),
            detector=record.detector,
            channel=record.channel,
            objects=record.objects,
        )
    if needing := [template.id for template in asked if template.is_estimated]:
        raise InputError(
            f"has no annotated objects, and {', '.join(needing)} ask about objects.",
            path=scenes.root / scenes.version,
            remedy=f"{_ESTIMATE}; or name other templates (--templates).",
        )
    return None
