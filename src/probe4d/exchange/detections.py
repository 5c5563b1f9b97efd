"""Reads boxes that any tool found in camera images."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import msgspec
import polars as pl

from probe4d.errors import InputError
from probe4d.scenes.estimated.detections import checked_detections, front_camera
from probe4d.scenes.estimated.schema import BOX, DETECTIONS_SCHEMA
from probe4d.scenes.tables import Scenes
from probe4d.store.rows import read_records
from probe4d.wording import listed

__all__ = ["read_detections"]

_SUFFIXES = (".csv", ".jsonl", ".parquet")
_ALWAYS = ("category", *BOX, "confidence")
_FORMAT = "See docs/detections.md for the columns of a file of detections."


class _Detection(msgspec.Struct):
    """A row of a file: its image by scene and frame, or by file, its class, its box, how sure its tool is."""

    category: str
    left_px: float
    top_px: float
    right_px: float
    bottom_px: float
    confidence: float
    scene: str | None = None
    frame: int | None = None
    file: str | None = None
    channel: str | None = None
    mask_quality: float | None = None
    area_px: float | None = None


_COLUMNS: dict[str, pl.DataType] = DETECTIONS_SCHEMA | {"file": pl.String()}


def read_detections(path: Path | str, scenes: Scenes, *, channel: str | None = None) -> pl.DataFrame:
    """Read detections that any tool made, and see that each fits its image.

    Args:
        path: A `.csv`, `.jsonl` or `.parquet` file with a row a box: `scene` and `frame`, or `file` (the image's path
            as the dataset's tables have it), `category`, `left_px`, `top_px`, `right_px`, `bottom_px` and
            `confidence`; `channel`, `mask_quality` and `area_px` may be left out.
        scenes: The scenes that they are of.
        channel: The camera of rows that name neither channel nor file; null takes the one ahead.

    Returns:
        Columns of `DETECTIONS_SCHEMA`, in the order of the file.

    Raises:
        InputError: The file cannot be read, lacks a column, or a row does not fit (see
            `probe4d.scenes.estimated.detections.checked_detections`); the sentence names the row.
    """
    path = Path(path)
    if path.suffix not in _SUFFIXES:
        raise InputError(
            f"is no file of detections: its name must end in {listed(_SUFFIXES, 'or')}.", path=path, remedy=_FORMAT
        )
    if not path.is_file():
        raise InputError("there is no such file of detections.", path=path, remedy=_FORMAT)
    table, row = _from_parquet(path) if path.suffix == ".parquet" else _from_rows(path)
    named = _with_images(table, scenes, path, row)
    usual = front_camera(scenes) if channel is None else channel
    return checked_detections(named.with_columns(pl.col("channel").fill_null(usual)), scenes, path=path, row=row)


def _from_rows(path: Path) -> tuple[pl.DataFrame, Callable[[int], str]]:
    """The rows of a text file as columns, and what names them."""
    where: list[str] = []
    columns: dict[str, list[object]] = {name: [] for name in _COLUMNS}
    for place, record in read_records(path, _Detection, columns=_ALWAYS):
        where.append(place)
        for name, values in columns.items():
            values.append(getattr(record, name))
    return pl.DataFrame(columns, schema=_COLUMNS, strict=False), where.__getitem__


def _from_parquet(path: Path) -> tuple[pl.DataFrame, Callable[[int], str]]:
    try:
        table = pl.read_parquet(path, glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise InputError(f"is no readable parquet file ({error}).", path=path, remedy=_FORMAT) from error
    for name in _ALWAYS:
        if name not in table.columns:
            raise InputError(f"has no {name!r}; found are {', '.join(table.columns)}.", path=path, remedy=_FORMAT)
    if table.is_empty():
        raise InputError("holds no row.", path=path, remedy="Give the whole file, or leave it out.")
    missing = [pl.lit(None, kind).alias(name) for name, kind in _COLUMNS.items() if name not in table.columns]
    try:
        typed = table.with_columns(missing).select(list(_COLUMNS)).cast(dict(_COLUMNS))  # type: ignore[arg-type]
    except pl.exceptions.PolarsError as error:
        raise InputError(f"holds a value of the wrong type ({error}).", path=path, remedy=_FORMAT) from error
    return typed, lambda number: f"row {number + 1}"


def _with_images(table: pl.DataFrame, scenes: Scenes, path: Path, row: Callable[[int], str]) -> pl.DataFrame:
    """Rows with scene, frame and channel, found by their file where they name one."""
    images = scenes.sensors.filter(pl.col("modality") == "camera").select(
        "file", of_scene="scene", of_frame="frame", of_channel="channel"
    )
    joined = table.join(images, on="file", how="left", maintain_order="left")
    lost = joined.with_row_index("number").filter(pl.col("file").is_not_null() & pl.col("of_scene").is_null())
    if lost.height:
        raise InputError(
            f"is of the file {lost['file'][0]!r}, which is no camera image of the dataset's key frames.",
            path=path,
            row=row(lost["number"][0]),
            remedy="Give its path as the dataset's tables have it, or scene and frame.",
        )
    return joined.with_columns(
        pl.coalesce("scene", "of_scene").alias("scene"),
        pl.coalesce("frame", "of_frame").alias("frame"),
        pl.coalesce("channel", "of_channel").alias("channel"),
    ).select(list(DETECTIONS_SCHEMA))
