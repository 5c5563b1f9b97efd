"""Abilities side by side that rest on one another (STRIDE, Sec. 5 and Fig. 4).

Three kinds of rows, each the difference of two means with an interval in which both come from the same drawn scenes:

- `contrast`: accuracy on the questions of one relation less that on those of a relation which needs it (Fig. 4a, 4b).
- `parts`: mean score of open questions less accuracy on the choice questions that they are linked with, by family
  (Fig. 4c): what is described well and judged badly.
- `parts-right`: mean score of open questions whose linked choice questions were all answered right, less that of those
  where one was not: whether descriptions are better where their parts are known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suite import LinkedContrast
from probe4d.diagnosis.judging.judgements import JudgeRecord
from probe4d.diagnosis.sheets.grouping import families_in_order
from probe4d.diagnosis.statistics.bootstrap import bounds_of_means, draw_counts
from probe4d.diagnosis.tables import LINKED_SCHEMA

__all__ = ["CONTRAST", "PARTS", "PARTS_RIGHT", "linked_table"]

CONTRAST, PARTS, PARTS_RIGHT = "contrast", "parts", "parts-right"

_ALL = "all"
_YES_NO_CHANCE = 0.5


def linked_table(
    benchmark: Benchmark,
    records: pl.DataFrame,
    judged: pl.DataFrame,
    judges: Mapping[str, JudgeRecord],
    contrasts: Sequence[LinkedContrast],
) -> pl.DataFrame:
    """Set the figures of linked abilities side by side.

    Args:
        benchmark: The questions, with their `links`.
        records: Columns of `RECORDS_SCHEMA`: what runs and controls answered.
        judged: Columns of `JUDGED_SCHEMA`. As in `judge_mean_all`, what holds nothing to judge counts as 0, and what
            a judge left unscored not at all.
        judges: Record of the judge of each judged run, whose best score is 1 here.
        contrasts: The pairs of relations.

    Returns:
        Columns of `LINKED_SCHEMA`, by kind, then in the order of the contrasts or families, then of the answerers.
    """
    choices, wholes = _choices(benchmark, records), _wholes(benchmark, judged, judges)
    rows = [*_contrasted(choices, contrasts)]
    if wholes.height:
        linked = _linked(wholes, choices)
        families = families_in_order(benchmark.record, linked["family"])
        rows += [*_whole_and_parts(linked, families), *_by_parts_right(linked, families)]
    return pl.DataFrame(rows, schema=LINKED_SCHEMA)


def _choices(benchmark: Benchmark, records: pl.DataFrame) -> pl.DataFrame:
    """Answers that are labels: columns run, part, scene, relation, amount (1 if right), chance."""
    options = pl.col("options").list.len()
    chance = pl.when(pl.col("format") == "yes-no").then(_YES_NO_CHANCE).otherwise(1 / options)
    questions = benchmark.columns("id", "scene", "relation", "format", "options")
    asked = questions.select("scene", "relation", chance=chance, part="id")
    answered = records.select("run", part="question", amount=pl.col("correct").cast(pl.Float64))
    return answered.join(asked, on="part", how="inner", maintain_order="left")


def _wholes(benchmark: Benchmark, judged: pl.DataFrame, judges: Mapping[str, JudgeRecord]) -> pl.DataFrame:
    """Judged answers to open questions: columns run, whole, family, scene, links, amount (1 at the best score)."""
    best = {"run": list(judges), "best": [record.highest for record in judges.values()]}
    scales = pl.DataFrame(best, schema={"run": pl.String, "best": pl.Float64})
    scored = (
        judged.filter(pl.col("state") != "unscored")
        .join(scales, on="run", how="left", maintain_order="left")
        .select("run", whole="question", amount=pl.col("score").fill_null(0) / pl.col("best"))
    )
    asked = benchmark.columns("id", "family", "scene", "links").rename({"id": "whole"})
    return scored.join(asked, on="whole", how="inner", maintain_order="left")


def _linked(wholes: pl.DataFrame, choices: pl.DataFrame) -> pl.DataFrame:
    """A row for each judged answer and each linked question that the same run answered."""
    pairs = wholes.explode("links", empty_as_null=False).rename({"links": "part", "amount": "score"})
    right = choices.select("run", "part", "relation", "chance", "amount")
    return pairs.join(right, on=["run", "part"], how="inner", maintain_order="left")


def _contrasted(choices: pl.DataFrame, contrasts: Sequence[LinkedContrast]) -> Iterator[dict[str, Any]]:
    for contrast in contrasts:
        for harder in contrast.harder:
            for (run,), own in choices.group_by("run", maintain_order=True):
                sides = (own.filter(relation=contrast.easier), own.filter(relation=harder))
                yield from _row(run, CONTRAST, contrast.name, (contrast.easier, harder), *sides)


def _whole_and_parts(linked: pl.DataFrame, families: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Each family's open questions beside all that they are linked with, then beside each relation of these."""
    for family in families:
        of_family = linked.filter(family=family)
        relations = of_family["relation"].drop_nulls().unique().sort().to_list()
        for relation in [_ALL, *(relations if len(relations) > 1 else ())]:
            part = of_family if relation == _ALL else of_family.filter(relation=relation)
            for (run,), own in part.group_by("run", maintain_order=True):
                whole = own.unique("whole", maintain_order=True).select("scene", amount="score")
                parts = own.unique("part", maintain_order=True)
                yield from _row(run, PARTS, family, (_ALL, relation), whole, parts)


