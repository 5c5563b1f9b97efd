"""Turns generated pairs and what geometry says of them into Questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, get_args

import msgspec
import polars as pl

from probe4d.benchmarks.b4dl.pairs import VERDICTS_SCHEMA
from probe4d.benchmarks.b4dl.replies.answer_forms import canonical_answer, classes_named
from probe4d.benchmarks.b4dl.tasks import FAMILIES, SUITE_NAME, TASKS, VOCABULARY
from probe4d.benchmarks.question import Evidence, Format, Question, derived_id
from probe4d.errors import InputError
from probe4d.scenes.classes import CLASSES
from probe4d.scenes.tables import Scenes

__all__ = ["GENERATED", "Drafted", "Grounded", "questions_of"]

GENERATED = "generated"
"""The rule of every question: a model gave its answer."""

Grounded = Literal["keep", "drop", "correct"]
"""What becomes of answers that geometry contradicts: they stay, go, or are replaced by what geometry gives."""

_OF_BOXES, _CLAUSES = "candidates", "clauses"
"""What a verdict tells of objects, and not of the ego vehicle alone."""

_CONTRADICTED, _UNDECIDED = "contradicted", "undecided"

_DROPPED = "{task}: answers that geometry contradicts"
_UNCORRECTED = "{task}: answers that geometry contradicts without giving another"
_ASKED_TWICE = "{task}: questions that were asked before of the same frames"


class Drafted(NamedTuple):
    """Questions, and what became none.

    Attributes:
        questions: In the order of families, sequences and pairs.
        left_out: Pairs that became no question, by reason.
    """

    questions: list[Question]
    left_out: dict[str, int]


class _Form(NamedTuple):
    template: str
    format: Format
    answer: str
    options: tuple[str, ...] = ()


def questions_of(
    pairs: pl.DataFrame,
    verdicts: pl.DataFrame,
    sequences: pl.DataFrame,
    scenes: Scenes,
    *,
    generator: str,
    grounded: Grounded = "keep",
) -> Drafted:
    """Make Questions of pairs.

    Args:
        pairs: Columns of `PAIRS_SCHEMA`, validated (`read_pairs`).
        verdicts: Columns of `VERDICTS_SCHEMA`; a pair without a row is undecided.
        sequences: Columns of `SEQUENCES_SCHEMA`.
        scenes: The scenes.
        generator: Name of the model that wrote them.
        grounded: What becomes of answers that geometry contradicts.

    Raises:
        InputError: There is no such way to treat them, or a pair is not of the form of its task.
    """
    if grounded not in get_args(Grounded):
        raise InputError(f"grounded must be one of {', '.join(get_args(Grounded))}, not {grounded!r}.")
    keyframes = dict(scenes.scenes.select("scene", "keyframes").iter_rows())
    places = {row["sequence"]: row for row in sequences.iter_rows(named=True)}
    left_out: Counter[str] = Counter()
    drafted: dict[str, Question] = {}
    orders: Counter[str] = Counter()
    for row in _in_order(pairs, verdicts, sequences).iter_rows(named=True):
        task = row["task"]
        if row["verdict"] == _CONTRADICTED and (
            grounded == "drop" or (grounded == "correct" and row["correct"] is None)
        ):
            left_out[(_DROPPED if grounded == "drop" else _UNCORRECTED).format(task=task)] += 1
            continue
        corrects = grounded == "correct" and row["verdict"] == _CONTRADICTED
        place = places[row["sequence"]]
        question = _question(row, place, keyframes[place["scene"]], generator, corrects=corrects, order=orders[task])
        if question.id in drafted:
            left_out[_ASKED_TWICE.format(task=task)] += 1
            continue
        orders[task] += 1
        drafted[question.id] = question
    return Drafted(list(drafted.values()), dict(sorted(left_out.items())))


def _in_order(pairs: pl.DataFrame, verdicts: pl.DataFrame, sequences: pl.DataFrame) -> pl.DataFrame:
    """Pairs with their verdicts: by family, and in each as the sequences stand."""
    told = verdicts.select(*VERDICTS_SCHEMA)
    places = sequences.select("sequence", place=pl.int_range(pl.len()))
    families = pl.DataFrame({"task": FAMILIES, "family": range(len(FAMILIES))})
    return (
        pairs.join(told, on=["sequence", "task", "number"], how="left")
        .join(places, on="sequence", how="left")
        .join(families, on="task", how="left")
        .sort("family", "place", "number")
        .with_columns(pl.col("verdict").fill_null(_UNDECIDED))
    )


def _question(
    row: Mapping[str, Any], place: Mapping[str, Any], keyframes: int, generator: str, *, corrects: bool, order: int
) -> Question:
    form = _form(row, row["correct"] if corrects else row["answer"])
    measured = {} if row["facts"] is None else msgspec.json.decode(row["facts"], type=dict[str, Any])
    facts: dict[str, Any] = {
        "sequence": row["sequence"],
        "start": place["start"],
        "end": place["end"],
        "generator": generator,
        "verdict": row["verdict"],
        "claim": row["claim"],
        "why": row["why"],
        "measured": measured,
        "corrected": corrects,
    }
    if corrects:
        facts["generated_answer"] = row["answer"]
    named = classes_named(row["question"])
    frames = tuple(place["frames"])
    question = Question(
        id="",
        suite=SUITE_NAME,
        family=row["task"],
        template=form.template,
        relation=row["claim"],
        format=form.format,
        scene=place["scene"],
        keyframes=keyframes,
        frames=frames,
        entities=_entities(row, named),
        question=row["question"],
        options=form.options,
        answer=form.answer,
        evidence=Evidence(frames=frames),
        rule=GENERATED,
        facts=facts,
        context=_context(form.format, row["claim"], named, place),
        needs=("boxes",) if row["verdict"] != _UNDECIDED and _rests_on_boxes(measured) else (),
        order=order,
    )
    return msgspec.structs.replace(question, id=derived_id(question))


def _rests_on_boxes(measured: Mapping[str, Any]) -> bool:
    return _OF_BOXES in measured or any(_OF_BOXES in clause["measured"] for clause in measured.get(_CLAUSES, ()))


def _form(row: Mapping[str, Any], answer: str) -> _Form:
    """Template, format and answer as a question holds it.

    Raises:
        InputError: The answer is not of the form of its task.
    """
    task = row["task"]
    if TASKS[task].group == "complex":
        return _Form(task, "text", answer)
    said = canonical_answer(task, answer)
    if said is not None and said.kind != "class":
        return _Form("existence-presence" if task == "existence" else task, said.kind, said.text)
    if said is not None:
        return _Form("existence-class", "text", said.text, VOCABULARY)
    raise InputError(
        f"the answer {answer!r} is not of the form of {task}.",
        row=f"pair {row['number']} of sequence {row['sequence']}",
        remedy="Read replies with read_pairs, which tells such answers from others.",
    )


def _entities(row: Mapping[str, Any], named: tuple[str, ...]) -> tuple[str, ...]:
    """Annotated classes that a question names; of descriptions, whose question is always one, which of them it is."""
    if row["task"] == "description":
        return (f"description {row['number'] + 1}",)
    return tuple(name for name in named if name in CLASSES)


def _context(format: Format, claim: str | None, named: tuple[str, ...], place: Mapping[str, Any]) -> str:
    """What of a question's text can predict its answer."""
    match format:
        case "yes-no":
            return " ".join([claim or "", *sorted(named)]).strip()
        case "interval":
            return f"{len(place['frames'])} frames"
        case _:
            return ""
