"""Derives answers and the facts behind them anew, from a question's text and options alone (Sec. III-A, III-B)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from probe4d.benchmarks.lidar_hallu.audit.measuring import (
    CLASSES,
    SECTOR_CENTRES_DEG,
    MeasuredScene,
    Sight,
    nearest_of,
    sector_margin_deg,
    sector_of,
)
from probe4d.benchmarks.lidar_hallu.reading import Asked
from probe4d.benchmarks.question import Question

__all__ = ["Derived", "Unanswerable", "derive_answer", "nearest_told", "told_boxes"]

MOTION_FRAMES = 8
_NOISE = 1e-9
_THRESHOLDS_M = {"closer": 2.0, "farther": 2.0, "left": 1.0, "right": 1.0}
_SIMILAR_M = (1.0, 0.5)
_BOXES = ("boxes", "lidar_points")


class Unanswerable(ValueError):
    """The question has no one answer in the dataset; the message says why, without a full stop."""


class Derived(NamedTuple):
    """What a question's answer and facts have to be.

    Attributes:
        answer: `Yes`, `No`, a letter, or what is right in words where no option is.
        rule: Name of the rule.
        facts: What the rule measured, apart from what all rules note alike.
        sights: The objects measured, in order.
        measured_at: Key frames whose ego poses the answer rests on.
        shown: Key frames of the evidence.
        margin: Distance from the decision boundary, degrees or metres; null without one.
        needs: Annotations that the answer rests on.
        context: What of the text can predict the answer.
        features: The same for each option.
    """

    answer: str
    rule: str
    facts: dict[str, Any]
    sights: Sequence[Sight]
    measured_at: tuple[int, ...]
    shown: tuple[int, ...]
    margin: float | None = None
    needs: tuple[str, ...] = _BOXES
    context: str = ""
    features: tuple[str, ...] = ()


def derive_answer(question: Question, asked: Asked, scene: MeasuredScene) -> Derived:
    """Derive the answer of an existence, position, motion or distance question.

    Args:
        question: The question; of its measured fields only those that settle ties within rounding are looked at.
        asked: What its text asks.
        scene: Its scene.

    Raises:
        Unanswerable: The dataset gives no answer, or several of the options are right.
    """
    if max(asked.frames) >= len(scene.key_frames):
        raise Unanswerable(f"frame {max(asked.frames)} lies outside the scene's {len(scene.key_frames)} key frames")
    for label in (asked.label, *(question.options if question.family in ("existence", "distance") else ())):
        if label is not None and label not in CLASSES:
            raise Unanswerable(f"{label!r} is none of the ten classes")
    return _FAMILIES[question.family](question, asked, scene)


def told_boxes(question: Question) -> set[tuple[int, str]]:
    """Key frames and tokens of the boxes that the question's facts name."""
    objects = question.facts.get("objects")
    entries = [entry for entry in objects if isinstance(entry, Mapping)] if isinstance(objects, list) else []
    frames = [(entry.get("frame"), str(entry.get("box"))) for entry in entries]
    return {(frame, box) for frame, box in frames if isinstance(frame, int)}


def nearest_told(question: Question, sights: Sequence[Sight]) -> Sight | None:
    """The nearest of some objects; of equally near ones that which the facts name, else the first track."""
    if len(sights) < 2:
        return sights[0] if sights else None
    told = told_boxes(question)
    return nearest_of(sights, told=next((sight.box for sight in sights if (sight.frame, sight.box) in told), None))


def _nearest(question: Question, scene: MeasuredScene, frame: int, label: str) -> Sight | None:
    return nearest_told(question, scene.annotated[frame].get(label, ()))


def _existence(question: Question, asked: Asked, scene: MeasuredScene) -> Derived:
    (frame,) = asked.frames
    present = scene.present(frame)
    if asked.label is not None:
        answer, label = "Yes" if asked.label in present else "No", asked.label
    else:
        there = [option for option in question.options if option in present]
        if len(there) != 1:
            raise Unanswerable(f"of the options {len(there)} are there at frame {frame} ({', '.join(there) or 'none'})")
        label = there[0]
        answer = _letter(question, label)
    sight = _nearest(question, scene, frame, label)
    return Derived(
        answer=answer,
        rule="class-membership",
        facts={"present": present},
        sights=() if sight is None else (sight,),
        measured_at=asked.frames,
        shown=asked.frames,
        context=asked.label or "",
        features=question.options,
    )