def _by_parts_right(linked: pl.DataFrame, families: Sequence[str]) -> Iterator[dict[str, Any]]:
    """Each family's open questions, apart by whether all that they are linked with was answered right."""
    by_whole = linked.group_by("run", "family", "whole", "scene", maintain_order=True)
    wholes = by_whole.agg(amount=pl.col("score").first(), is_right=(pl.col("amount") == 1).all())
    for family in families:
        for (run,), own in wholes.filter(family=family).group_by("run", maintain_order=True):
            sides = own.filter("is_right"), own.filter(~pl.col("is_right"))
            yield from _row(run, PARTS_RIGHT, family, ("all right", "not all right"), *sides)


def _row(
    run: object, kind: str, name: str, called: tuple[str, str], one: pl.DataFrame, other: pl.DataFrame
) -> Iterator[dict[str, Any]]:
    """One row from the items of both sides (columns scene, amount, perhaps chance); none where a side has none."""
    if not one.height or not other.height:
        return
    low, high, scenes = _bounds(one, other)
    values = [side.select(pl.col("amount").mean()).item() for side in (one, other)]
    chances = [
        side.select(pl.col("chance").mean()).item() if "chance" in side.columns else None for side in (one, other)
    ]
    yield dict(
        zip(
            LINKED_SCHEMA,
            (run, kind, name, *called, values[0], chances[0], one.height, values[1], chances[1], other.height,
             values[0] - values[1], low, high, scenes),
            strict=True,
        )
    )  # fmt: skip


def _bounds(one: pl.DataFrame, other: pl.DataFrame) -> tuple[float | None, float | None, int]:
    """Bounds of the difference of two means over the same drawn scenes, and how many scenes there are."""
    sums = [side.group_by("scene").agg(pl.col("amount").sum(), n=pl.len()) for side in (one, other)]
    both = sums[0].join(sums[1], on="scene", how="full", coalesce=True).fill_null(0).sort("scene")
    if both.height == 1:
        return None, None, 1
    numerators = np.array([[both["amount"].to_numpy(), -both["amount_right"].to_numpy()]])
    denominators = np.array([[both["n"].to_numpy(), both["n_right"].to_numpy()]], dtype=np.float64)
    # The mean of the one and of the other's negative is half of their difference.
    ((low, high),) = 2 * bounds_of_means(numerators, denominators, _counts(both.height))
    return float(low), float(high), both.height


@lru_cache(maxsize=2)
def _counts(scenes: int) -> npt.NDArray[np.float32]:
    return draw_counts(scenes)
