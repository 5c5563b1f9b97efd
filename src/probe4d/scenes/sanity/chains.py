"""Rules about chains: the rows of a scene, a track or a sensor, linked by `prev` and `next`.

A chain with one of these faults takes part in no rule that walks it.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
import polars as pl

from probe4d.scenes.sanity.dataset import Dataset
from probe4d.scenes.sanity.links import NONE, UNKNOWN
from probe4d.scenes.sanity.rule import Rule, Severity, register, rule


class _Chained(NamedTuple):
    """A table whose rows form chains: what a row is, what the rows of a chain share, how bad a fault is."""

    table: str
    row: str
    group: str
    severity: Severity
    needs: tuple[str, ...]


_CHAINED = (
    _Chained("sample", "keyframe", "scene", Severity.ERROR, ("scene",)),
    _Chained("sample_annotation", "box", "track", Severity.ERROR, ("instance",)),
    _Chained(
        "sample_data",
        "reading",
        "scene or sensor",
        Severity.WARNING,  # key frames are found without walking; only sweeps are not
        ("sample", "scene", "calibrated_sensor", "sensor"),
    ),
)

_FAULTS = (
    ("one_sided", "link-one-sided", "A {row} names a neighbour that does not name it in return."),
    ("crossing", "chain-crosses", "A {row} is followed by one of another {group}."),
    ("cyclic", "chain-cyclic", "The chain of a {row} leads back into itself and never ends."),
    ("extra_start", "chain-broken", "A {row} starts a second chain in its {group}, which should have one."),
)


def _offenders(table: str, fault: str, data: Dataset) -> pl.Series:
    return data[table]["token"].filter(pl.Series(getattr(data.links(table), fault), dtype=pl.Boolean))


for _base, _chained in enumerate(_CHAINED):
    for _number, (_fault, _name, _description) in enumerate(_FAULTS, start=1):
        register(
            Rule(
                f"CHN{10 * _base + _number:03}",
                f"{_chained.row}-{_name}",
                _chained.severity,
                _description.format(row=_chained.row.replace("keyframe", "key frame"), group=_chained.group),
                f"Mend prev and next in {_chained.table}.",
                partial(_offenders, _chained.table, _fault),
                needs=(_chained.table, *_chained.needs),
            )
        )


def _wrong_end(table: str, members: str, column: str, data: Dataset) -> pl.Series:
    """Rows of `table` whose first or last member is not where the chain of its members starts or ends."""
    chain = data.links(members)
    beyond = chain.prev if column.startswith("first") else chain.next
    named = data[table][column].fill_null(UNKNOWN).to_numpy()
    row = np.arange(len(named))
    has_sound_chain = np.isin(row, chain.group[chain.sound])
    right = np.zeros(len(named), dtype=bool)
    there = np.flatnonzero(named >= 0)
    right[there] = (beyond[named[there]] == NONE) & (chain.group[named[there]] == there)
    return data[table]["token"].filter(pl.Series(has_sound_chain & ~right & (named != UNKNOWN), dtype=pl.Boolean))


for _base, (_table, _members, _word, _severity) in enumerate(
    (
        ("scene", "sample", "key frame", Severity.ERROR),
        ("instance", "sample_annotation", "box", Severity.WARNING),  # tracks are found without their ends
    )
):
    for _number, _end in enumerate(("first", "last"), start=5):
        register(
            Rule(
                f"CHN{10 * _base + _number:03}",
                f"{_table}-{_end}-wrong",
                _severity,
                f"{_end}_{_members.removeprefix('sample_')}_token of a row of {_table} is not its {_end} {_word}.",
                f"Name the {_word} at the {'start' if _end == 'first' else 'end'} of the chain.",
                partial(_wrong_end, _table, _members, f"{_end}_{_members.removeprefix('sample_')}"),
                needs=(_table, _members),
            )
        )


def _wrong_count(table: str, members: str, owner: str, column: str, data: Dataset) -> pl.Series:
    counts = data[members].group_by(owner).len().drop_nulls(owner)
    rows = data[table].with_row_index("row").cast({"row": pl.Int64})
    counted = rows.join(counts, left_on="row", right_on=owner, how="left", maintain_order="left")
    return counted.filter(pl.col("len").fill_null(0) != pl.col(column))["token"]


register(
    Rule(
        "CNT001",
        "scene-count-wrong",
        Severity.ERROR,
        "nbr_samples of a scene is not the number of its key frames.",
        "Fetch the sample table again; if it is whole, mend nbr_samples.",
        partial(_wrong_count, "scene", "sample", "scene", "nbr_samples"),
        needs=("scene", "sample"),
        whole=("sample",),
    )
)
register(
    Rule(
        "CNT002",
        "track-count-wrong",
        Severity.WARNING,
        "nbr_annotations of an instance is not the number of its boxes.",
        "Fetch the sample_annotation table again; if it is whole, mend nbr_annotations.",
        partial(_wrong_count, "instance", "sample_annotation", "instance", "nbr_annotations"),
        needs=("instance", "sample_annotation"),
        whole=("sample_annotation",),
    )
)


@rule(
    "CNT003",
    "track-without-boxes",
    Severity.WARNING,
    "An instance has no box.",
    "Remove the instance, or fetch the sample_annotation table again.",
    needs=("instance", "sample_annotation"),
    whole=("sample_annotation",),
)
def _track_without_boxes(data: Dataset) -> pl.Series:
    used = data["sample_annotation"]["instance"].drop_nulls().unique()
    rows = data["instance"].with_row_index("row").cast({"row": pl.Int64})
    return rows.filter(~pl.col("row").is_in(used.implode()))["token"]
