"""Which objects are marked in the pictures of a question: those that it calls by letters, and its target."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from probe4d.benchmarks.facts import pointed_objects, target_of
from probe4d.benchmarks.question import Question
from probe4d.evidence.birds_eye import bounds_from_above
from probe4d.evidence.marks import Bounds, Mark, bounds_in_images
from probe4d.evidence.outlines import RED
from probe4d.runs.evidence_plan import EvidenceView
from probe4d.runs.reasons import Reasons
from probe4d.scenes.tables import Scenes

__all__ = ["Marks", "marks_of", "marks_of_targets"]

Marks = Mapping[int, tuple[Mark, ...]]
"""The marks of a question by key frame."""


class _Object(NamedTuple):
    """An object that can be marked: its words, its key frame and the token of its box."""

    label: str
    frame: int
    box: str


def marks_of(
    questions: Sequence[Question],
    view: EvidenceView | None,
    scenes: Scenes,
    reasons: Reasons,
    *,
    before_letters: str,
) -> dict[str, Marks]:
    """Find the objects that questions call by letters in the pictures that they show.

    In images these are where the cameras that they ask about see them, in bird's-eye views their footprints.

    Args:
        questions: The questions; their facts list `objects`, each with `label`, `frame` and `box`.
        view: How their frames are shown.
        scenes: The scenes that they were measured in.
        reasons: Takes up why objects of a question cannot be marked, in which case it has no marks.
        before_letters: What stands before the letter in the words for an object.

    Returns:
        Marks by the question's id, those of a key frame in the order of their letters, so that questions about the
        same objects show the same picture; questions that name no object are not in it.
    """
    from_above = view == "birds-eye"
    objects = {
        question.id: (scenes.reference_channel if from_above else question.channel or "", _objects(question, reasons))
        for question in questions
    }
    named = {(channel, one.box) for channel, several in objects.values() for one in several}
    bounds = _bounds_from_above(scenes, named) if from_above else bounds_in_images(scenes, named)
    marks: dict[str, Marks] = {}
    for identity, (channel, several) in objects.items():
        if unseen := [one.label for one in several if (channel, one.box) not in bounds]:
            where = f"{unseen[0]} in {channel or 'no camera'}"
            reasons[identity] = ("its pictures do not show an object that it calls by a letter", where)
            continue
        of_frame: dict[int, set[Mark]] = {}
        for one in several:
            mark = Mark(one.label.removeprefix(before_letters), channel, bounds[channel, one.box])
            of_frame.setdefault(one.frame, set()).add(mark)
        if of_frame:
            marks[identity] = {frame: tuple(sorted(found, key=_place)) for frame, found in of_frame.items()}
    return marks


def marks_of_targets(
    questions: Iterable[Question], view: EvidenceView | None, scenes: Scenes, reasons: Reasons
) -> dict[str, Marks]:
    """Put a red box around the object that a question asks about, in the picture of one key frame (STRIDE, App. A.3).

    In images it is where its facts say, so that objects of data without 3D boxes have one; in bird's-eye views it is
    the footprint of the 3D box.

    Args:
        questions: The questions; facts of those that have a target say where it is (see `probe4d.benchmarks.facts`).
        view: How their frames are shown.
        scenes: The scenes that they were measured in.
        reasons: Takes up why the target of a question cannot be marked, in which case it has no marks.

    Returns:
        Marks by the question's id; questions without a target are not in it.
    """
    targets = {question.id: (target, question) for question in questions if (target := target_of(question)) is not None}
    if view != "birds-eye":
        return {
            identity: {target.frame: (Mark("", target.channel, target.bounds, RED),)}
            for identity, (target, _) in targets.items()
        }
    boxes = {identity: _box_of_target(question) for identity, (_, question) in targets.items()}
    reference = scenes.reference_channel
    bounds = _bounds_from_above(scenes, {(reference, box) for box in boxes.values() if box is not None})
    marks: dict[str, Marks] = {}
    for identity, (target, _) in targets.items():
        place = bounds.get((reference, boxes[identity] or ""))
        if place is None:
            reasons[identity] = ("its pictures do not show the object in the red box", None)
        else:
            marks[identity] = {target.frame: (Mark("", reference, place, RED),)}
    return marks


def _box_of_target(question: Question) -> str | None:
    """Token of the 3D box of the target, which is the first object of the facts."""
    objects = pointed_objects(question)
    return objects[0].box if objects else None


def _bounds_from_above(scenes: Scenes, named: Iterable[tuple[str, str]]) -> dict[tuple[str, str], Bounds]:
    """Bounds by channel, which is that of the reference LiDAR, and token."""
    bounds = bounds_from_above(scenes, (token for _, token in named))
    return {(scenes.reference_channel, token): found for token, found in bounds.items()}


def _objects(question: Question, reasons: Reasons) -> list[_Object]:
    objects = []
    for number, one in enumerate(pointed_objects(question), start=1):
        if one.label is None or one.frame is None or one.box is None:
            told = f"object {number} lacks its label, frame or box"
            reasons[question.id] = ("its facts do not say where its objects are", told)
            return []
        objects.append(_Object(one.label, one.frame, one.box))
    return objects


def _place(mark: Mark) -> tuple[object, ...]:
    """Letters go before pairs of letters."""
    return len(mark.text), *mark
