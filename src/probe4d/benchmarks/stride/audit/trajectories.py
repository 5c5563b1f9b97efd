"""Checks TRJ-3 to TRJ-6: positions in answers, courses in options and stems, and what would come of these."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from probe4d.benchmarks.stride.audit.batch import Batch
from probe4d.benchmarks.stride.audit.courses import DRIVEN, Clearance, Clearances, apart_m, possible_courses
from probe4d.benchmarks.stride.audit.derived import Derived, Line, OneOf, metres, room
from probe4d.benchmarks.stride.audit.measuring import Array
from probe4d.benchmarks.stride.audit.waypoints import (
    ANSWER_DECIMALS,
    COURSE_DECIMALS,
    derived_waypoints,
    is_as_derived,
    positions_in,
)
from probe4d.benchmarks.stride.audit.wording import trajectory_in
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import COURSE_M, NEAR_MISS_M

__all__ = ["check_alternatives", "check_best", "check_waypoints"]

_HIT, _NEAR_MISS, _ELSEWHERE, _THERE = TEMPLATES["TRJ-4"].options
_NOISE = 1e-6
_STEP_M = 10.0**-COURSE_DECIMALS
"""What positions differ by that are rounded otherwise."""


def check_waypoints(batch: Batch) -> None:
    """TRJ-5 and TRJ-6: the positions of the ego vehicle, rounded, and in full in the facts."""
    positions, derived = derived_waypoints(batch.drive, batch.frame, batch.template.id)
    for at, question in enumerate(batch.questions):
        answer = question.fields["answer"]
        if not is_as_derived(positions_in(answer, ANSWER_DECIMALS), positions[at], ANSWER_DECIMALS):
            batch.add(at, f"answer: stored {answer!r}, derived {np.round(positions[at], ANSWER_DECIMALS).tolist()}")
        batch.differ(at, "margin", question.fields["margin"], None)
        batch.check_facts(at, derived.facts_at(at))


def check_best(batch: Batch) -> None:
    """TRJ-3: one option is the driven course, the others are courses that end elsewhere."""
    for at, question in enumerate(batch.questions):
        told = question.facts.get("candidates")
        candidates = [each for each in told if isinstance(each, dict)] if isinstance(told, list) else []
        texts = {str(each.get("course")): str(each.get("trajectory")) for each in candidates}
        if sorted(texts.values()) != sorted(question.fields["options"]) or len(texts) != len(candidates):
            batch.add(at, "facts.candidates are not the options, each of another course")
            continue
        courses = possible_courses(batch.drive, int(batch.frame[at]))
        positions = {name: _told(text, courses.get(name)) for name, text in texts.items()}
        for name in (name for name, course in positions.items() if course is None):
            batch.add(at, f"options: {texts[name]!r} is not the course {name!r} of that key frame")
        if positions.get(DRIVEN) is None:
            batch.add(at, "options: the driven course is not among them")
            continue
        if question.chosen != texts[DRIVEN]:
            batch.add(at, f"answer: stored {question.chosen!r}, derived {texts[DRIVEN]!r}")
        found = {name: course for name, course in positions.items() if course is not None}
        _check_candidates(batch, at, texts, found)


def check_alternatives(batch: Batch) -> None:
    """TRJ-4: what would come of the course that the question speaks of."""
    alternatives = [_alternative(batch, at) for at in range(len(batch.questions))]
    there = [each for each in alternatives if each is not None]
    facts = {name: [each.facts[name] for each in there] for name in _FACTS}
    clearances = np.array([each.clearance_m for each in there])
    derived = Derived(
        [_consequence(each.clearance_m, each.end_distance_m) for each in there],
        facts,
        _lines(clearances, np.array([each.end_distance_m for each in there])),
    )
    batch = batch.kept(np.array([each is not None for each in alternatives], dtype=np.bool_))
    batch.check(derived)


_FACTS = ("course", "ade_m", "end_distance_m", "clearance_m", "nearest_track", "nearest_words")


class _Alternative(NamedTuple):
    """A course that was not driven: its facts, its clearance (NaN where nothing is near) and where it ends."""

    facts: dict[str, Any]
    clearance_m: float
    end_distance_m: float


def _alternative(batch: Batch, at: int) -> _Alternative | None:
    """Measure the course of a question; null, with a finding, where it is none of its key frame."""
    question, frame = batch.questions[at], int(batch.frame[at])
    name, text = str(question.facts.get("course")), trajectory_in(batch.template, question.fields["question"])
    courses = possible_courses(batch.drive, frame)
    course = None if name == DRIVEN else _told(text, courses.get(name))
    if course is None:
        batch.add(at, f"question: {text!r} is not the course {name!r} of that key frame")
        return None
    driven = np.round(courses[DRIVEN], COURSE_DECIMALS)
    clearances = Clearances(batch.drive, frame)
    _check_clear(batch, at, clearances.of(driven))
    clearance = clearances.of(course)
    facts: dict[str, Any] = {"course": name, **_measures(course, driven, clearance)}
    facts |= {"nearest_track": OneOf(clearance.tracks), "nearest_words": OneOf(clearance.words)}
    if not _rounds_for_sure(courses[DRIVEN]):
        facts |= _where_near(facts, question.facts)
    metres_clear = np.nan if clearance.metres is None else clearance.metres
    return _Alternative(facts, metres_clear, facts["end_distance_m"])


def _check_candidates(batch: Batch, at: int, texts: dict[str, str], courses: dict[str, Array]) -> None:
    """Measure the courses of the options of a question, the driven one among them, and compare their facts."""
    clearances = Clearances(batch.drive, int(batch.frame[at]))
    driven = courses[DRIVEN]
    _check_clear(batch, at, clearances.of(driven))
    measured = []
    for name, text in texts.items():
        measures = _measures(courses[name], driven, clearances.of(courses[name])) if name in courses else {}
        ends_apart_m = measures.get("end_distance_m")
        if name != DRIVEN and ends_apart_m is not None and ends_apart_m < COURSE_M - _NOISE:
            batch.add(at, f"options: the course {name!r} ends less than {COURSE_M:g} m from where the driven one does")
        measured.append({"trajectory": text, "course": name, **measures})
    batch.differ(at, "margin", batch.questions[at].fields["margin"], None)
    batch.check_facts(at, {"candidates": measured})


def _told(text: str, derived: Array | None) -> Array | None:
    """The positions that a text lists, if they are those of a course, rounded."""
    told = positions_in(text, COURSE_DECIMALS)
    return told if derived is not None and is_as_derived(told, derived, COURSE_DECIMALS) else None


def _measures(course: Array, driven: Array, clearance: Clearance) -> dict[str, float | None]:
    mean, last = apart_m(course, driven)
    return {"ade_m": mean, "end_distance_m": last, "clearance_m": clearance.metres}


def _check_clear(batch: Batch, at: int, driven: Clearance) -> None:
    if driven.metres is not None and driven.metres <= 0:
        batch.add(at, f"the driven course touches a box ({driven.tracks[0]}), so that nothing is to be said of others")


def _rounds_for_sure(positions: Array) -> bool:
    """Whether no coordinate is so near to a half of the last decimal that it may be rounded to either side."""
    steps = positions / _STEP_M
    return bool((np.abs(steps - np.floor(steps) - 0.5) > _NOISE / _STEP_M).all())


def _where_near(measures: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """Stored distances from the driven course that differ by no more than its rounding can do."""
    near = {}
    for name in ("ade_m", "end_distance_m"):
        told = stored.get(name)
        if isinstance(told, float) and abs(told - measures[name]) <= 2 * _STEP_M:
            near[name] = told
    return near


def _consequence(clearance_m: float, end_distance_m: float) -> str:
    if clearance_m <= 0:
        return _HIT
    if clearance_m < NEAR_MISS_M:
        return _NEAR_MISS
    return _ELSEWHERE if end_distance_m > COURSE_M else _THERE


def _lines(clearances_m: Array, end_distances_m: Array) -> tuple[Line, Line]:
    is_clear = np.isnan(clearances_m) | (clearances_m >= NEAR_MISS_M)
    off_touch = np.minimum(np.abs(clearances_m), np.abs(clearances_m - NEAR_MISS_M))
    return room(off_touch), metres(np.where(is_clear, np.abs(end_distances_m - COURSE_M), np.nan))
