"""What was measured, as a sentence and as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from probe4d.benchmarks.b4dl.claims.claim import Claim
from probe4d.benchmarks.b4dl.claims.layout import Layout, Paths
from probe4d.benchmarks.b4dl.claims.presence import Shown, Span
from probe4d.scenes.geometry import bearing_deg
from probe4d.wording import uncapitalized

__all__ = ["Told", "frames_in_words", "of_ego", "of_motion", "of_nothing", "of_things"]

Told = tuple[str, dict[str, Any]]
"""A sentence, and the numbers behind it."""

_PLACES = {"front": "ahead", "back": "behind", "left": "on the left", "right": "on the right"}


def frames_in_words(first: int, last: int) -> str:
    """A range of frames as answers have it: `from frame 003 to frame 008`, `in frame 003`."""
    return f"in frame {first:03d}" if first == last else f"from frame {first:03d} to frame {last:03d}"


def of_nothing(claim: Claim, frames: slice, *, complete: bool) -> Told:
    """That nothing of a kind is annotated."""
    word = "object" if claim.subject is None else claim.subject.word
    where = "" if claim.place is None else f" {_PLACES.get(claim.place, f'at the {claim.place}')}"
    when = frames_in_words(frames.start, frames.stop - 1)
    sentence = f"Nothing that may be called {word} is annotated{where} {when}"
    about = {"frames": [frames.start, frames.stop - 1], "candidates": 0}
    return (f"{sentence}." if complete else f"{sentence}, but annotations do not cover all such things."), about


def of_things(layout: Layout, claim: Claim, at: Shown, span: Span, holds: bool | None, *, complete: bool) -> Told:
    """What is there, or is not."""
    wide = span.widened(layout.frames)
    possible = at.possible[:, wide]
    candidates = int(possible.any(axis=1).sum())
    if not candidates:
        return of_nothing(claim, wide, complete=complete)
    sure = at.sure[:, span.own]
    surely = int(sure.any(axis=1).sum())
    about: dict[str, Any] = {"frames": [span.first, span.last], "candidates": candidates, "sure": surely}
    word = "object" if claim.subject is None else claim.subject.word
    when = frames_in_words(span.first, span.last)
    if surely:
        row, frame = _nearest(layout, sure, span.first)
    else:
        row, frame = _nearest(layout, possible, wide.start)
    about |= _thing(layout, row, frame)
    named = f"{_in_words(layout, row)} is {_where(layout, row, frame)} in frame {frame:03d}"
    if claim.kind == "count":
        return f"{surely} surely and {candidates} possibly called {word} are there {when}.", about
    if holds is None:
        if claim.narrowed:
            return f"{named}; whether it is the one described is not measured.", about
        return f"{candidates} may be called {word} {when}, and it is not sure of all that is said: {named}.", about
    return f"{named} (looked at {when}: {surely} surely, {candidates} possibly called {word}).", about


def of_motion(
    layout: Layout, claim: Claim, rows: NDArray[np.int64], chosen: int, frames: slice, holds: bool | None
) -> Told:
    """How one of the candidates moves."""
    row = int(rows[chosen])
    first, last = _ends(layout, row, frames)
    own = layout.paths.of(np.array([row]), first, last)
    about = {"frames": [frames.start, frames.stop - 1], "candidates": len(rows)} | _thing(layout, row, first)
    about |= {"range_end_m": _rounded(own.range_m[0, -1]), "box_end": layout.boxes.get((row, last))} | _way(own)
    word = "object" if claim.subject is None else claim.subject.word
    ends = f"{_where(layout, row, first)} in frame {first:03d} and {_where(layout, row, last)} in frame {last:03d}"
    way = f"it goes {about['way_m']} m over ground and turns by {about['turn_deg']} degrees"
    told = f"{_in_words(layout, row)} is {ends}; {way}"
    if holds is None:
        return f"{told}: among {len(rows)} that may be called {word} it is not sure.", about
    if holds:
        return f"{told}.", about
    return f"None of {len(rows)} that may be called {word} does; {uncapitalized(told)}.", about


def of_ego(own: Paths, frames: slice) -> Told:
    """How the ego vehicle moves."""
    about = {"frames": [frames.start, frames.stop - 1]} | _way(own)
    when = frames_in_words(frames.start, frames.stop - 1)
    return (
        f"The ego vehicle goes {about['way_m']} m {when}, at {about['speed_start_mps']} m/s first and "
        f"{about['speed_end_mps']} m/s last, and turns by {about['turn_deg']} degrees."
    ), about


def _way(own: Paths) -> dict[str, Any]:
    step_x, step_y = own.steps_m
    turned = np.degrees(own.yaw_rad[0, -1] - own.yaw_rad[0, 0])
    speed = own.speed_mps[0]
    return {
        "way_m": _rounded(float(np.nansum(np.hypot(step_x[0], step_y[0])))),
        "speed_start_mps": _rounded(speed[0]) if len(speed) else None,
        "speed_end_mps": _rounded(speed[-1]) if len(speed) else None,
        "turn_deg": _rounded((turned + 180.0) % 360.0 - 180.0),
    }


def _ends(layout: Layout, row: int, frames: slice) -> tuple[int, int]:
    there = np.flatnonzero(layout.annotated[row, frames])
    if not len(there):  # it has boxes in the frames before or after alone
        there = np.flatnonzero(layout.annotated[row]) - frames.start
    return frames.start + int(there[0]), frames.start + int(there[-1])


def _nearest(layout: Layout, there: NDArray[np.bool_], first: int) -> tuple[int, int]:
    frames = slice(first, first + there.shape[1])
    distance = np.where(there, layout.paths.range_m[:, frames], np.inf)
    row, frame = np.unravel_index(int(np.argmin(distance)), distance.shape)
    return int(row), first + int(frame)


def _thing(layout: Layout, row: int, frame: int) -> dict[str, Any]:
    points = layout.lidar_points[row, frame]
    return {
        "track": layout.tracks[row],
        "category": layout.categories[row],
        "frame": frame,
        "box": layout.boxes.get((row, frame)),
        "range_m": _rounded(layout.paths.range_m[row, frame]),
        "bearing_deg": _rounded(_bearing(layout, row, frame)),
        "lidar_points": int(points) if points >= 0 else None,
    }


def _bearing(layout: Layout, row: int, frame: int) -> float:
    return float(bearing_deg(layout.paths.ego_x_m[row, frame], layout.paths.ego_y_m[row, frame]))


def _in_words(layout: Layout, row: int) -> str:
    return f"An object annotated as {layout.categories[row]}"


def _where(layout: Layout, row: int, frame: int) -> str:
    bearing = round(_bearing(layout, row, frame))  # a whole number has no zero below zero
    return f"{layout.paths.range_m[row, frame]:.1f} m away at a bearing of {bearing} degrees"


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(float(value), 2)
