"""Holds verdicts against what they rest on: whether what was measured says yes or no, and what the answer was."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from probe4d.benchmarks.b4dl.audit.drive import Drive, Flags, Way
from probe4d.benchmarks.b4dl.audit.facts import Facts, shape_of
from probe4d.benchmarks.b4dl.audit.form import Fault, Row, as_stored, interval_of, without_marks
from probe4d.benchmarks.b4dl.audit.joined import faults_of_parts, joined_truth, parts_of
from probe4d.benchmarks.b4dl.audit.measured import Claimed, faults_of_measures, may_be_meant, surely_there
from probe4d.benchmarks.b4dl.audit.motions import MOTIONS, Moving, may_do, may_not_do
from probe4d.benchmarks.b4dl.audit.words import Number, asked_of, noun_of_class

__all__ = ["claimed_of", "faults_of_verdict", "is_derived"]

_OF_PRESENCE = ("presence", "within", "beyond", "nearest")
_OF_TWO = ("left-of", "right-of", "in-front-of", "in-back-of")
_OFTEN = 0.5
"""Part of the frames in which a thing has to be to be there for some time."""
_GAP_FRAMES = 3
"""Frames in a row without it that say that it is not there all the time."""


def claimed_of(row: Row, facts: Facts) -> Claimed | None:
    """A question as its claim is measured; null where nothing was measured of it."""
    shape = shape_of(facts.measured)
    if shape is None or shape == "unmeasured" or facts.claim is None:
        return None
    asked = asked_of(row["question"])
    nouns, frames = asked.nouns, asked.frames or (facts.start, facts.end)
    if row["template"] == "existence-class":
        noun = noun_of_class(_answered(row, facts))
        nouns = () if noun is None else (noun,)
    if facts.claim in _OF_TWO:
        asked = asked._replace(places=())  # those of the other thing
    if row["format"] == "interval":
        asked = asked._replace(lasts=False)  # the answer says how long
        frames = interval_of(_answered(row, facts)) or frames
    return Claimed(facts, shape, facts.claim, asked, nouns, frames)


def is_derived(row: Row, facts: Facts, claimed: Claimed | None) -> bool:
    """Whether the audit can tell by itself if a verdict is right; else it is taken as told."""
    if claimed is None or not facts.is_decided or not claimed.asked.is_clear:
        return False
    if claimed.shape == "joined":
        parts = parts_of(row, facts) or ()
        decided = [part for part in parts if part.facts.is_decided]
        return all(is_derived(part.row, part.facts, claimed_of(part.row, part.facts)) for part in decided)
    if claimed.shape in ("nothing", "outside"):
        return claimed.claim != "count" or claimed.asked.number is not None
    if claimed.shape == "things" and claimed.claim == "count":
        return claimed.asked.number is not None
    if claimed.shape == "things":
        return claimed.claim in _OF_PRESENCE
    return claimed.claim in MOTIONS


def faults_of_verdict(drive: Drive, row: Row, facts: Facts, claimed: Claimed | None) -> Iterator[Fault]:
    """Check a verdict, and an answer that was corrected."""
    if claimed is None:
        if facts.is_decided:
            yield Fault(f"the verdict is {facts.verdict!r}, and rests on no measure", "verdict")
        elif facts.measured:
            yield Fault(f"measures are {sorted(facts.measured)}, which belong to no claim", "measured")
        return
    if claimed.shape == "joined":
        yield from _of_joined(drive, row, facts)
        return
    if not is_derived(row, facts, claimed):
        return
    said = _said(drive, claimed)
    if not said:
        yield Fault(f"the verdict is {facts.verdict!r}, and what was measured gives none", "verdict")
    elif len(said) == 1:
        (holds,) = said
        right = "supported" if holds == _affirms(row, facts) else "contradicted"
        if facts.verdict != right:
            yield Fault(f"verdict: stored {facts.verdict!r}, derived {right!r}", "verdict")
    if facts.corrected:
        yield from _of_correction(drive, row, claimed)


def _of_joined(drive: Drive, row: Row, facts: Facts) -> Iterator[Fault]:
    """Check both clauses of a question, each as one of its own, and that its verdict follows from theirs."""
    parts = parts_of(row, facts)
    if parts is None:
        yield Fault("measured.clauses does not hold two clauses", "measured")
        return
    yield from faults_of_parts(row, facts, parts)
    for number, part in enumerate(parts, start=1):
        claimed = claimed_of(part.row, part.facts)
        found: list[Fault] = []
        if claimed is not None and claimed.shape == "joined":
            found.append(Fault("is no single one", "measured"))
        elif claimed is not None and not 0 <= claimed.frames[0] <= claimed.frames[1] < drive.key_frames:
            found.append(Fault(f"is about frames {claimed.frames}, and the scene has {drive.key_frames}", "frames"))
        else:
            found += [] if claimed is None else faults_of_measures(drive, claimed)
            found += faults_of_verdict(drive, part.row, part.facts, claimed)
        yield from (fault._replace(what=f"clause {number}: {fault.what}") for fault in found)
    truth = joined_truth(facts.claim or "", [part.holds for part in parts])
    if not facts.is_decided:
        return
    right = None if truth is None else "supported" if truth == _affirms(row, facts) else "contradicted"
    if facts.verdict != right:
        yield Fault(f"verdict: stored {facts.verdict!r}, derived {right!r} from its clauses", "verdict")


def _affirms(row: Row, facts: Facts) -> bool:
    """Whether what the model answered, also as free text, says that the claim is so."""
    return without_marks(_answered(row, facts)).capitalize() != "No"


def _answered(row: Row, facts: Facts) -> str:
    """What the model answered, as a question holds it."""
    return row["answer"] if facts.generated_answer is None else as_stored(row["template"], facts.generated_answer)


def _said(drive: Drive, claimed: Claimed) -> set[bool]:
    """Whether the claim as it is worded may be so, and may not be."""
    turned = claimed.asked.negations % 2 == 1
    return {holds != turned for holds in _holding(drive, claimed)}


def _holding(drive: Drive, claimed: Claimed) -> set[bool]:
    measured = claimed.facts.measured
    if claimed.claim == "count" and claimed.asked.number is not None:
        return _of_number(claimed.asked.number, measured["candidates"], measured.get("sure", 0))
    match claimed.shape:
        case "nothing" | "outside":
            return {False}
        case "things":
            if "overlap" in measured:
                return {False}
            return _of_presence(drive, claimed)
        case "ego":
            return _of_way(drive, drive.ego, claimed, is_ego=True)
        case _:
            return _of_objects(drive, claimed)


def _of_presence(drive: Drive, claimed: Claimed) -> set[bool]:
    """What may be said where something may be there: that it surely is, or, of all of some time, that it is not."""
    surely = claimed.facts.measured["sure"]
    is_sure = isinstance(surely, int) and surely > 0
    if not claimed.asked.lasts:
        return {True} if is_sure else set()
    sure = np.isfinite(surely_there(drive, claimed)).any(axis=0)
    around: list[Flags] = [np.asarray(may_be_meant(drive, claimed, noun).any(axis=0)) for noun in claimed.nouns]
    may = {True: is_sure and sure.mean() >= _OFTEN, False: any(_is_gone(flags) for flags in around)}
    return {holds for holds, so in may.items() if so}


def _is_gone(flags: Flags) -> bool:
    """Whether there is nothing in three frames in a row, or in all where they are fewer."""
    gaps = "".join("01"[int(flag)] for flag in flags).split("1")
    return max(map(len, gaps)) >= min(_GAP_FRAMES, len(flags))


def _of_number(number: Number, candidates: Any, surely: Any) -> set[bool]:
    """Whether there may be as many, of so many that may be called so, and so many that surely are."""
    if not (isinstance(candidates, int) and isinstance(surely, int)):
        return set()
    few_enough = number.surely_most is None or candidates <= number.surely_most
    may = {
        True: few_enough and (number.least is None or surely >= number.least),
        False: (number.least is not None and candidates < number.least)
        or (number.most is not None and surely > number.most),
    }
    return {holds for holds, so in may.items() if so}


def _of_way(drive: Drive, way: Way, claimed: Claimed, *, is_ego: bool) -> set[bool]:
    wide = drive.widened(*claimed.frames)
    own = wide if claimed.frames[0] == claimed.frames[1] else claimed.frames
    moving = Moving(way.over(*own), way.over(*wide), is_ego)
    if np.isnan(moving.own.place.real).all():
        return {False}
    whole = not np.isnan(moving.own.place.real).any()
    may = {True: whole and may_do(claimed.claim, moving), False: may_not_do(claimed.claim, moving)}
    return {holds for holds, so in may.items() if so}


def _of_objects(drive: Drive, claimed: Claimed) -> set[bool]:
    """What may be said of the object that is named; that none does it only where no other may do it."""
    row = drive.row_of(claimed.facts.measured["track"])
    if row is None:
        return set()
    said = _of_way(drive, drive.way(row), claimed, is_ego=False)
    if True in said and claimed.nouns and not any(noun.surely(drive.categories[row]) for noun in claimed.nouns):
        said = said - {True}
    if False in said and len(claimed.nouns) == 1:
        others = np.flatnonzero(may_be_meant(drive, claimed, claimed.nouns[0]).any(axis=1)).tolist()
        if any(False not in _of_way(drive, drive.way(other), claimed, is_ego=False) for other in others):
            said = said - {False}
    return said


def _of_correction(drive: Drive, row: Row, claimed: Claimed) -> Iterator[Fault]:
    """See that a corrected answer is one that geometry gives."""
    answer = row["answer"]
    if row["template"] == "existence-class":
        noun = noun_of_class(answer)
        there = drive.there[:, claimed.frames[0] : claimed.frames[1] + 1].any(axis=1)
        if noun is None or not (drive.called(noun.surely) & there).any():
            yield Fault(f"was corrected to {answer!r}, and nothing annotated so is there", "grounded")
    elif row["format"] == "interval":
        interval = interval_of(answer)
        if interval is not None and not _may_be_in(drive, claimed._replace(frames=interval)):
            yield Fault(f"was corrected to {answer!r}, where it does not happen", "grounded")


def _may_be_in(drive: Drive, claimed: Claimed) -> bool:
    """Whether a claim may be so in its frames."""
    turned = claimed.asked.negations % 2 == 1
    if claimed.claim in _OF_PRESENCE and len(claimed.nouns) == 1 and not turned:
        first, last = claimed.frames
        of_word = drive.called(claimed.nouns[0].possibly)
        return bool(drive.there[of_word, first : last + 1].any(axis=0).all())
    if claimed.claim not in MOTIONS or turned:
        return True
    # Cut to the frames in which something happens, an interval may miss a line; it never surely does not happen.
    if claimed.shape == "ego":
        return _of_way(drive, drive.ego, claimed, is_ego=True) != {False}
    first, last = drive.widened(*claimed.frames)
    there = drive.there[:, first : last + 1].any(axis=1)
    meant = np.any([drive.called(noun.possibly) & there for noun in claimed.nouns], axis=0)
    ways = (drive.way(row) for row in np.flatnonzero(meant).tolist())
    return any(_of_way(drive, way, claimed, is_ego=False) != {False} for way in ways)
