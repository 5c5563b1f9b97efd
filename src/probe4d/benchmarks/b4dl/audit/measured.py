"""Holds what facts say was measured against the recorded scene: tracks, boxes, places, ways, and the words for them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from probe4d.benchmarks.auditing.comparing import differences
from probe4d.benchmarks.b4dl.audit.drive import Drive, Flags, Way, first_and_last
from probe4d.benchmarks.b4dl.audit.facts import Facts, Shape
from probe4d.benchmarks.b4dl.audit.form import Fault
from probe4d.benchmarks.b4dl.audit.words import Asked, Noun

__all__ = ["Claimed", "faults_of_measures", "may_be_meant", "surely_there"]

_ROUNDED = 0.005 + 1e-6
"""Numbers of facts are rounded to two decimals."""
_WORDED_M, _WORDED_DEG = 0.05 + 1e-6, 0.5 + 1e-6

_PLACED = re.compile(r"(\d+\.\d) m away at a bearing of (-?\d+) degrees in frame (\d+)")
_GOES = re.compile(r"goes (?P<way_m>\d+(?:\.\d+)?) m over ground and turns by (?P<turn_deg>-?\d+(?:\.\d+)?) degrees")
_EGO_GOES = re.compile(
    r"goes (?P<way_m>\d+(?:\.\d+)?) m .*, at (?P<speed_start_mps>\d+(?:\.\d+)?|None) m/s first and "
    r"(?P<speed_end_mps>\d+(?:\.\d+)?|None) m/s last, and turns by (?P<turn_deg>-?\d+(?:\.\d+)?) degrees"
)
_HALF_PLANES = {"front": (1.0, 0.0), "back": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}
_WITHOUT_PLACE = ("presence", "count")
"""Claims about all things that a word may mean, where no place is named."""


class Claimed(NamedTuple):
    """A question as its claim is measured.

    Attributes:
        facts: Its facts.
        shape: What was measured.
        claim: Its claim.
        asked: What its words say.
        nouns: What the words for its subject, and for others beside it, stand for.
        frames: The first and last key frame that it is about.
    """

    facts: Facts
    shape: Shape
    claim: str
    asked: Asked
    nouns: tuple[Noun, ...]
    frames: tuple[int, int]


def may_be_meant(drive: Drive, claimed: Claimed, noun: Noun) -> Flags:
    """Where tracks are that a claim of presence, distance or motion may be about wherever borders are drawn.

    They have a box on the named side of the ego vehicle.

    Returns:
        Shape (T, f): in the frames of the claim, the one before and the one after.
    """
    first, last = drive.widened(*claimed.frames)
    at = drive.seen_at[:, first : last + 1]
    inside = drive.there[:, first : last + 1]
    for place in claimed.asked.places:
        along, across = _HALF_PLANES[place]
        inside = inside & (along * at.real + across * at.imag > 0)
    if claimed.claim in ("within", "beyond"):
        limit = claimed.asked.metres[0] if len(claimed.asked.metres) == 1 else np.nan
        inside = inside & ((np.abs(at) <= limit) if claimed.claim == "within" else (np.abs(at) >= limit))
    meant: Flags = drive.called(noun.possibly)[:, None] & inside
    return meant


def faults_of_measures(drive: Drive, claimed: Claimed) -> Iterator[Fault]:
    """Compare what was measured with what the scene holds."""
    match claimed.shape:
        case "nothing":
            yield from _of_nothing(drive, claimed)
        case "things":
            yield from _of_things(drive, claimed)
        case "motion":
            yield from _of_motion(drive, claimed)
        case "ego":
            yield from _of_ego(drive, claimed)
        case "outside":
            whole = {"sequence": [claimed.facts.start, claimed.facts.end], "answer": list(claimed.frames)}
            yield from _differ(claimed.facts.measured, whole)


def _differ(stored: dict[str, Any], derived: dict[str, Any], tolerance: float = _ROUNDED) -> Iterator[Fault]:
    told = {name: stored[name] for name in derived}
    return (Fault(what, "measured") for what in differences("measured", told, derived, tolerance=tolerance))


def _of_nothing(drive: Drive, claimed: Claimed) -> Iterator[Fault]:
    wide = drive.widened(*claimed.frames)
    yield from _differ(claimed.facts.measured, {"frames": list(wide), "candidates": 0})
    yield from _when(claimed, wide)
    found = [may_be_meant(drive, claimed, noun) for noun in claimed.nouns]
    if found and all(there.any() for there in found) and claimed.claim not in ("nearest", "nearer", "farther"):
        row = int(np.flatnonzero(found[0].any(axis=1))[0])
        there = f"track {drive.tracks[row]}, annotated as {drive.categories[row]}, is there"
        yield Fault(f"measured.candidates: stored 0, and {there} between frames {wide[0]} and {wide[1]}", "absence")


def _of_things(drive: Drive, claimed: Claimed) -> Iterator[Fault]:
    facts, measured = claimed.facts, claimed.facts.measured
    first, last = claimed.frames
    wide = drive.widened(first, last)
    yield from _differ(measured, {"frames": [first, last]})
    row, frame = drive.row_of(measured["track"]), _count(measured["frame"])
    surely = _count(measured["sure"])
    if row is None or frame is None or not wide[0] <= frame <= wide[1] or not drive.there[row, frame]:
        yield Fault(
            f"the track {measured['track']!r} has no box in frame {measured['frame']!r} of {wide[0]} to {wide[1]}",
            "measured",
        )
        return
    if surely and not first <= frame <= last:
        yield Fault(f"measured.frame: {frame} is not among frames {first} to {last}", "measured")
    yield from _differ(measured, _thing(drive, row, frame))
    yield from _candidates(drive, claimed, wide)
    yield from _sure(drive, claimed)
    yield from _fits(drive, claimed, row, surely=bool(surely))
    if surely and _is_exact(claimed) and not claimed.nouns[0].ridden:
        nearest = np.abs(surely_there(drive, claimed)).min()  # infinite where nothing is sure, which is named above
        if abs(drive.seen_at[row, frame]) > nearest + 1e-6:
            yield Fault(f"measured.range_m: another is {nearest:.2f} m away", "measured")
    number = f"{measured['sure']} surely"
    if claimed.claim == "count":
        yield from _says(facts, f"{number} and {measured['candidates']} possibly called")
        return
    yield from _placed(claimed, drive, row, (frame,))
    yield from _says(facts, f"annotated as {drive.categories[row]} is")
    if "(looked at" in facts.why:
        yield from _says(facts, f"{number}, {measured['candidates']} possibly called")


def _candidates(drive: Drive, claimed: Claimed, wide: tuple[int, int]) -> Iterator[Fault]:
    """Compare how many things may be meant: all that may be called so, or of those at a place some."""
    there = drive.there[:, wide[0] : wide[1] + 1].any(axis=1)
    called = [drive.called(noun.possibly) & there for noun in claimed.nouns]
    most = max((int(flags.sum()) for flags in called), default=0)
    stored = _count(claimed.facts.measured["candidates"])
    wrong = stored is None or not 1 <= stored <= most or (_is_exact(claimed) and stored != most)
    if wrong:
        told = claimed.facts.measured["candidates"]
        yield Fault(f"measured.candidates: stored {told!r}, derived {most}", "measured")


def _sure(drive: Drive, claimed: Claimed) -> Iterator[Fault]:
    """Compare how many things surely are there; none are where words make them fewer."""
    derived = int(np.isfinite(surely_there(drive, claimed)).any(axis=1).sum())
    exact = _is_exact(claimed) and not claimed.nouns[0].ridden
    if _count(claimed.facts.measured["sure"]) not in ({0, derived} if exact else range(derived + 1)):
        told = claimed.facts.measured["sure"]
        yield Fault(f"measured.sure: stored {told!r}, derived {derived}", "measured")


def _is_exact(claimed: Claimed) -> bool:
    """Whether a claim is about all that its one word may mean, wherever it is."""
    is_of_all = claimed.shape == "motion" or claimed.claim in _WITHOUT_PLACE
    return is_of_all and len(claimed.nouns) == 1 and not claimed.asked.places


def surely_there(drive: Drive, claimed: Claimed) -> Any:
    """Places of what surely is called so and shows in the frames of a claim, infinite elsewhere."""
    surely = np.zeros(len(drive.tracks), dtype=np.bool_)
    for noun in claimed.nouns:
        surely |= drive.called(noun.surely)
    part = slice(claimed.frames[0], claimed.frames[1] + 1)
    return np.where(surely[:, None] & drive.shows[:, part], drive.seen_at[:, part], np.inf)


def _fits(drive: Drive, claimed: Claimed, row: int, *, surely: bool) -> Iterator[Fault]:
    """See that a thing is one that the question's words may mean, or surely mean."""
    category = drive.categories[row]
    if claimed.nouns and not any((noun.surely if surely else noun.possibly)(category) for noun in claimed.nouns):
        yield Fault(f"rests on a {category}, which no word of the question means", "class")


