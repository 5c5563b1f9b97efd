"""Checks questions of Waymo's end-to-end data one by one: form, target, wording, answer or reference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from probe4d.benchmarks.auditing.comparing import differences
from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.stride.audit.form import CHECKED_ELSEWHERE, Fault, facts_of, faults_of
from probe4d.benchmarks.stride.audit.references import OWN_FACTS, part_faults, parts_told, reference_faults
from probe4d.benchmarks.stride.audit.waypoints import ANSWER_DECIMALS, is_as_derived, positions_in
from probe4d.benchmarks.stride.audit.wording import wording_faults
from probe4d.benchmarks.stride.templates import Template
from probe4d.benchmarks.stride.thresholds import LEAST_MARGIN, LEAST_ROOM_M, PAST_POSITIONS
from probe4d.benchmarks.stride.waymo.audit.deriving import DERIVED, Asked, Derived
from probe4d.benchmarks.stride.waymo.audit.drives import Array, EndToEndDrive
from probe4d.benchmarks.stride.waymo.audit.targets import BOX_TOLERANCE_M, called, target_faults
from probe4d.benchmarks.stride.waymo.thresholds import ESTIMATED_MARGIN_FACTOR, LEAST_SHARE

__all__ = ["Build", "Checking"]

_CLOSE = 2e-5
"""Facts are rounded to a millionth, and some are sums of such."""
_BY_BOX = ("SP-3", "SU-1")
"""Templates that are derived of the target's box."""
_ABOUT_TARGET = ("objects", "target")
_WHOLLY_ESTIMATED = ("SC-8", "SP-1", "TM-3", "TE-1", "TE-2")
"""Templates taken as told whose lines are all of estimates."""

Row = dict[str, Any]


class Build(NamedTuple):
    """What a build was asked for, as far as it decides what is right.

    Attributes:
        templates: The templates by id.
        positions: Positions that TRJ-5 asks for.
        with_history: Whether trajectory questions are told of the past.
        verbalizer: Who worded references.
        channel: The camera in whose images objects were found; null without objects.
    """

    templates: Mapping[str, Template]
    positions: int
    with_history: bool
    verbalizer: str
    channel: str | None


class Checking:
    """Checks question by question.

    Args:
        table: All questions.
        build: What the build was asked for.
    """

    def __init__(self, table: pl.DataFrame, build: Build) -> None:
        self._build = build
        self._answers: dict[tuple[Any, ...], str] = {}
        columns = ("template", "scene", "frames", "entities", "options", "answer", "format")
        for name, scene, frames, entities, options, answer, kind in table.select(columns).iter_rows():
            if kind == "choice" and len(frames) == 1 and answer in tuple(LETTERS[: len(options)]):
                self._answers[name, scene, frames[0], tuple(entities)] = options[LETTERS.index(answer)]

    def faults(self, row: Row, drive: EndToEndDrive | None) -> Iterator[Fault]:
        """What is wrong with a question.

        Args:
            row: A value for each column, with `derived_id`.
            drive: Its scene; null where the dataset lacks it.
        """
        facts = facts_of(row)
        if drive is None or isinstance(facts, Fault):
            yield facts if isinstance(facts, Fault) else Fault(f"the dataset has no scene {row['scene']!r}")
            return
        for fault in faults_of(row, facts, row["derived_id"], drive.key_frames, self._build.templates):
            yield fault
            if fault.settles:
                return
        template = self._build.templates[row["template"]]
        for fault in target_faults(row, facts, template, drive, self._build.channel):
            yield fault
            if fault.settles:
                return
        told = self._build.with_history and template.may_tell_past
        past = _past(drive, row["frames"][0]) if told else None
        yield from wording_faults(template, row, facts, called=called(facts), past=past)
        for what in self._answer_faults(row, facts, template, drive):
            yield Fault(what)

    def _answer_faults(self, row: Row, facts: Row, template: Template, drive: EndToEndDrive) -> Iterator[str]:
        if template.parts:
            yield from self._composed_faults(row, facts, template, drive)
        elif template.id in DERIVED:
            asked = Asked(row["frames"][0], row["question"], row["options"], facts, self._build.positions)
            yield from _derived_faults(row, facts, template, DERIVED[template.id](drive, asked))
        else:
            yield from _told_faults(row, facts, template)

    def _composed_faults(self, row: Row, facts: Row, template: Template, drive: EndToEndDrive) -> Iterator[str]:
        told, faults = parts_told(template, facts)
        yield from faults
        for name, part in told.items():
            yield from self._part_faults(row, facts, self._build.templates[name], part, drive)
        yield from reference_faults(row["answer"], facts, told, self._build.verbalizer)
        yield from differences("margin", row["margin"], None)
        strange = sorted({*_own(facts, template)} - {*OWN_FACTS})
        if strange:
            yield f"facts: tell {', '.join(strange)}, which no reference has"

    def _part_faults(
        self, row: Row, facts: Row, part_of: Template, part: Mapping[str, Any], drive: EndToEndDrive
    ) -> Iterator[str]:
        """What is wrong with a part: derived where it can be, else held to its form and to the question for it."""
        name, answer, stored = part_of.id, part["answer"], part.get("facts")
        about = tuple(row["entities"]) if part_of.has_target else ()
        known = self._answers.get((name, row["scene"], row["frames"][0], about))
        if known is not None and known != answer:
            yield f"its part {name} says {answer!r}, the question {known!r}"
        own = dict(stored) if isinstance(stored, dict) else {}
        if name in DERIVED:
            with_target = {**own, **{key: facts[key] for key in _ABOUT_TARGET if key in facts}}
            asked = Asked(row["frames"][0], "", (), with_target, self._build.positions)
            derived = DERIVED[name](drive, asked)
            if derived.answer is None or derived.is_too_close(_close(name)):
                yield f"facts.reference_parts: {name} has no answer there, or one too near to a line"
                return
            answer, own = derived.answer, derived.facts
        elif answer not in part_of.options:
            yield f"facts.reference_parts: {name} cannot be {answer!r}"
        own = {key: value for key, value in own.items() if key != "estimated"}
        own |= {"estimated": True} if part_of.is_estimated else {}
        yield from part_faults(part_of, part, answer=answer, facts=own, called=called(facts), tolerance=_close(name))


