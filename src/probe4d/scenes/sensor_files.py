"""Reads sensor files of a dataset."""

from __future__ import annotations

from pathlib import Path

from probe4d.errors import InputError

__all__ = ["FETCH_AGAIN", "read_sensor_file", "unreadable"]

FETCH_AGAIN = "Fetch it again."
"""The remedy for a sensor file that is damaged."""


def read_sensor_file(path: Path) -> bytes:
    """The content of a sensor file.

    Raises:
        InputError: It cannot be read.
    """
    try:
        return path.read_bytes()
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """The error for people where a sensor file cannot be read."""
    return InputError(
        f"cannot be read ({error.strerror}).", path=path, remedy="Check that the dataset's sensor files are there."
    )
