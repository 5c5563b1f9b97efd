"""Draws orders again: of the options of a choice question, and of the questions of a family.

Ranks are those of `auditing.ranks`, which share nothing with the sampling of builds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from probe4d.benchmarks.auditing.ranks import rank
from probe4d.benchmarks.lidar_hallu.reading import Asked
from probe4d.benchmarks.question import Question, derived_id

__all__ = ["drawn_options", "misplaced"]


def drawn_options(question: Question, asked: Asked, seed: int) -> tuple[str, ...]:
    """The options of a choice question in the order that the seed gives them.

    Args:
        question: The question, its answer one of the letters of its options.
        asked: What its text asks.
        seed: Seed of the build.
    """
    key = _key(question, asked)
    ranked = sorted((rank(seed, f"{question.template}/options", key, option), option) for option in question.options)
    return tuple(option for _, option in ranked)


def misplaced(questions: Sequence[Question], family: str, seed: int) -> Iterator[tuple[Question, Question]]:
    """Yield neighbours of a family, by `order`, that the seed puts the other way round."""
    members = sorted((question for question in questions if question.family == family), key=lambda each: each.order)
    ranked = [(rank(seed, f"{family}/order", derived_id(question)), question) for question in members]
    for (earlier_rank, earlier), (later_rank, later) in pairwise(ranked):
        if earlier_rank > later_rank:
            yield earlier, later


def _key(question: Question, asked: Asked) -> str:
    """What a choice question is drawn by: its scene and what it asks of it."""
    parts: tuple[object, ...]
    match question.template:
        case "existence-choice":
            parts = (*asked.frames, question.options["ABCD".index(question.answer)])
        case "position-choice":
            parts = (*asked.frames, asked.label)
        case "temporal-choice" if asked.event is None:
            parts = (question.question,)
        case "temporal-choice":
            parts = (asked.event, asked.label or "", asked.detail or "")
        case _:
            parts = asked.frames
    return "|".join(map(str, (question.scene, *parts)))
