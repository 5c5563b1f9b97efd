"""What a benchmark itself says of a question asked of another scene: the answers to questions of the same wording."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.source import SceneNames
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import digest

__all__ = ["held_answers"]


def held_answers(held: Sequence[Question], questions: Sequence[Question], scenes: Scenes) -> pl.DataFrame:
    """Find the answers that a benchmark holds to questions worded alike about other scenes.

    Args:
        held: All questions of the benchmark.
        questions: The questions asked about.
        scenes: Scenes of others are not looked at.

    Returns:
        The columns of `probe4d.benchmarks.suite.ANSWERS_SCHEMA`. The answer to a choice is the letter of the question
        asked about, where it offers what is right there.
    """
    names = SceneNames(scenes)
    told = [
        (_wording(question), scene, _answer_text(question))
        for question in held
        if question.question is not None and (scene := names.of(question)) is not None
    ]
    choices = [
        (question.id, _wording(question), letter, option)
        for question in questions
        for letter, option in zip(LETTERS, question.options, strict=False)
    ]
    others = [(question.id, _wording(question)) for question in questions if not question.options]
    there = _table(told, "wording", "scene", "text")
    of_choices = _table(choices, "question", "wording", "answer", "text").join(there, on=["wording", "text"])
    of_others = _table(others, "question", "wording").join(there.rename({"text": "answer"}), on="wording")
    columns = list(ANSWERS_SCHEMA)
    return pl.concat([of_choices.select(columns), of_others.select(columns)]).unique()


def _table(rows: Sequence[tuple[str, ...]], *names: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String()), orient="row")


def _wording(question: Question) -> str:
    return digest([question.template, question.channel, question.frames, question.question])


def _answer_text(question: Question) -> str:
    at = LETTERS.find(question.answer)
    return question.options[at] if question.answer and 0 <= at < len(question.options) else question.answer
