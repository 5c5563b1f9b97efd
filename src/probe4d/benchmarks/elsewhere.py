"""What a benchmark itself says of a question asked of another scene: the answers to questions of the same wording."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS, Question, to_table
from probe4d.benchmarks.source import SceneNames
from probe4d.benchmarks.suite import ANSWERS_SCHEMA
from probe4d.scenes.tables import Scenes

__all__ = ["held_answers"]

_WORDING = pl.struct("template", "channel", "frames", "question").struct.json_encode().alias("wording")


def held_answers(benchmark: Benchmark, questions: Sequence[Question], scenes: Scenes) -> pl.DataFrame:
    """Find the answers that a benchmark holds to questions worded alike about other scenes.

    Args:
        benchmark: The benchmark.
        questions: The questions asked about.
        scenes: Scenes of others are not looked at.

    Returns:
        The columns of `probe4d.benchmarks.suite.ANSWERS_SCHEMA`. The answer to a choice is the letter of the question
        asked about, where it offers what is right there.

    Raises:
        InputError: A value of a question of the benchmark does not fit (see `questions_from`).
    """
    asked = to_table(questions).select("id", "question", "options", _WORDING)
    held = benchmark.columns("id", "template", "channel", "frames", "question")
    held = held.join(asked, on="question", how="semi", maintain_order="left")  # first, since it is quick
    alike = held.select("id", _WORDING).join(asked, on="wording", how="semi", maintain_order="left")
    names = SceneNames(scenes)
    told = [
        (wording, scene, _answer_text(question))
        for wording, question in zip(alike["wording"], benchmark.records(alike["id"]), strict=True)
        if (scene := names.of(question)) is not None
    ]
    choices = [
        (question.id, wording, letter, option)
        for wording, question in zip(asked["wording"], questions, strict=True)
        for letter, option in zip(LETTERS, question.options, strict=False)
    ]
    there = _table(told, "wording", "scene", "text")
    of_choices = _table(choices, "question", "wording", "answer", "text").join(there, on=["wording", "text"])
    others = asked.filter(pl.col("options").list.len() == 0).select("wording", question="id")
    of_others = others.join(there.rename({"text": "answer"}), on="wording")
    columns = list(ANSWERS_SCHEMA)
    return pl.concat([of_choices.select(columns), of_others.select(columns)]).unique()


def _table(rows: Sequence[tuple[str, ...]], *names: str) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String()), orient="row")


def _answer_text(question: Question) -> str:
    at = LETTERS.find(question.answer)
    return question.options[at] if question.answer and 0 <= at < len(question.options) else question.answer
