"""Rules about sensor files. Of files other than those of key frames only the presence is looked at."""

from __future__ import annotations

import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rule import Severity, rule
from probe4d.scenes.sensor_files import list_files

POINT_BYTES = 20
"""Five 32-bit numbers a point: x, y, z, intensity, ring (nuscenes-devkit, `LidarPointCloud`)."""

_NEEDS = ("sample_data",)


def _wrong_files(data: Dataset, is_wrong: pl.Expr) -> pl.Series:
    """Names of the files inside the dataset for which the expression holds."""
    return data.files.filter(~pl.col("outside") & is_wrong)["filename"]


_MISSING = ~pl.col("exists") & pl.col("other_case").is_null()


@rule(
    "FIL001",
    "file-missing",
    Severity.WARNING,
    "The sensor file of a key frame is not in the dataset folder.",
    "Fetch it, if its sensor is to be shown to a model; geometry does without.",
    needs=_NEEDS,
)
def _file_missing(data: Dataset) -> pl.Series:
    return _wrong_files(data, _MISSING & pl.col("is_key_frame"))


@rule(
    "FIL002",
    "sweep-missing",
    Severity.INFO,
    "The sensor file of a reading between key frames is not in the dataset folder.",
    "Nothing; only key frames are used unless sweeps are asked for.",
    needs=_NEEDS,
)
def _sweep_missing(data: Dataset) -> pl.Series:
    return _wrong_files(data, _MISSING & ~pl.col("is_key_frame"))


@rule(
    "FIL003",
    "file-wrong-case",
    Severity.WARNING,
    "A sensor file is there, but its name differs in upper and lower case.",
    "Rename the file as the table has it; not every file system tells the two apart.",
    needs=_NEEDS,
)
def _file_wrong_case(data: Dataset) -> pl.Series:
    return _wrong_files(data, pl.col("other_case").is_not_null())


@rule(
    "FIL004",
    "file-outside",
    Severity.ERROR,
    "A filename leads out of the dataset folder: it is absolute, holds '..' or '\\', or is or follows such a link.",
    "Mend the name, or put the file itself there; of links only whole folders (samples, samples/CAM_FRONT) count.",
    needs=_NEEDS,
)
def _file_outside(data: Dataset) -> pl.Series:
    return data.files.filter("outside")["token"]


@rule(
    "FIL005",
    "file-empty",
    Severity.ERROR,
    "The sensor file of a key frame has no content.",
    "Fetch it again.",
    needs=_NEEDS,
)
def _file_empty(data: Dataset) -> pl.Series:
    return _wrong_files(data, pl.col("size") == 0)


@rule(
    "FIL006",
    "point-file-short",
    Severity.ERROR,
    f"The size of a LiDAR file (.bin) is no multiple of {POINT_BYTES} bytes, so that a point is cut off.",
    "Fetch it again; points need five 32-bit numbers: x, y, z, intensity, ring.",
    needs=_NEEDS,
)
def _point_file_short(data: Dataset) -> pl.Series:
    return _wrong_files(data, pl.col("filename").str.ends_with(".bin") & (pl.col("size") % POINT_BYTES != 0))


@rule(
    "FIL007",
    "file-used-twice",
    Severity.WARNING,
    "Two readings name the same file.",
    "Check the filename of both.",
    needs=_NEEDS,
)
def _file_used_twice(data: Dataset) -> pl.Series:
    readings = data["sample_data"].filter(pl.col("filename") != "")
    return readings.filter(~pl.col("filename").is_first_distinct())["token"]


@rule(
    "FIL008",
    "map-missing",
    Severity.INFO,
    "A map image is not in the dataset folder.",
    "Nothing here needs it; nuscenes-devkit does not open the dataset without it.",
    needs=("map",),
)
def _map_missing(data: Dataset) -> pl.Series:
    return list_files(data.root, data["map"].select("filename")).filter(~pl.col("exists"))["filename"]
