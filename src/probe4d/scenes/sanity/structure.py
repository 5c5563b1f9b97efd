"""Rules about tables and rows as such."""

from __future__ import annotations

from functools import partial

import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.rows import REFERENCES, TABLES
from probe4d.scenes.sanity.rule import Rule, Severity, register, rule

_OPTIONAL = ("attribute", "visibility", "log", "map")
"""Tables without which boxes, poses and classes are still known."""


def _names(names: list[str]) -> pl.Series:
    return pl.Series("name", names, dtype=pl.String)


@rule(
    "TAB001",
    "table-missing",
    Severity.ERROR,
    "A table that boxes, poses or classes come from is not in the version folder.",
    "Fetch the table, or name the right version with --version.",
)
def _table_missing(data: Dataset) -> pl.Series:
    return _names([name for name in data.absent if name not in _OPTIONAL])


@rule(
    "TAB002",
    "optional-table-missing",
    Severity.WARNING,
    "A table that only adds detail (attributes, visibility, logs, maps) is not in the version folder.",
    "Fetch the table if you need it; nuscenes-devkit will not open the dataset without it.",
)
def _optional_table_missing(data: Dataset) -> pl.Series:
    return _names([name for name in data.absent if name in _OPTIONAL])


@rule(
    "TAB003",
    "table-unreadable",
    Severity.ERROR,
    "A table is no JSON array, is cut off, or may not be read.",
    "Fetch the table again; the message names the byte at which reading stopped.",
)
def _table_unreadable(data: Dataset) -> pl.Series:
    return _names(list(data.unreadable.values()))


@rule(
    "TAB004",
    "row-malformed",
    Severity.ERROR,
    "A row lacks a field or has one of the wrong type.",
    "Mend or remove the row.",
)
def _row_malformed(data: Dataset) -> pl.Series:
    return _names(
        [
            f"{name} row {row.number}{'' if row.token is None else f' ({row.token})'}: {row.why}"
            for name, rows in data.malformed.items()
            for row in rows
        ]
    )


@rule("TAB005", "no-scenes", Severity.ERROR, "There is no scene.", "Fetch the dataset's tables again.")
def _no_scenes(data: Dataset) -> pl.Series:
    is_empty = "scene" in data.tables and data["scene"].is_empty() and not data.malformed["scene"]
    return _names(["scene"] if is_empty else [])


def _duplicate(table: str, data: Dataset) -> pl.Series:
    return data.duplicates[table]


def _dangling(table: str, column: str, data: Dataset) -> pl.Series:
    return data.dangling.get((table, column), _names([]))


for _number, _table in enumerate(TABLES, start=1):
    register(
        Rule(
            f"DUP{_number:03}",
            f"duplicate-{_table}-token".replace("_", "-"),
            Severity.WARNING if _table in _OPTIONAL else Severity.ERROR,
            f"Two rows of {_table} have the same token.",
            "Remove the repeated row, or give it a token of its own; until then the first counts.",
            partial(_duplicate, _table),
            needs=(_table,),
        )
    )

for _number, _reference in enumerate(REFERENCES, start=1):
    register(
        Rule(
            f"REF{_number:03}",
            f"dangling-{_reference.table}-{_reference.column.removesuffix('_token')}".replace("_", "-"),
            Severity.ERROR if _reference.vital else Severity.WARNING,
            f"{_reference.column} of a row of {_reference.table} names no row of {_reference.target}.",
            f"Add the missing row to {_reference.target}, or mend the reference.",
            partial(_dangling, _reference.table, _reference.column),
            needs=(_reference.table, _reference.target),
        )
    )
