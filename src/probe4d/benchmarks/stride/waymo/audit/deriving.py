"""Derives answers from poses, ego states, ratings, clusters and the target's box, each by a path of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.auditing.comparing import differences
from probe4d.benchmarks.stride.audit.waypoints import COURSE_DECIMALS, is_as_derived, positions_in
from probe4d.benchmarks.stride.audit.wording import trajectory_in
from probe4d.benchmarks.stride.templates.waymo import WAYMO_TEMPLATES
from probe4d.benchmarks.stride.thresholds import (
    ASIDE_M,
    BESIDE_BEHIND_M,
    EGO_TURN_DEG,
    FRAME_SPACING_S,
    FREE_AHEAD_M,
    FUTURE_POSITIONS,
    HISTORY_FRAMES,
    LANE_FAR_SIDE_M,
    LEAST_MARGIN,
    MOVED_M,
    PATH_AHEAD_M,
    PATH_HALF_WIDTH_M,
    SPEED_CHANGE_MPS,
    STILL_MPS,
)
from probe4d.benchmarks.stride.waymo.audit.drives import EndToEndDrive
from probe4d.benchmarks.stride.waymo.thresholds import (
    ACTION_ASIDE_M,
    ESTIMATED_DISTANCE_BOUNDS_M,
    ESTIMATED_MARGIN_FACTOR,
    LEAST_POINT_ROOM_M,
    LEAST_RATING_LEAD,
    LEAST_RATING_POINTS,
    RATING_BOUNDS,
)

__all__ = ["DERIVED", "Asked", "Derived"]

_POSITIONS = 10
_NOW, _LATER = "present", "0.25 s later"
_METRES, _SPEED, _DEGREES, _POINTS = "metres", "metres per second", "degrees", "points"
_Places = NDArray[np.complex128]


class Asked(NamedTuple):
    """A question as it is stored.

    Attributes:
        frame: The query frame.
        text: Its text.
        options: Texts of its options.
        facts: Its facts.
        positions: Positions that the benchmark's TRJ-5 asks for.
    """

    frame: int
    text: str
    options: Sequence[str]
    facts: Mapping[str, Any]
    positions: int


class Derived(NamedTuple):
    """What is right.

    Attributes:
        answer: Text of the right option, or positions; null where there is no answer.
        facts: Measures by name.
        lines: Distance from each line that matters, its unit, and its least margin.
    """

    answer: str | _Places | None
    facts: dict[str, Any]
    lines: tuple[tuple[float, str, float], ...] = ()

    @property
    def margin(self) -> tuple[float, str] | None:
        """Distance and unit of the line that is nearest in its least margin; null without lines."""
        if not self.lines:
            return None
        distance, unit, _ = min(self.lines, key=lambda line: round(line[0] / line[2], 6))
        return distance, unit

    def is_too_close(self, close: float) -> bool:
        """Whether a line is nearer than its least margin by more than numbers round apart."""
        return any(distance < least - close for distance, _, least in self.lines)


_NOTHING = Derived(None, {})


def _line(distance: float, unit: str, least: float | None = None) -> tuple[float, str, float]:
    return abs(distance), unit, LEAST_MARGIN[unit] if least is None else least


def _options(template: str) -> tuple[str, ...]:
    return WAYMO_TEMPLATES[template].options


def _target_place(drive: EndToEndDrive, asked: Asked) -> complex | None:
    target = asked.facts.get("target")
    if not isinstance(target, dict):
        return None
    return drive.on_ground(asked.frame, str(target.get("channel")), target["bounds"])


def _distance(drive: EndToEndDrive, asked: Asked) -> Derived:
    place = _target_place(drive, asked)
    if place is None:
        return _NOTHING
    bin_ = sum(abs(place) >= bound for bound in ESTIMATED_DISTANCE_BOUNDS_M)
    least = ESTIMATED_MARGIN_FACTOR * LEAST_MARGIN[_METRES]
    lines = [_line(abs(place) - bound, _METRES, least) for bound in ESTIMATED_DISTANCE_BOUNDS_M]
    facts = {"x_m": place.real, "y_m": place.imag, "range_m": abs(place)}
    return Derived(_options("SP-3")[bin_], facts, tuple(lines))


def _constraint(drive: EndToEndDrive, asked: Asked) -> Derived:
    place = _target_place(drive, asked)
    if place is None:
        return _NOTHING
    way = max(-place.real, place.real - PATH_AHEAD_M, abs(place.imag) - PATH_HALF_WIDTH_M)
    along = max(-BESIDE_BEHIND_M - place.real, place.real - FREE_AHEAD_M)
    left, right = (
        max(along, PATH_HALF_WIDTH_M - aside, aside - LANE_FAR_SIDE_M) for aside in (place.imag, -place.imag)
    )
    blocks, on_left, on_right, none = _options("SU-1")
    answer = blocks if way <= 0 else on_left if left <= 0 else on_right if right <= 0 else none
    room = abs(way) if way <= 0 else min(abs(way), abs(left), abs(right))
    facts = {"x_m": place.real, "y_m": place.imag, "ahead_separation_m": way, "left_separation_m": left}
    facts |= {"right_separation_m": right, "heading_deg": 0.0, "length_m": 0.0, "width_m": 0.0}
    return Derived(answer, facts, (_line(room, _METRES, LEAST_POINT_ROOM_M),))


def _pattern(drive: EndToEndDrive, first: int, last: int, options: Sequence[str]) -> Derived:
    speeds, turned = drive.speeds_mps(first, last), drive.turned_deg(first, last)
    steps = np.diff(drive.times_s[first : last + 1])
    mean = float((speeds * steps).sum() / steps.sum())
    halves = [float((speeds[half] * steps[half]).sum() / steps[half].sum()) for half in (slice(-2, None), slice(2))]
    change = halves[0] - halves[1]
    still, steady, faster, slower, left, right = options
    if mean < STILL_MPS:
        answer, lines = still, [_line(mean - STILL_MPS, _SPEED)]
    else:
        lines = [_line(mean - STILL_MPS, _SPEED), _line(abs(turned) - EGO_TURN_DEG, _DEGREES)]
        if abs(turned) > EGO_TURN_DEG:
            answer = left if turned > 0 else right
        else:
            lines.append(_line(abs(change) - SPEED_CHANGE_MPS, _SPEED))
            answer = steady if abs(change) <= SPEED_CHANGE_MPS else faster if change > 0 else slower
    facts: dict[str, Any] = {"mean_speed_mps": mean, "speed_change_mps": change, "heading_change_deg": turned}
    facts |= {"speeds_mps": speeds.tolist()}
    return Derived(answer, facts, tuple(lines))


def _past_manoeuvre(drive: EndToEndDrive, asked: Asked) -> Derived:
    return _pattern(drive, asked.frame - HISTORY_FRAMES, asked.frame, _options("TM-5"))


def _future_manoeuvre(drive: EndToEndDrive, asked: Asked) -> Derived:
    derived = _pattern(drive, asked.frame, asked.frame + FUTURE_POSITIONS, _options("TRJ-1"))
    speeds = derived.facts["speeds_mps"]
    return derived._replace(facts=derived.facts | {"first_speed_mps": speeds[0], "last_speed_mps": speeds[-1]})


def _future_position(drive: EndToEndDrive, asked: Asked) -> Derived:
    last = asked.frame + FUTURE_POSITIONS
    end = complex(drive.places(asked.frame, last, last)[0])
    ahead, left, right, near = _options("TRJ-2")
    lines = [_line(abs(end) - MOVED_M, _METRES)]
    answer: str | None = near
    if abs(end) >= MOVED_M:
        lines.append(_line(abs(end.imag) - ASIDE_M, _METRES))
        aside = left if end.imag > 0 else right
        answer = None if end.real <= 0 else ahead if abs(end.imag) <= ASIDE_M else aside
    facts = {"end_x_m": end.real, "end_y_m": end.imag, "end_distance_m": abs(end)}
    return Derived(answer, facts, tuple(lines))


def _waypoints(drive: EndToEndDrive, asked: Asked) -> Derived:
    places = drive.future(asked.frame, asked.positions)
    if places is None:
        return _NOTHING
    facts = {
        "waypoints_m": np.column_stack([places.real, places.imag]).tolist(),
        "spacing_s": FRAME_SPACING_S,
        "direction": "future",
        "speed_mps": float(drive.speeds_mps(asked.frame - 1, asked.frame)[0]),
        "positions_from": "ego states",
    }
    return Derived(places, facts)


def _scene_class(drive: EndToEndDrive, asked: Asked) -> Derived:
    cluster = drive.driving[asked.frame]["cluster"]
    return Derived(cluster, {"cluster": cluster})


def _rated(drive: EndToEndDrive, asked: Asked) -> list[tuple[float, _Places]]:
    """Scores and positions half a second apart of the rated trajectories, by what their first position is said to be.

    With 4 Hz, positions half a second apart are every other one: from the third where the first is of the present,
    else from the second.
    """
    first = 2 if _first_position(asked) == _NOW else 1
    found = []
    for one in drive.driving[asked.frame]["rated"]:
        if one["score"] is not None and one["x_m"] and None not in (*one["x_m"], *one["y_m"]):
            places = np.array(one["x_m"], dtype=np.float64) + 1j * np.array(one["y_m"], dtype=np.float64)
            found.append((float(one["score"]), places[first::2][:_POSITIONS]))
    return sorted(found, key=lambda pair: -pair[0])


def _is_text_of(text: str, places: _Places) -> bool:
    """Whether a text lists the first of some places, rounded."""
    told = positions_in(text, COURSE_DECIMALS)
    if told is None or len(told) > len(places):
        return False
    return is_as_derived(told, np.column_stack([places.real, places.imag])[: len(told)], COURSE_DECIMALS)


def _first_position(asked: Asked) -> str:
    """When the first position of rated trajectories is said to be."""
    return _NOW if asked.facts.get("first_position") == _NOW else _LATER


def _best(drive: EndToEndDrive, asked: Asked) -> Derived:
    rated = _rated(drive, asked)
    texts = [[text for text in asked.options if _is_text_of(text, places)] for _, places in rated]
    if len(rated) != len(asked.options) or any(len(fitting) != 1 for fitting in texts):
        return _NOTHING
    candidates = [{"score": score, "trajectory": text} for (score, _), (text,) in zip(rated, texts, strict=True)]
    lines = (_line(rated[0][0] - rated[1][0], _POINTS, LEAST_RATING_LEAD),)
    facts = {"candidates": candidates, "first_position": _first_position(asked)}
    return Derived(texts[0][0], facts, lines)


def _consequence(drive: EndToEndDrive, asked: Asked) -> Derived:
    text = trajectory_in(WAYMO_TEMPLATES["TRJ-4"], asked.text)
    scores = [score for score, places in _rated(drive, asked) if _is_text_of(text, places)]
    if len(scores) != 1:
        return _NOTHING
    number = sum(scores[0] >= bound for bound in RATING_BOUNDS)
    lines = [_line(scores[0] - bound, _POINTS, LEAST_RATING_POINTS) for bound in RATING_BOUNDS]
    return Derived(
        _options("TRJ-4")[number], {"score": scores[0], "first_position": _first_position(asked)}, tuple(lines)
    )


def _action(drive: EndToEndDrive, asked: Asked) -> Derived:
    is_driven = not _is_rated(drive, asked.frame)
    places = drive.future(asked.frame, _POSITIONS) if is_driven else _best_rated_as_told(drive, asked)
    if places is None:
        return _NOTHING
    speeds = np.abs(np.diff(np.concatenate([[0], places]))) / 0.5
    first, last, aside = float(speeds[:2].mean()), float(speeds[-2:].mean()), float(places[-1].imag)
    stop, left, right, slow, on = _options("SC-9")
    lines = [_line(last - STILL_MPS, _SPEED)]
    answer = stop
    if last >= STILL_MPS:
        lines.append(_line(abs(aside) - ACTION_ASIDE_M, _METRES))
        answer = left if aside > 0 else right
        if abs(aside) <= ACTION_ASIDE_M:
            lines.append(_line(first - last - SPEED_CHANGE_MPS, _SPEED))
            answer = slow if first - last > SPEED_CHANGE_MPS else on
    facts = {
        "by": "driven" if is_driven else "best rated",
        "positions_m": np.column_stack([places.real, places.imag]).tolist(),
        "first_speed_mps": first,
        "last_speed_mps": last,
        "end_y_m": aside,
    }
    return Derived(answer, facts, tuple(lines))


def _best_rated_as_told(drive: EndToEndDrive, asked: Asked) -> _Places | None:
    """The best rated trajectory, from whichever first position it is that of the facts; null where it is from none."""
    told = asked.facts.get("positions_m")
    for first in (_NOW, _LATER):
        rated = _rated(drive, asked._replace(facts={"first_position": first}))
        count = len(told) if isinstance(told, list) else 0
        if rated and (len(rated) == 1 or rated[0][0] - rated[1][0] >= LEAST_RATING_LEAD):
            places = rated[0][1][:count]
            positions = np.column_stack([places.real, places.imag]).tolist()
            if count and not list(differences("", told, positions, tolerance=1e-5)):
                return places
    return None


def _is_rated(drive: EndToEndDrive, frame: int) -> bool:
    return any(one["score"] is not None for one in drive.driving[frame]["rated"])


DERIVED: Mapping[str, Callable[[EndToEndDrive, Asked], Derived]] = {
    "SC-7": _scene_class,
    "SC-9": _action,
    "SP-3": _distance,
    "SU-1": _constraint,
    "TM-5": _past_manoeuvre,
    "TRJ-1": _future_manoeuvre,
    "TRJ-2": _future_position,
    "TRJ-3": _best,
    "TRJ-4": _consequence,
    "TRJ-5": _waypoints,
}
"""By template. The others rest on objects whose file is no part of the dataset, or are composed of these."""