def _of_motion(drive: Drive, claimed: Claimed) -> Iterator[Fault]:
    measured = claimed.facts.measured
    wide = drive.widened(*claimed.frames)
    inner = wide if claimed.frames[0] == claimed.frames[1] else claimed.frames
    yield from _differ(measured, {"frames": list(inner)})
    row = drive.row_of(measured["track"])
    if row is None or not drive.there[row, wide[0] : wide[1] + 1].any():
        yield Fault(f"the track {measured['track']!r} has no box in frames {wide[0]} to {wide[1]}", "measured")
        return
    there = drive.there[row].copy()
    there[: inner[0]] = there[inner[1] + 1 :] = False
    first, last = first_and_last(there if there.any() else drive.there[row])
    way = drive.way(row).over(first, last)
    ends = {"range_end_m": float(way.range_m[-1]), "box_end": drive.tokens[row, last]}
    yield from _differ(measured, _thing(drive, row, first) | ends | _way(way))
    yield from _candidates(drive, claimed, wide)
    yield from _fits(drive, claimed, row, surely=False)
    yield from _placed(claimed, drive, row, (first, last))
    yield from _says(claimed.facts, f"annotated as {drive.categories[row]} is")
    yield from _goes(claimed, _way(way), _GOES)


def _of_ego(drive: Drive, claimed: Claimed) -> Iterator[Fault]:
    measured = claimed.facts.measured
    frames = drive.widened(*claimed.frames) if claimed.frames[0] == claimed.frames[1] else claimed.frames
    yield from _differ(measured, {"frames": list(frames)} | _way(drive.ego.over(*frames)))
    yield from _when(claimed, frames)
    yield from _goes(claimed, _way(drive.ego.over(*frames)), _EGO_GOES)


