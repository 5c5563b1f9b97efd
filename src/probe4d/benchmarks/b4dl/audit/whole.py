"""Checks of a benchmark of generated questions as a whole: that a sequence is the same wherever it is asked about."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from probe4d.benchmarks.suite import AuditFinding

__all__ = ["sequence_findings"]


def sequence_findings(table: pl.DataFrame) -> Iterator[AuditFinding]:
    """See that every name of a sequence stands for the same key frames, and for others than all other names.

    Args:
        table: The questions.
    """
    named = table.select("id", "scene", "frames", sequence=pl.col("facts").str.json_path_match("$.sequence"))
    placed = named.with_columns(
        first=pl.col("frames").first().over("sequence"),
        name=pl.col("sequence").first().over("scene", "frames"),
    )
    for identity, _, frames, sequence, first, name in placed.drop_nulls("sequence").iter_rows():
        if frames != first:
            what = f"asks about frames {frames} of {sequence}, which are {first} elsewhere"
        elif sequence != name:
            what = f"calls frames {frames} {sequence}, which are {name} elsewhere"
        else:
            continue
        yield AuditFinding(question=identity, rule="sequence", what=f"{what}.")
