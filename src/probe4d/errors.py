"""The errors that people see: what is wrong, where, what was expected, what to do."""

from __future__ import annotations

from pathlib import Path

__all__ = ["InputError", "Probe4DError", "RunError"]


class Probe4DError(Exception):
    """Base of every error that Probe4D raises on purpose; its message is one or two plain sentences."""

    exit_code = 1


class InputError(Probe4DError):
    """Something given to Probe4D is wrong; the command line ends with exit code 2.

    Args:
        what: What is wrong and what was expected, as one sentence.
        path: The file or folder at fault, put before the sentence.
        row: The row, line or token inside that file.
        remedy: What the reader can do about it, put after the sentence.

    Attributes:
        what: What is wrong, alike for everything that is wrong in the same way.
    """

    exit_code = 2

    def __init__(
        self, what: str, *, path: Path | str | None = None, row: int | str | None = None, remedy: str | None = None
    ) -> None:
        self.what = what
        self.path = None if path is None else Path(path)
        self.row = row
        places = [path, f"row {row}" if isinstance(row, int) else row]
        where = ", ".join(str(place) for place in places if place is not None)
        message = f"{where}: {what}" if where else what
        super().__init__(f"{message} {remedy}" if remedy else message)


class RunError(Probe4DError):
    """The input was right and the work failed all the same; the command line ends with exit code 1."""