def _thing(drive: Drive, row: int, frame: int) -> dict[str, Any]:
    at, points = drive.seen_at[row, frame], int(drive.lidar_points[row, frame])
    return {
        "track": str(drive.tracks[row]),
        "category": drive.categories[row],
        "frame": frame,
        "box": drive.tokens[row, frame],
        "range_m": float(abs(at)),
        "bearing_deg": float(np.degrees(np.angle(at))),
        "lidar_points": None if points < 0 else points,
    }


def _way(way: Way) -> dict[str, Any]:
    speeds = [None if np.isnan(speed) else float(speed) for speed in way.speed_mps] or [None]
    return {
        "way_m": way.way_m,
        "speed_start_mps": speeds[0],
        "speed_end_mps": speeds[-1],
        "turn_deg": way.turned_deg,
    }


def _placed(claimed: Claimed, drive: Drive, row: int, frames: tuple[int, ...]) -> Iterator[Fault]:
    """Compare where a sentence says that a thing is."""
    found = [(float(far), float(bearing), int(frame)) for far, bearing, frame in _PLACED.findall(claimed.facts.why)]
    if len(found) != len(frames):
        yield Fault(f"why: does not say where the object is in frames {list(frames)}", "why")
        return
    for (far, bearing, told), frame in zip(found, frames, strict=True):
        at = drive.seen_at[row, frame]
        turned = abs((bearing - np.degrees(np.angle(at)) + 180) % 360 - 180)
        if told != frame or abs(far - abs(at)) > _WORDED_M or turned > _WORDED_DEG:
            derived = f"{abs(at):.1f} m away at {np.degrees(np.angle(at)):.0f} degrees in frame {frame}"
            yield Fault(f"why: stored {far} m away at {bearing} degrees in frame {told}, derived {derived}", "why")


def _goes(claimed: Claimed, way: dict[str, Any], pattern: re.Pattern[str]) -> Iterator[Fault]:
    """Compare what a sentence says of a way."""
    found = pattern.search(claimed.facts.why)
    if found is None:
        yield Fault("why: does not say how it goes and turns", "why")
        return
    told = {name: None if text == "None" else float(text) for name, text in found.groupdict().items()}
    derived = {name: way[name] for name in told}
    yield from (Fault(what, "why") for what in differences("why", told, derived, tolerance=_ROUNDED))


def _when(claimed: Claimed, frames: tuple[int, int]) -> Iterator[Fault]:
    first, last = frames
    return _says(
        claimed.facts, f"in frame {first:03d}" if first == last else f"from frame {first:03d} to frame {last:03d}"
    )


def _says(facts: Facts, *parts: str) -> Iterator[Fault]:
    """See that a sentence holds some words."""
    for part in parts:
        if part not in facts.why:
            yield Fault(f"why: does not say {part!r}", "why")


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
