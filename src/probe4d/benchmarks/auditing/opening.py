"""What an audit begins with: the parameters of the build, and the folder of tables that it was built from."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError

__all__ = ["build_parameters", "tables_folder"]

Parameters = TypeVar("Parameters")


def build_parameters(benchmark: Benchmark, kind: type[Parameters]) -> Parameters:
    """The parameters of the build as `benchmark.json` has them.

    Args:
        benchmark: The benchmark.
        kind: A struct with the parameters that are wanted.

    Raises:
        InputError: The benchmark was imported, not built, or a parameter does not fit.
    """
    if benchmark.record.parameters.get("imported"):
        raise InputError(
            "was imported, not built: its answers are the release's, and no dataset holds what they follow from.",
            path=benchmark.path,
            remedy="Check a benchmark that `probe4d build` wrote.",
        )
    try:
        return msgspec.convert(benchmark.record.parameters, kind)
    except msgspec.ValidationError as error:
        raise InputError(
            f"benchmark.json holds a parameter that does not fit ({error}).",
            path=benchmark.path,
            remedy="Build the benchmark again.",
        ) from error


def tables_folder(dataroot: Path, built_from: str, version: str | None) -> Path:
    """Find the folder of tables.

    Args:
        dataroot: Folder of the dataset, or the folder of tables itself.
        built_from: Name of the folder of tables that the benchmark was built from.
        version: Name of the folder to use in its place; null is that one.

    Raises:
        InputError: It is not there, or cannot be read.
    """
    for folder in (dataroot, dataroot / built_from) if version is None else (dataroot / version,):
        try:
            if (folder / "sample_annotation.json").is_file():
                return folder
        except OSError as error:
            raise InputError(
                f"cannot be read ({error.strerror}).", path=folder, remedy="Give a folder that you may read."
            ) from error
    which = f"{built_from!r}, which the benchmark was built from" if version is None else repr(version)
    raise InputError(
        f"holds no tables of version {which}.",
        path=dataroot,
        remedy="Give the dataset's folder, or name another version with --version.",
    )
