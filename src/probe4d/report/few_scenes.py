"""What may be judged by intervals: nothing that rests on a handful of scenes."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from probe4d.diagnosis.comparing.comparisons import Comparison
from probe4d.diagnosis.controls.answerers import CONTENT, FIXED
from probe4d.diagnosis.side_by_side import control_beside
from probe4d.diagnosis.statistics.bootstrap import FEW_SCENES
from probe4d.diagnosis.tables import Diagnosis
from probe4d.report.lookup import Lookup
from probe4d.report.statement import Statement
from probe4d.wording import counted

__all__ = ["figures_to_judge_by", "of_few_scenes", "scenes_of"]


def scenes_of(diagnosis: Diagnosis) -> dict[str, int]:
    """How many scenes the scored questions of each answerer are from; who was asked none is left out."""
    scenes = diagnosis.benchmark.columns("id", "scene").rename({"id": "question"})
    asked = pl.concat([table.select("run", "question") for table in diagnosis.answered.values()])
    asked_about = asked.join(scenes, on="question", how="inner", maintain_order="left")
    return dict(asked_about.group_by("run").agg(pl.col("scene").n_unique()).iter_rows())


def figures_to_judge_by(diagnosis: Diagnosis) -> Lookup:
    """The figures of a diagnosis, without intervals where too few scenes were drawn from."""
    return Lookup.of(diagnosis).without_intervals(_few(diagnosis, scenes_of(diagnosis)))


def _few(diagnosis: Diagnosis, scenes: Mapping[str, int]) -> set[str]:
    """Answerers and comparisons."""
    few = {name for name, count in scenes.items() if count < FEW_SCENES}
    beside = {control_beside(control, name) for control in (CONTENT, FIXED) for name in few}
    compared = [*diagnosis.comparisons, *(Comparison(one.run, one.against) for one in diagnosis.run_families)]
    return few | beside | {one.name for one in compared if few & {one.run, one.against}}


def of_few_scenes(scenes: int) -> list[Statement]:
    """What is to be known before all else of a run that was asked about so many scenes: nothing if they are enough."""
    if scenes >= FEW_SCENES:
        return []
    text = (
        f"Its questions are from {counted(scenes, 'scene')}, too few for intervals to judge by: what follows is true "
        "of these questions, and may be otherwise of others."
    )
    return [Statement("note", text)]
