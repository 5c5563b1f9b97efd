"""Which other scene stands in for a question's own: as long, seeded, and with another right answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from probe4d.benchmarks.question import Question
from probe4d.benchmarks.sampling import ranks

__all__ = ["other_scenes"]


def other_scenes(
    questions: Sequence[Question], own: Mapping[str, str], lengths: pl.DataFrame, answers: pl.DataFrame, *, seed: int
) -> dict[str, tuple[str, str | None]]:
    """Choose another scene for each question.

    Of the scenes where the question's own answer is not right, those with as many key frames as its own are taken,
    else those of the next longer length that there is; of these the first by a hash of seed, question and scene.

    Args:
        questions: The questions.
        own: Name of each question's scene, by id.
        lengths: `scene` and `keyframes` of the scenes that there are.
        answers: What would be right where, in the columns of `probe4d.benchmarks.suite.ANSWERS_SCHEMA`.
        seed: Seed of the choice.

    Returns:
        Scene and right answer there by id, null where none is right there, or more than one; without questions for
        which there is no scene.
    """
    rows = [(question.id, own[question.id], question.answer) for question in questions]
    asked = pl.DataFrame(rows, schema={name: pl.String() for name in ("question", "own", "answer")}, orient="row")
    asked = asked.join(lengths.rename({"scene": "own", "keyframes": "own_keyframes"}), on="own", how="left")
    long_enough = (
        asked.select(pl.col("own_keyframes").unique())
        .join(lengths, how="cross")
        .filter(pl.col("keyframes") >= pl.col("own_keyframes"))
    )
    possible = (
        asked.join(long_enough, on="own_keyframes")
        .filter(pl.col("scene") != pl.col("own"))
        .join(answers, on=["question", "scene", "answer"], how="anti")
        .filter(pl.col("keyframes") == pl.col("keyframes").min().over("question"))
    )
    keys = possible.select(pl.concat_str("question", "scene", separator="|")).to_series()
    chosen = (
        possible.with_columns(rank=ranks(keys, seed=seed, family="evidence/other-scene"))
        .sort("rank", "scene")
        .unique("question", keep="first", maintain_order=True)
        .select("question", "scene")
    )
    right = answers.join(chosen, on=["question", "scene"], how="semi").unique()
    only = right.filter(pl.len().over("question") == 1)
    found = chosen.join(only, on=["question", "scene"], how="left")
    return {question: (scene, answer) for question, scene, answer in found.iter_rows()}
