"""What a benchmark is made of: how many questions of each template, camera and answer, from how many scenes."""

from __future__ import annotations

from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.question import has_vocabulary

__all__ = ["COMPOSITION_FILE", "Composition", "composition_of"]

COMPOSITION_FILE = "composition.csv"
"""What the counts are called in a benchmark's folder."""

_LETTERED = ("yes-no", "choice")
_TEMPLATE = ["family", "template"]
_COUNTED = [*_TEMPLATE, "channel", "answer"]


class Composition(NamedTuple):
    """Counts of a benchmark's questions, families and templates by name.

    Attributes:
        counts: Columns family, template, channel, answer (null but for yes-no and choice questions and those for a word
            of a vocabulary) and questions.
        templates: Columns family, template, questions, wordings (distinct texts, options included), scenes,
            most_of_a_scene, and answers: each with its number, in words.
    """

    counts: pl.DataFrame
    templates: pl.DataFrame


def composition_of(questions: pl.LazyFrame) -> Composition:
    """Count questions, which need not all fit into memory.

    Args:
        questions: Columns of `QUESTION_SCHEMA`.
    """
    is_label = pl.col("format").is_in(_LETTERED) | has_vocabulary()
    lettered = questions.with_columns(answer=pl.when(is_label).then("answer"))
    in_scenes = lettered.group_by(*_COUNTED, "scene").agg(questions=pl.len()).collect(engine="streaming")
    wordings = questions.select(*_TEMPLATE, wording=pl.struct("question", "options").hash()).unique()
    counts = _summed(in_scenes, _COUNTED).sort(_COUNTED, nulls_last=True)
    scenes = _summed(in_scenes, [*_TEMPLATE, "scene"])
    parts = (
        scenes.group_by(_TEMPLATE).agg(scenes=pl.len(), most_of_a_scene=pl.col("questions").max()),
        wordings.group_by(_TEMPLATE).agg(wordings=pl.len()).collect(engine="streaming"),
        _answers(counts),
    )
    templates = _summed(counts, _TEMPLATE).sort(_TEMPLATE)
    for part in parts:
        templates = templates.join(part, on=_TEMPLATE, how="left", maintain_order="left")
    return Composition(
        counts, templates.select(*_TEMPLATE, "questions", "wordings", "scenes", "most_of_a_scene", "answers")
    )


def _summed(counts: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    return counts.group_by(by).agg(pl.col("questions").sum())


def _answers(counts: pl.DataFrame) -> pl.DataFrame:
    answers = _summed(counts.filter(pl.col("answer").is_not_null()), [*_TEMPLATE, "answer"]).sort("answer")
    words = pl.format("{} {}", "answer", "questions").str.join(", ")
    return answers.group_by(_TEMPLATE).agg(answers=words)