def _position(question: Question, asked: Asked, scene: MeasuredScene) -> Derived:
    (frame,), label = asked.frames, asked.label or ""
    sight = _nearest(question, scene, frame, label)
    if sight is None:
        raise Unanswerable(f"there is no {label} at frame {frame}")
    sector = sector_of(sight.bearing_deg, told=str(question.facts.get("sector")))
    named = (asked.relation,) if asked.relation is not None else question.options
    unknown = [name for name in named if name not in SECTOR_CENTRES_DEG]
    if unknown:
        raise Unanswerable(f"{unknown[0]!r} is none of the eight sectors")
    answer = ("Yes" if sector == asked.relation else "No") if asked.relation else _letter(question, sector)
    return Derived(
        answer=answer,
        rule="bearing-sector",
        facts={"margin_unit": "degrees", "bearing_deg": sight.bearing_deg, "sector": sector},
        sights=(sight,),
        measured_at=asked.frames,
        shown=asked.frames,
        margin=sector_margin_deg(sight.bearing_deg),
        context=f"{label}|{asked.relation}" if asked.relation else label,
        features=question.options,
    )


def _motion(question: Question, asked: Asked, scene: MeasuredScene) -> Derived:
    (start, end), label, predicate = asked.frames, asked.label or "", asked.relation or ""
    if end - start != MOTION_FRAMES:
        raise Unanswerable(f"the interval spans {end - start} key-frame steps, not {MOTION_FRAMES}")
    first = _nearest(question, scene, start, label)
    if first is None:
        raise Unanswerable(f"there is no {label} at frame {start}")
    followed = [sight for sight in scene.everywhere[end].get(label, ()) if sight.track == first.track]
    last = nearest_told(question, followed)
    if last is None:
        raise Unanswerable(f"track {first.track} of the nearest {label} is not there at frame {end}")
    approach, shift = last.distance_m - first.distance_m, last.y - first.y
    facts: dict[str, Any] = {"margin_unit": "metres", "distance_delta_m": approach, "lateral_delta_m": shift}
    told_yes = question.answer == "Yes"
    if predicate == "similar":
        excesses = [abs(approach) - _SIMILAR_M[0], abs(shift) - _SIMILAR_M[1]]
        holds = max(excesses) < 0 if abs(max(excesses)) > _NOISE else told_yes
        margin = -max(excesses) if max(excesses) < 0 else math.hypot(*(max(0.0, excess) for excess in excesses))
    else:
        change = {"closer": -approach, "farther": approach, "left": shift, "right": -shift}[predicate]
        threshold = _THRESHOLDS_M[predicate]
        holds = change >= threshold if abs(change - threshold) > _NOISE else told_yes
        margin = abs(change - threshold)
        told_below = bool(question.facts.get("below_threshold"))
        if not holds and (change > 0 if abs(change) > _NOISE else told_below):
            facts["below_threshold"] = True
    return Derived(
        answer="Yes" if holds else "No",
        rule="same-instance-deltas",
        facts=facts,
        sights=(first, last),
        measured_at=asked.frames,
        shown=tuple(range(start, end + 1)),
        margin=margin,
        needs=(*_BOXES, "tracks"),
        context=asked.phrase or "",
    )


def _distance(question: Question, asked: Asked, scene: MeasuredScene) -> Derived:
    (frame,) = asked.frames
    sights: list[Sight] = []
    for option in question.options:
        sight = _nearest(question, scene, frame, option)
        if sight is None:
            raise Unanswerable(f"there is no {option} at frame {frame}")
        sights.append(sight)
    sights.sort(key=lambda sight: (round(sight.distance_m, 9), CLASSES.index(sight.label)))
    overall = min((nearest_of(seen) for seen in scene.annotated[frame].values()), key=_class_order)
    if overall is not None and overall.label != sights[0].label and overall.distance_m < sights[0].distance_m - _NOISE:
        raise Unanswerable(f"a {overall.label} (box {overall.box}), which is no option, is closer at frame {frame}")
    return Derived(
        answer=_letter(question, sights[0].label),
        rule="nearest-class",
        facts={"margin_unit": "metres"},
        sights=sights,
        measured_at=asked.frames,
        shown=asked.frames,
        margin=sights[1].distance_m - sights[0].distance_m,
        features=question.options,
    )


def _class_order(sight: Sight | None) -> tuple[float, int]:
    return (math.inf, 0) if sight is None else (round(sight.distance_m, 9), CLASSES.index(sight.label))


def _letter(question: Question, right: str) -> str:
    """Letter of the right option; where none is right, words that no stored answer equals."""
    return "ABCD"[question.options.index(right)] if right in question.options else f"no option, but {right}"


_FAMILIES: dict[str, Callable[[Question, Asked, MeasuredScene], Derived]] = {
    "existence": _existence,
    "position": _position,
    "motion": _motion,
    "distance": _distance,
}
