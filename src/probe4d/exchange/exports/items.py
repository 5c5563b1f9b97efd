"""What every export holds: each question as it is put before a model, with its pictures as files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import msgspec

from probe4d.benchmarks.benchmark import BenchmarkRecord
from probe4d.benchmarks.intervals import reference_ends
from probe4d.benchmarks.question import LETTERS, Format, Question
from probe4d.diagnosis.parsing.units import UNITS, Unit
from probe4d.errors import InputError
from probe4d.evidence.image import Image
from probe4d.exchange.number_replies import are_numbers
from probe4d.models.asking import Finished
from probe4d.runs.prepared import Prepared
from probe4d.runs.run import LEFT_OUT_FILE, LeftOut
from probe4d.runs.settings import Setting
from probe4d.wording import most_frequent

__all__ = ["ExportItem", "Exported", "cells_of", "collect", "left_out_lines", "scored"]

PICTURES_FOLDER = "pictures"
_UNSCORED = {"text": "free text", "number": "numbers of no known unit", "waypoints": "waypoints"}
"""What answers are that no export scores, by their format."""

_ENDINGS = {"image/jpeg": "jpg", "image/png": "png"}


class ExportItem(msgspec.Struct, frozen=True, kw_only=True):
    """A question in one of the ways in which it is asked.

    Attributes:
        id: Id of the question.
        variant: Name of the variant of a setting that asks more than once; else null.
        family: Family inside the suite.
        format: Form of the answer.
        unit: What a number is given in; null where it is not known, and for other answers.
        relation: Proposed sector or predicate; null where none is proposed.
        scene: Name of the scene.
        frames: Key frames that the question asks about.
        prompt: The whole text that a model gets.
        preamble: The part of it that lists the pictures.
        question: The stem; null where a release keeps it back.
        options: Texts of the options in the order of their letters, as shown, or the vocabulary.
        answer: The reference answer, for that order.
        evidence: The pictures in the order shown, as paths inside the export.
        shown_scene: Scene that they show, where it is not the question's own.
    """

    id: str
    variant: str | None
    family: str
    format: Format
    unit: Unit | None = None
    relation: str | None
    scene: str
    frames: tuple[int, ...]
    prompt: str
    preamble: str
    question: str | None
    options: tuple[str, ...]
    answer: str
    evidence: tuple[str, ...]
    shown_scene: str | None

    @property
    def scored_as(self) -> Literal["label", "interval", "number"] | None:
        """What the answer is scored as: a label (yes or no, a letter, a word of a vocabulary), interval or number."""
        if self.format == "interval":
            return "interval"
        if self.format == "number":
            return "number" if self.unit else None
        return "label" if self.labels else None

    @property
    def labels(self) -> tuple[str, ...]:
        """What the answer is one of: letters, yes and no, or the words of the vocabulary; empty where it is neither."""
        match self.format:
            case "choice":
                return tuple(LETTERS[: len(self.options)])
            case "yes-no":
                return ("Yes", "No")
            case "text":
                return self.options
            case _:
                return ()

    @property
    def key(self) -> str:
        """Name that no other item has: the id, and the variant where there is one."""
        return self.id if self.variant is None else f"{self.id}/{self.variant}"


@dataclass(frozen=True)
class Exported:
    """What an export holds.

    Attributes:
        record: Record of the benchmark.
        card: Text of the benchmark's card; empty where there is none.
        setting: How the questions are asked.
        evidence: Name of what is shown with them, such as `none` or `shuffled:birds-eye`.
        items: The questions, in benchmark order.
        pictures: Number of different pictures.
        left_out: Questions of the benchmark that the export leaves out, and why.
    """

    record: BenchmarkRecord
    card: str
    setting: Setting
    evidence: str
    items: tuple[ExportItem, ...]
    pictures: int = 0
    left_out: tuple[LeftOut, ...] = field(default=())


def left_out_lines(left_out: Sequence[LeftOut]) -> list[str]:
    """How many questions are left out and why, the most frequent reasons first, as lines for a reader."""
    reasons = Counter(left.reason for left in left_out)
    return [f"left out: {line}" for line in most_frequent(reasons, rest=f"for other reasons (see {LEFT_OUT_FILE})")]


def collect(
    prepared: Prepared, folder: Path, *, workers: int | None = None, done: Callable[[ExportItem], object] | None = None
) -> tuple[list[ExportItem], int, list[LeftOut]]:
    """Word every question of a prepared run, and write the pictures that it shows, each once.

    Args:
        prepared: What is asked.
        folder: Folder of the export; pictures go to `pictures/` inside it.
        workers: Threads that render; null takes one for each processor.
        done: Told of each item.

    Returns:
        The items, the number of different pictures, and the questions whose pictures cannot be had.
    """
    items: list[ExportItem] = []
    left_out: dict[str, LeftOut] = {}
    written: set[str] = set()
    with prepared.rendering(workers=workers) as renderer:
        requests = prepared.requests(prepared.asked, renderer=renderer)
        for (question, variant), request in zip(prepared.asked.values(), requests, strict=True):
            if isinstance(request, Finished):
                left_out[question.id] = LeftOut(
                    question=question.id, reason="a picture of it cannot be made", detail=request.failure
                )
                continue
            exhibit = prepared.shown.of[question.id]
            items.append(
                ExportItem(
                    id=question.id,
                    variant=variant.name,
                    family=question.family,
                    format=question.format,
                    unit=_unit_of(question),
                    relation=question.relation,
                    scene=question.scene,
                    frames=question.frames,
                    prompt=request.text,
                    preamble=exhibit.preamble,
                    question=question.question,
                    options=variant.shown(question.options),
                    answer=variant.letter_shown(question.answer, len(question.options)),
                    evidence=tuple(_written(request.images, folder, written)),
                    shown_scene=exhibit.shown_scene,
                )
            )
            if done is not None:
                done(items[-1])
    return items, len(written), list(left_out.values())


def _unit_of(question: Question) -> Unit | None:
    """The unit of the answer, as the questions that `diagnose` scores have it (`sheets.numbers.unit_of_answer`)."""
    if question.format != "number":
        return None
    return next((unit for unit in UNITS if unit == question.facts.get("unit")), None)


def _written(images: Iterable[Image], folder: Path, written: set[str]) -> Iterator[str]:
    """Write pictures that are not there yet, named by their digests, and give their paths in the export."""
    for image in images:
        path = f"{PICTURES_FOLDER}/{image.digest}.{_ENDINGS[image.media_type]}"
        if path not in written:
            (folder / PICTURES_FOLDER).mkdir(exist_ok=True)
            (folder / path).write_bytes(image.content)
            written.add(path)
        yield path


def scored(
    exported: Exported, harness: str, *, lacks: Callable[[ExportItem], str | None] = lambda item: None
) -> Exported:
    """The part of an export whose answers a harness can score; the rest is left out with the reason.

    Args:
        exported: What is exported.
        harness: Name of the harness.
        lacks: What the harness lacks, as a clause, for an item whose answer is scored elsewhere; null for nothing.

    Raises:
        InputError: Nothing is left, or a right answer is none to its question.
    """
    kept: list[ExportItem] = []
    lost: dict[str, LeftOut] = {}
    for item in exported.items:
        _refuse_reference(item)
        what = lacks(item) if item.scored_as else f"{harness} has nothing that scores {_UNSCORED[item.format]}"
        if what is None:
            kept.append(item)
        else:
            lost[item.id] = LeftOut(question=item.id, reason=what)
    if not kept:
        reasons = most_frequent(Counter(left.reason for left in lost.values()), rest="for other reasons")
        raise InputError(
            f"no question can be exported to {harness} ({'; '.join(reasons)}).",
            remedy="Export it to jsonl or huggingface.",
        )
    return replace(exported, items=tuple(kept), left_out=(*exported.left_out, *lost.values()))


def _refuse_reference(item: ExportItem) -> None:
    """Refuse an item whose right answer is none of its labels, or not what it asks for."""
    match item.scored_as:
        case "interval":
            is_one = reference_ends(item.answer) is not None
        case "number":
            is_one = bool(are_numbers([item.answer])[0])
        case "label":
            is_one = item.answer in item.labels
        case None:
            return
    if not is_one:
        raise InputError(
            f"question {item.id} of format {item.format} has the right answer {item.answer!r}, which is none to it.",
            remedy="Build or import the benchmark again.",
        )


def cells_of(items: Iterable[ExportItem]) -> dict[tuple[str, Format, Unit | None], list[ExportItem]]:
    """Items by family, format and unit, in order of first appearance."""
    cells: dict[tuple[str, Format, Unit | None], list[ExportItem]] = {}
    for item in items:
        cells.setdefault((item.family, item.format, item.unit), []).append(item)
    return cells