def _past(drive: EndToEndDrive, query: int) -> Array:
    """Past positions in the ego frame of a query frame, the oldest first, and the speed, shape (9,)."""
    places = drive.places(query, query - PAST_POSITIONS, query - 1)
    return np.append(np.column_stack([places.real, places.imag]).ravel(), drive.speeds_mps(query - 1, query)[0])


def _close(name: str) -> float:
    return BOX_TOLERANCE_M if name in _BY_BOX else _CLOSE


def _own(facts: Row, template: Template) -> Row:
    """Facts that are about the answer itself."""
    about_target = _ABOUT_TARGET if template.has_target else ()
    return {name: value for name, value in facts.items() if name not in (*CHECKED_ELSEWHERE, *about_target)}


def _derived_faults(row: Row, facts: Row, template: Template, derived: Derived) -> Iterator[str]:
    """Compare answer, facts and margin with what was derived."""
    close = _close(template.id)
    if derived.answer is None:
        yield "the dataset gives no answer to it"
        return
    if isinstance(derived.answer, str):
        stored = row["options"][LETTERS.index(row["answer"])]
        if stored != derived.answer:
            yield f"answer: stored {stored!r}, derived {derived.answer!r}"
    else:
        wanted = np.column_stack([derived.answer.real, derived.answer.imag])
        if not is_as_derived(positions_in(row["answer"], ANSWER_DECIMALS), wanted, ANSWER_DECIMALS):
            yield f"answer: stored {row['answer']}, derived {wanted.round(ANSWER_DECIMALS).tolist()}"
    distance, unit = derived.margin or (None, None)
    expected = derived.facts if unit is None else derived.facts | {"margin_unit": unit}
    yield from differences("facts", _own(facts, template), expected, tolerance=close)
    yield from differences("margin", row["margin"], distance, tolerance=close)
    if derived.is_too_close(close):
        yield "lies nearer to a line at which the answer changes than its least margin"


def _told_faults(row: Row, facts: Row, template: Template) -> Iterator[str]:
    """Check the margin of an answer that is taken as it is told."""
    margin, unit = row["margin"], facts.get("margin_unit")
    if margin is None and "margin_unit" not in facts:
        return
    least = _least_told(template.id, unit)
    if margin is None or least is None:
        yield f"margin: stored {margin} {unit!r}, which is no distance from a line"
    elif not margin >= least - _CLOSE:
        yield f"margin: stored {margin} {unit}, and nearer than {least:g} to a line nothing is asked"


def _least_told(template: str, unit: Any) -> float | None:
    """Least margin of a template that is taken as told; null of a unit that it does not have."""
    if template == "SP-5":
        return LEAST_SHARE if unit == "share" else None
    if not isinstance(unit, str) or unit not in LEAST_MARGIN:
        return None
    if template in _WHOLLY_ESTIMATED or (template, unit) == ("TM-2", "metres"):
        return ESTIMATED_MARGIN_FACTOR * LEAST_MARGIN[unit]
    return LEAST_ROOM_M if unit == "metres" else LEAST_MARGIN[unit]
