"""How much of an answer both branches of temporal contrast prefer alike, from logits that a run kept.

LiDAR-Hallu (conclusion): the logits that both branches share remain in equation 9, so that contrast alone does not
take away a preference for one answer that is there whatever the order of the frames.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from probe4d.diagnosis.figures import Figures
from probe4d.diagnosis.sheets.labels import LabelSheet
from probe4d.runs.run import Run
from probe4d.runs.settings import recorded_setting

__all__ = ["add_branches", "branches_of"]

_THOUSANDTHS = 1000
_BRANCHES_SCHEMA: dict[str, pl.DataType] = {
    "question": pl.String(),
    "alike": pl.Boolean(),
    "shared": pl.Float64(),
    "moved": pl.Boolean(),
}


def branches_of(run: Run) -> pl.DataFrame:
    """What the kept logits of a run's labels say, a row for each question whose labels have those of both branches.

    Returns:
        Columns question; alike (both branches prefer the same label); shared (the part, 0 to 1, of the clean
        branch's preference for its label over the second best that the shuffled branch has as well); moved (the
        contrast prefers another label than the clean branch).
    """
    contrast = recorded_setting(run.record.setting).contrast
    kept = run.answers.filter(pl.col("first_logits").is_not_null())
    if contrast is None or not kept.height:
        return pl.DataFrame(schema=_BRANCHES_SCHEMA)
    labels = (
        kept.select("question", "first_logits")
        .explode("first_logits")
        .unnest("first_logits")
        .filter(pl.col("label").is_not_null() & pl.col("shuffled").is_not_null())
        .filter(pl.len().over("question") > 1)  # of one label alone nothing is preferred
        .with_columns(combined=pl.col("clean") + contrast.alpha * (pl.col("clean") - pl.col("shuffled")))
        .sort("clean", descending=True, maintain_order=True)
    )
    preferred = {name: pl.col("label").get(pl.col(name).arg_max()) for name in ("clean", "shuffled", "combined")}
    margins = {name: pl.col(name).get(0) - pl.col(name).get(1) for name in ("clean", "shuffled")}
    return (
        labels.group_by("question", maintain_order=True)
        .agg(
            alike=preferred["clean"] == preferred["shuffled"],
            shared=pl.when(margins["clean"] > 0)
            .then((margins["shuffled"] / margins["clean"]).clip(0, 1))
            .otherwise(1.0),
            moved=preferred["clean"] != preferred["combined"],
        )
        .select(pl.col(name).cast(kind) for name, kind in _BRANCHES_SCHEMA.items())
    )


def add_branches(figures: Figures, sheet: LabelSheet, name: str, branches: pl.DataFrame) -> None:
    """Add branches_alike, preference_shared and contrast_moved of a run that kept the logits of both branches.

    A run that kept none has no row.

    Args:
        figures: Receives the rows.
        sheet: The questions that the run was asked.
        name: The run.
        branches: As `branches_of` gives them.
    """
    rows = sheet.questions.select(question="id").join(branches, on="question", how="left", maintain_order="left")
    known = rows["alike"].is_not_null().to_numpy()
    metrics = (
        ("branches_alike", rows["alike"].fill_null(value=False).to_numpy(), 1),
        ("preference_shared", np.rint(rows["shared"].fill_null(0).to_numpy() * _THOUSANDTHS).astype(int), _THOUSANDTHS),
        ("contrast_moved", rows["moved"].fill_null(value=False).to_numpy(), 1),
    )
    for group in sheet.groups:
        own = replace(group, items=group.items[known[group.items]])
        for metric, numerators, unit in metrics:
            figures.add_ratios(metric, own, [name], numerators[None, own.items], unit=unit)
