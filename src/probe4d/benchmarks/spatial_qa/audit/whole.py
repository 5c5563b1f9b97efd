"""Checks what a benchmark promises as a whole: that no question comes twice, and as many Yes as No."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from probe4d.benchmarks.auditing.record import whole
from probe4d.benchmarks.spatial_qa.audit.expected import EXPECTED
from probe4d.benchmarks.suite import AuditFinding

__all__ = ["balance_findings", "repeated_findings"]

_EVENED_IN_SCENES = ("collision", "occlusion", "passing")
"""Templates of which a full build keeps as many Yes as No in each scene."""

_YES = (pl.col("answer") == "Yes").sum().alias("yes")
_NO = (pl.col("answer") == "No").sum().alias("no")


def repeated_findings(table: pl.DataFrame) -> Iterator[AuditFinding]:
    """No two questions ask the same of one image, whatever their options."""
    asked = ["scene", "frames", "channel", "template", "question", "entities"]
    first = table.select("id", pl.col("id").first().over(asked).alias("first"))
    for identity, earlier in first.filter(pl.col("id") != pl.col("first")).iter_rows():
        yield AuditFinding(question=identity, rule="uniqueness", what=f"asks the same as question {earlier}.")


def balance_findings(table: pl.DataFrame, *, full: bool, contents: bool) -> Iterator[AuditFinding]:
    """As many questions are right with Yes as with No, where the build promises it.

    Args:
        table: The questions.
        full: Whether every candidate was kept: then of each relation exactly half are Yes, and of questions about pairs
            in situations exactly half in each scene.
        contents: Whether as many Yes as No were kept of each context.
    """
    yes_no = table.filter(format="yes-no").select("template", "scene", "context", "answer")
    by_template = {"relation": [name for name, expected in EXPECTED.items() if expected.relation]} if full else {}
    if full:
        by_template["scene"] = list(_EVENED_IN_SCENES)
    for what, templates in by_template.items():
        keys = ["template"] if what == "relation" else ["template", "scene"]
        yield from _uneven(yes_no.filter(pl.col("template").is_in(templates)), keys)
    if contents:
        yield from _uneven(yes_no, ["template", "context"])


def _uneven(yes_no: pl.DataFrame, keys: list[str]) -> Iterator[AuditFinding]:
    counts = yes_no.group_by(keys).agg(_YES, _NO).filter(pl.col("yes") != pl.col("no")).sort(keys)
    for *names, yes, no in counts.iter_rows():
        where = " in ".join(names)
        yield whole("balance", f"{where} has {yes} Yes and {no} No, and should have as many of each")
