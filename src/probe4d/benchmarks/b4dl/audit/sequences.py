"""Checks of a benchmark of generated questions as a whole: that a sequence is the same wherever it is asked about."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from probe4d.benchmarks.suite import AuditFinding

__all__ = ["sequence_findings"]


def sequence_findings(table: pl.DataFrame) -> Iterator[AuditFinding]:
    """See that every name of a sequence stands for the same key frames, and for others than all other names.

    Where questions differ, what most of them say counts.

    Args:
        table: The questions.
    """
    named = table.select("id", "scene", "frames", sequence=pl.col("facts").str.json_path_match("$.sequence"))
    named = named.drop_nulls("sequence")
    often = named.group_by("scene", "sequence", "frames", maintain_order=True).len()
    often = often.sort("len", descending=True, maintain_order=True).drop("len")
    most, name = (
        often.unique(key, keep="first", maintain_order=True).rename({other: told})
        for key, other, told in (
            (["scene", "sequence"], "frames", "most"),
            (["scene", "frames"], "sequence", "name"),
        )
    )
    told = named.join(most, on=["scene", "sequence"]).join(name, on=["scene", "frames"])
    for identity, frames, sequence, most, name in told.select("id", "frames", "sequence", "most", "name").iter_rows():
        if frames != most:
            what = f"asks about frames {frames} of {sequence}, which are {most} elsewhere"
        elif sequence != name:
            what = f"calls frames {frames} {sequence}, which are {name} elsewhere"
        else:
            continue
        yield AuditFinding(question=identity, rule="sequence", what=f"{what}.")
