"""What keeps a file of answers from being imported, all of it told at once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from probe4d.errors import InputError
from probe4d.store.files import write_bytes

__all__ = ["Problem", "refuse_problems"]

_LISTED = 10  # what a sentence can hold of each kind


class Problem(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing for which a file is refused: a line of the list of problems."""

    problem: Literal["unusable", "unknown", "repeated", "missing"]
    question: str
    variant: str | None = None
    where: str | None = None
    first: str | None = None
    why: str | None = None

    def __str__(self) -> str:
        name = self.question if self.variant is None else f"{self.question} ({self.variant})"
        match self.problem:
            case "unusable":
                return f"{self.where}, {name}: {self.why}"
            case "unknown":
                return f"{self.where}: {self.question!r}"
            case "repeated":
                return f"{self.where}: {name} as in {self.first}"
            case "missing":
                return name


_WORDS = {
    "unusable": ("rows that cannot be used", "mend these rows"),
    "unknown": (
        "rows that answer no question of this benchmark",
        "give the benchmark that the answers belong to (ids are in questions.parquet)",
    ),
    "repeated": ("rows that answer a question again", "keep one row of each"),
    "missing": (
        "answers that are missing",
        "add what is missing or import what is there (allow_missing=True, --allow-missing)",
    ),
}
"""What there is of each problem, and what helps."""


def refuse_problems(file: Path, problems: Sequence[Problem], *, answered: int, listing: Path | None = None) -> None:
    """Refuse a file with strangers, repetitions, gaps or rows of no use, and tell of all of these at once.

    Args:
        file: The file.
        problems: What is wrong with it.
        answered: How many answers of it can be used.
        listing: JSON-lines file that gets every problem, where there are any.

    Raises:
        InputError: There are any; the message counts them and lists the first ten of each kind.
    """
    if not problems:
        return
    of_kinds = {kind: [one for one in problems if one.problem == kind] for kind in _WORDS}
    expected = {"missing": f" of {answered + len(of_kinds['missing']):,}"}
    faults = [
        f"{_WORDS[kind][0]}: {len(some):,}{expected.get(kind, '')} ({_first(some)})"
        for kind, some in of_kinds.items()
        if some
    ]
    remedy = "; ".join(_WORDS[kind][1] for kind, some in of_kinds.items() if some)
    remedy = f"{remedy[0].upper()}{remedy[1:]}."
    if listing is not None:
        write_bytes(listing, msgspec.json.Encoder().encode_lines(problems))
        remedy += f" All of them are listed in {listing}."
    elif any(len(some) > _LISTED for some in of_kinds.values()):
        remedy += " To have all of them listed, give a file for them (problems=, --problems)."
    raise InputError("; ".join(faults) + ".", path=file, remedy=remedy)


def _first(problems: Sequence[Problem]) -> str:
    return ", ".join(map(str, problems[:_LISTED])) + (", …" if len(problems) > _LISTED else "")
