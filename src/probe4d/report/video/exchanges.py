"""Which questions and answers stand beside a video, and while which key frames."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.benchmarks.source import SceneNames, is_released
from probe4d.errors import InputError
from probe4d.report.describing import find_question
from probe4d.report.reference import answer_in_words
from probe4d.runs.run import Run, check_run
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import digest

__all__ = ["MOST_AT_ONCE", "Exchange", "exchanges_of", "is_numbered"]

MOST_AT_ONCE = 4
"""Named questions that have room at one moment."""
_USUALLY_AT_ONCE = 2
_READING_S = 5.0
"""Time that a question is shown at least."""


class Exchange(NamedTuple):
    """A question, what is right, and what a model said.

    Attributes:
        asks: The question as the benchmark has it.
        asked: First and last key frame that it asks about.
        shown: First and last key frame beside which it stands.
        slot: Its place, counted from the top.
        about: Its family and key frames.
        question: The question.
        options: Its options with their letters.
        reference: The right answer.
        answer: What the model said, in its own words; null without a run.
    """

    asks: Question
    asked: tuple[int, int]
    shown: tuple[int, int]
    slot: int
    about: str
    question: str
    options: tuple[str, ...]
    reference: str
    answer: str | None


def exchanges_of(
    benchmark: Benchmark,
    scenes: Scenes,
    scene: str,
    *,
    span: tuple[int, int],
    fps: float,
    limit: int | None = None,
    ids: Sequence[str] = (),
    run: Run | None = None,
) -> list[Exchange]:
    """Choose questions of a scene, and when each is shown.

    Questions that are not named are taken family by family, in an order of chance that is always the same, as long as
    no more than two stand beside one moment. A question about a moment that passes faster than it is read stays.

    Args:
        benchmark: The benchmark.
        scenes: The scenes of the video.
        scene: The one that is shown.
        span: First and last key frame of the video.
        fps: Key frames a second.
        limit: Number of questions at most; null for as many as there is room for.
        ids: Questions that are shown, by their ids or beginnings of them; empty to choose.
        run: The answers of a model; null for none.

    Raises:
        InputError: The benchmark asks nothing about these key frames of the scene, or a question that is named does
            not; more are named than there is room for; or the run answers another benchmark.
    """
    if limit is not None and limit < 1:
        raise InputError(f"The number of questions must be at least 1, not {limit}.")
    if run is not None:
        check_run(run, benchmark, allow_missing=True)
    named = [find_question(benchmark, identity) for identity in dict.fromkeys(ids)]
    questions = named or _of_scene(benchmark, scenes, scene)
    last = int(scenes.scenes.filter(pl.col("scene") == scene)["keyframes"][0]) - 1
    beside = [(question, asked) for question in questions if (asked := _asked(question, last, span)) is not None]
    where = benchmark.path or benchmark.record.suite
    if not beside:
        raise InputError(
            f"asks nothing about key frames {span[0]} to {span[1]} of {scene}.",
            path=where,
            remedy="Give the benchmark of this dataset, or other --frames.",
        )
    names = SceneNames(scenes)
    for question in named:
        if names.of(question) != scene or all(question is not one for one, _ in beside):
            raise InputError(
                f"asks question {question.id} about other key frames than {span[0]} to {span[1]} of {scene}.",
                path=where,
                remedy="Name one that is about what is shown.",
            )
    room = MOST_AT_ONCE if named else _USUALLY_AT_ONCE
    placed: list[tuple[Question, tuple[int, int], tuple[int, int], int]] = []
    for question, asked in beside if named else _mixed(beside):
        shown = _shown(asked, span, fps)
        taken = {slot for _, _, other, slot in placed if shown[0] <= other[1] and other[0] <= shown[1]}
        if len(taken) < room:
            placed.append((question, asked, shown, min(set(range(room)) - taken)))
        elif named:
            raise InputError(f"More than {room} of these questions are about one moment.", remedy="Name fewer of them.")
        if not named and len(placed) == limit:
            break
    answers = {} if run is None else _answers(run, [question for question, *_ in placed])
    return [
        _exchange(question, asked, shown, slot, None if run is None else answers.get(question.id, "(no answer)"))
        for question, asked, shown, slot in placed
    ]


def is_numbered(exchanges: Sequence[Exchange]) -> bool:
    """Whether questions have the numbers of their places, by which marks of one are told from those of another."""
    return any(exchange.slot for exchange in exchanges)


def _of_scene(benchmark: Benchmark, scenes: Scenes, scene: str) -> list[Question]:
    token = scenes.scenes.filter(pl.col("scene") == scene)["token"][0]
    is_of_scene, names = pl.col("scene").is_in([scene, token]), ["id", "scene"]
    if is_released(benchmark):
        is_of_scene |= pl.col("facts").str.contains(f'"scene_token":"{token}"', literal=True)
        names.append("facts")
    return benchmark.records(benchmark.columns(*names).filter(is_of_scene)["id"])


def _asked(question: Question, last: int, span: tuple[int, int]) -> tuple[int, int] | None:
    """First and last key frame asked about; null where the video or the scene has none of them."""
    first, end = (min(question.frames), max(question.frames)) if question.frames else (0, last)
    return (first, end) if 0 <= first <= span[1] and span[0] <= end <= last else None


def _mixed(beside: list[tuple[Question, tuple[int, int]]]) -> list[tuple[Question, tuple[int, int]]]:
    """Questions in turn from every family, each family's in the order of the digests of their ids."""
    turns: dict[str, int] = {}
    ranked = []
    for question, asked in sorted(beside, key=lambda pair: (pair[0].family, digest(["video", pair[0].id]))):
        turn = turns[question.family] = turns.get(question.family, -1) + 1
        ranked.append((turn, question.family, question, asked))
    ranked.sort(key=lambda row: row[:2])
    return [(question, asked) for _, _, question, asked in ranked]


def _shown(asked: tuple[int, int], span: tuple[int, int], fps: float) -> tuple[int, int]:
    """While which key frames of the video a question is shown, for long enough to be read."""
    first, last = max(asked[0], span[0]), min(asked[1], span[1])
    least = math.ceil(_READING_S * fps)
    last = min(span[1], max(last, first + least - 1))
    return max(span[0], min(first, last - least + 1)), last


def _answers(run: Run, questions: Sequence[Question]) -> dict[str, str]:
    """What a run said to questions; of several variants the first, without a name before one with a name."""
    rows = run.answers.filter(pl.col("question").is_in([question.id for question in questions]))
    said = rows.sort("variant", nulls_last=False, maintain_order=True).unique(
        "question", keep="first", maintain_order=True
    )
    texts = pl.coalesce("text", pl.format("(failed: {})", "error"), pl.lit("(no answer)"))
    return dict(said.select("question", texts.alias("text")).iter_rows())


def _exchange(
    question: Question, asked: tuple[int, int], shown: tuple[int, int], slot: int, answer: str | None
) -> Exchange:
    first, last = asked
    when = "the whole scene" if not question.frames else f"frame {first:03d}"
    if question.frames and last > first:
        when = f"frames {first:03d} to {last:03d}"
    return Exchange(
        question,
        asked,
        shown,
        slot,
        f"{question.family}, {when}" + (f", {question.channel}" if question.channel else ""),
        question.question or "(question text not released)",
        tuple(f"{LETTERS[index]}. {text}" for index, text in enumerate(question.options)),
        answer_in_words(question),
        answer,
    )
