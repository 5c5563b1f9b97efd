"""Rows of released question-answer pairs: those of B4DL in all its layouts, and the captions of LiDAR-LLM."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from probe4d.errors import InputError
from probe4d.store.json_tables import read_table
from probe4d.store.logs import read_lines

__all__ = ["PairRow", "ReleasedRow", "Said", "Turn", "pairs_in", "read_released", "said", "said_in"]

_OF_A_FRAME = "<image>"
_PLACES = ("<video>", _OF_A_FRAME, "<4DLiDAR>", "<meta>")
"""What stands for what a model is shown at the beginning of a released question."""

Row = TypeVar("Row", bound="PairRow")


class Turn(msgspec.Struct, frozen=True, gc=False):
    """What one side of a conversation says."""

    who: str = msgspec.field(name="from")
    value: str


class PairRow(msgspec.Struct, frozen=True):
    """What any row of questions with answers has.

    Attributes:
        question: The question, and `answer` (or `answer_lidar`) to it; or both are turns of `conversations`.
    """

    question: str | None = None
    answer: str | None = None
    answer_lidar: str | None = None
    conversations: tuple[Turn, ...] | None = None


class ReleasedRow(PairRow, frozen=True):
    """A row of any of the releases; each has some of these.

    Attributes:
        split: `train`, `val` or `test`.
        scene_id: The release's own name of the scene, nine digits.
        scene_token: Token of the scene in nuScenes.
        sequence_id: The release's own name of the sequence.
        sample_token: Token of the key frame in nuScenes, of rows about a single one.
        id: A sequence where there is a `scene_id` beside it, else a scene or a key frame.
        human_annotation: What nuScenes says of the scene.
        start_index: First key frame of the sequence, and its last; older files call them `start_frame` and
            `end_frame`.
    """

    split: str | None = None
    scene_id: str | None = None
    scene_token: str | None = None
    sequence_id: str | None = None
    sample_token: str | None = None
    id: str | None = None
    human_annotation: str | None = None
    start_index: int | None = None
    end_index: int | None = None
    start_frame: int | None = None
    end_frame: int | None = None


class Said(NamedTuple):
    """What a row says.

    Attributes:
        question: Without white space around it and without places of features.
        answer: Without white space around it.
        of_a_frame: Whether it is about a single key frame.
    """

    question: str
    answer: str
    of_a_frame: bool


def read_released(file: Path, kind: type[Row]) -> Iterator[tuple[str, Row]]:
    """Yield (where, row) of a JSON list, or of JSON lines as the file's name ends.

    Args:
        file: The file.
        kind: What is read of a row: `ReleasedRow`, or `PairRow` where the texts will do.

    Raises:
        InputError: There is no such file, or a row is none of a release.
    """
    if not file.is_file():
        raise InputError("there is no such file.", path=file)
    if file.suffix == ".jsonl":
        yield from ((f"line {line}", row) for line, row in read_lines(file, kind))
        return
    number = 0
    for block in read_table(file, kind):
        for row in block:
            number += 1
            yield f"record {number}", row


def said_in(row: ReleasedRow, file: Path, where: str) -> Said:
    """Question and answer of a row.

    Raises:
        InputError: It has none, or is a conversation of something else than one question and one answer.
    """
    if row.conversations is not None and len(row.conversations) != 2:
        raise _no_pair(row.conversations, "one question (human) and one answer (gpt)", file, where)
    (pair,) = pairs_in(row, file, where)
    return pair._replace(of_a_frame=pair.of_a_frame or row.sample_token is not None)


def pairs_in(row: PairRow, file: Path, where: str) -> list[Said]:
    """Questions and answers of a row: one, or as many as its conversation has.

    Raises:
        InputError: It has none, or is a conversation of something else than questions and answers in turn.
    """
    turns = row.conversations
    if turns is not None:
        if not turns or [turn.who for turn in turns] != ["human", "gpt"] * (len(turns) // 2):
            raise _no_pair(turns, "questions (human), each with its answer (gpt) behind it", file, where)
        return [said(asked.value, told.value) for asked, told in zip(turns[::2], turns[1::2], strict=True)]
    if row.question is None or (row.answer is None and row.answer_lidar is None):
        raise InputError(
            "has neither conversations nor question and answer (or answer_lidar).",
            path=file,
            row=where,
            remedy="Give a file as B4DL or LiDAR-LLM-Nu-Caption were released.",
        )
    return [said(row.question, row.answer or row.answer_lidar or "")]


def _no_pair(turns: Sequence[Turn], expected: str, file: Path, where: str) -> InputError:
    speakers = ", ".join(turn.who for turn in turns)
    return InputError(f"is a conversation of {speakers or 'nobody'}, not of {expected}.", path=file, row=where)


def said(question: str, answer: str) -> Said:
    """A question and its answer as they are told, without what stands for what a model is shown."""
    of_a_frame, question = False, question.strip()
    while question.startswith("<") and (place := next((p for p in _PLACES if question.startswith(p)), None)):
        of_a_frame |= place == _OF_A_FRAME
        question = question.removeprefix(place).lstrip()
    return Said(question, answer.strip(), of_a_frame)
