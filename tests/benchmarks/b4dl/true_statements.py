"""True statements about scenes, worked out box by box in plain Python, in many wordings.

Nothing here is measured as the suite measures it: a thing approaches if it is 2 m nearer at the end, is ahead if its
centre is, moves if it is somewhere else.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Any, NamedTuple

from probe4d.scenes.tables import Scenes

__all__ = ["Statement", "true_statements"]

Row = dict[str, Any]

CLASSES = ("car", "truck", "bus", "pedestrian", "bicycle", "motorcycle", "traffic cone", "construction vehicle")
PLURALS = {"bus": "buses"}
SIDES = {
    "front": ("in front of the ego vehicle", "ahead of the ego vehicle", "ahead"),
    "back": ("behind the ego vehicle", "behind", "in the rear"),
    "left": ("to the left of the ego vehicle", "on the left side", "on the left"),
    "right": ("to the right of the ego vehicle", "on the right side", "on the right"),
}
NEAR_M, STEP_M = 2.0, 1.0


class Statement(NamedTuple):
    """A question with its true answer, about a sequence."""

    sequence: str
    task: str
    question: str
    answer: str


class _Facts:
    """Boxes and poses of one scene, by track and frame."""

    def __init__(self, scenes: Scenes, scene: str) -> None:
        self.boxes: dict[str, dict[int, Row]] = {}
        for row in scenes.boxes.iter_rows(named=True):
            if row["scene"] == scene:
                self.boxes.setdefault(row["track"], {})[row["frame"]] = row
        self.ego = {row["frame"]: row for row in scenes.keyframes.iter_rows(named=True) if row["scene"] == scene}

    def at(self, frame: int, label: str | None = None) -> list[Row]:
        """Boxes that the LiDAR hit in a frame, of a class or of all."""
        rows = [of_track[frame] for of_track in self.boxes.values() if frame in of_track]
        return [row for row in rows if row["lidar_points"] > 0 and label in (None, row["label"])]

    def ways(self, label: str, start: int, end: int) -> list[tuple[Row, Row]]:
        """First and last box of the things of a class that have one in every frame."""
        tracks = [of_track for of_track in self.boxes.values() if all(f in of_track for f in range(start, end + 1))]
        return [(of[start], of[end]) for of in tracks if of[start]["label"] == label]

    def heading_deg(self, frame: int) -> float:
        row = self.ego[frame]
        return math.degrees(
            math.atan2(
                2 * (row["pose_qw"] * row["pose_qz"] + row["pose_qx"] * row["pose_qy"]),
                1 - 2 * (row["pose_qy"] ** 2 + row["pose_qz"] ** 2),
            )
        )

    def driven_m(self, start: int, end: int) -> float:
        first, last = self.ego[start], self.ego[end]
        return math.hypot(last["pose_x"] - first["pose_x"], last["pose_y"] - first["pose_y"])

    def speed_mps(self, frame: int) -> float:
        """From a frame to the next."""
        elapsed_us = self.ego[frame + 1]["timestamp_us"] - self.ego[frame]["timestamp_us"]
        return self.driven_m(frame, frame + 1) / elapsed_us * 1e6


def _range(row: Row) -> float:
    return math.hypot(row["ego_x"], row["ego_y"])


def _is_at(row: Row, side: str) -> bool:
    along, across = row["ego_x"], row["ego_y"]
    return {"front": along > 0, "back": along < 0, "left": across > 0, "right": across < 0}[side]


def _moved(way: tuple[Row, Row]) -> float:
    return math.hypot(way[1]["x"] - way[0]["x"], way[1]["y"] - way[0]["y"])


def _plural(label: str) -> str:
    return PLURALS.get(label, f"{label}s")


def _yes(truth: bool) -> str:
    return "Yes." if truth else "No."


def true_statements(scenes: Scenes, sequences: list[Row], *, seed: int, rounds: int) -> Iterator[Statement]:
    """As many of each kind about each sequence as there are rounds, as far as they can be made."""
    rng = random.Random(seed)
    facts = {scene: _Facts(scenes, scene) for scene in {row["scene"] for row in sequences}}
    for row in sequences:
        for _ in range(rounds):
            for make in _MAKERS:
                for task, question, answer in make(facts[row["scene"]], row["start"], row["end"], rng):
                    yield Statement(row["sequence"], task, " ".join(question.split()).replace(" ?", "?"), answer)


Made = Iterator[tuple[str, str, str]]


def _span(start: int, end: int, rng: random.Random) -> tuple[int, int, str]:
    first = rng.randint(start, end - 2)
    last = rng.randint(first + 2, end)
    words = (f"from frame {first:03d} to frame {last:03d}", f"between frame {first} and frame {last}")
    return first, last, rng.choice((*words, f"during frames {first:03d} to {last:03d}"))


def _presence(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    frame, label = rng.randint(start, end), rng.choice(CLASSES)
    question = rng.choice(
        (
            f"Is there a {label} in frame {frame:03d}?",
            f"Are there any {_plural(label)} visible in frame {frame}?",
            f"In frame {frame:03d}, is a {label} present?",
            f"Does the scene contain a {label} at frame {frame}?",
        )
    )
    yield "existence", question, _yes(bool(facts.at(frame, label)))
    yield "binary", f"Are there no {_plural(label)} in frame {frame:03d}?", _yes(not facts.at(frame, label))


def _side(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    frame, label, side = rng.randint(start, end), rng.choice(CLASSES), rng.choice(list(SIDES))
    there = any(_is_at(row, side) for row in facts.at(frame, label))
    words = rng.choice(SIDES[side])
    yield "binary", f"Is there a {label} {words} in frame {frame:03d}?", _yes(there)
    yield "existence", f"Can a {label} be seen {words} in frame {frame}?", _yes(there)


def _which(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    frame, side = rng.randint(start, end), rng.choice(list(SIDES))
    there = sorted({row["label"] for row in facts.at(frame) if row["label"] in CLASSES and _is_at(row, side)})
    if there:
        label = rng.choice(there).upper()
        yield "existence", f"Which object is present {rng.choice(SIDES[side])} in frame {frame:03d}?", f"{label}."
        yield "existence", f"What type of object is located {rng.choice(SIDES[side])} in frame {frame}?", label


def _range_of_frames(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    first, last, words = _span(start, end, rng)
    label = rng.choice(CLASSES)
    there = [bool(facts.at(frame, label)) for frame in range(first, last + 1)]
    if all(there) or not any(there):
        yield "existence", f"Is a {label} visible {words}?", _yes(all(there))


def _count(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    frame, label, number = rng.randint(start, end), rng.choice(CLASSES), rng.randint(2, 6)
    found = len(facts.at(frame, label))
    when = f"in frame {frame:03d}"
    yield "binary", f"Are there at least {number} {_plural(label)} {when}?", _yes(found >= number)
    yield "binary", f"Are there exactly {number} {_plural(label)} {when}?", _yes(found == number)
    yield "binary", f"Are there more than {number} {_plural(label)} {when}?", _yes(found > number)
    yield "binary", f"Are there multiple {_plural(label)} {when}?", _yes(found >= 2)


def _distance(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    frame, label, limit = rng.randint(start, end), rng.choice(CLASSES), rng.choice((5, 10, 20, 30))
    within = any(_range(row) <= limit for row in facts.at(frame, label))
    yield "binary", f"Is there a {label} within {limit} meters of the ego vehicle in frame {frame:03d}?", _yes(within)


def _nearest(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    frame = rng.randint(start, end)
    there = sorted((_range(row), row["label"]) for row in facts.at(frame) if row["label"] is not None)
    if there:
        label, when = there[0][1], f"in frame {frame:03d}"
        yield "binary", f"Is a {label} the closest object to the ego vehicle {when}?", "Yes."
        yield "existence", f"Which object is nearest to the ego vehicle {when}?", f"{label.upper()}."
        other = rng.choice(CLASSES)
        if other != label and facts.at(frame, other):
            yield "binary", f"Is the {label} closer to the ego vehicle than the {other} {when}?", "Yes."
            yield "binary", f"Is the {other} farther away from the ego vehicle than the {label} {when}?", "Yes."


def _ranges(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    first, last, words = _span(start, end, rng)
    label = rng.choice(CLASSES)
    ways = facts.ways(label, first, last)
    if ways:
        nearer = [_range(way[0]) - _range(way[1]) for way in ways]
        article = "the" if len(ways) == 1 else "a"
        comes = rng.choice(("approach the ego vehicle", "move closer to the ego vehicle", "get closer"))
        goes = rng.choice(("move away from the ego vehicle", "recede", "move farther away from the ego vehicle"))
        if max(nearer) >= NEAR_M:
            yield "binary", f"Does {article} {label} {comes} {words}?", "Yes."
        if -min(nearer) >= NEAR_M:
            yield "binary", f"Does {article} {label} {goes} {words}?", "Yes."
        if len(ways) == 1 == len({row["track"] for f in range(start, end + 1) for row in facts.at(f, label)}):
            yield "binary", f"Does the {label} {comes} {words}?", _yes(nearer[0] >= NEAR_M)


def _motion(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    first, last, words = _span(start, end, rng)
    label = rng.choice(CLASSES)
    moved = [_moved(way) for way in facts.ways(label, first, last)]
    if moved and max(moved) >= STEP_M:
        yield "binary", f"Is a {label} moving {words}?", "Yes."
        yield "existence", f"Which object is moving {words}?", f"{label.upper()}."
    if moved and min(moved) < 0.1:
        yield "binary", f"Does a {label} remain stationary {words}?", "Yes."
        yield "existence", f"Which object remains stationary {words}?", f"{label.upper()}."


def _ego(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    first, last, words = _span(start, end, rng)
    driven = facts.driven_m(first, last)
    turned = (facts.heading_deg(last) - facts.heading_deg(first) + 180) % 360 - 180
    subject = rng.choice(("the ego vehicle", "the ego car", "the ego-vehicle"))
    yield "binary", f"Does {subject} turn left {words}?", _yes(turned > 20)
    yield "binary", f"Is {subject} turning right {words}?", _yes(turned < -20)
    if driven > STEP_M or driven < 0.05:
        yield "binary", f"Does {subject} move {words}?", _yes(driven > STEP_M)
    steps = [facts.driven_m(frame, frame + 1) for frame in range(first, last)]
    if min(steps) > STEP_M or max(steps) < 0.05:
        yield "binary", f"Is {subject} stationary {words}?", _yes(max(steps) < 0.05)
        what = "moving" if min(steps) > STEP_M else "stationary"
        yield "time-grounding", f"When is {subject} {what}?", f"from frame {first:03d} to frame {last:03d}"
    if len(steps) > 2:
        gained = facts.speed_mps(last - 1) - facts.speed_mps(first)
        yield "binary", f"Does {subject} accelerate {words}?", _yes(gained > 1)
        yield "binary", f"Does {subject} slow down {words}?", _yes(gained < -1)


def _relations(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    """Where one of two single things is of the other, true in the sense that is drawn."""
    frame = rng.randint(start, end)
    whole = {label: facts.at(frame, label) for label in CLASSES}
    alone = [label for label, rows in whole.items() if len(rows) == 1]
    if len(alone) < 2:
        return
    a, b = rng.sample(alone, 2)
    c = rng.choice([label for label in CLASSES if whole[label] and label != b])
    one, other = whole[a][0], whole[b][0]
    when = f"in frame {frame:03d}"
    turn = rng.choice((0.0, other["ego_yaw"], math.atan2(other["ego_y"], other["ego_x"])))
    x, y = one["ego_x"] - other["ego_x"], one["ego_y"] - other["ego_y"]
    ahead, left = x * math.cos(turn) + y * math.sin(turn), y * math.cos(turn) - x * math.sin(turn)
    in_front = rng.choice((ahead > 0, _range(one) < _range(other)))
    several = [(row["ego_x"] - other["ego_x"], row["ego_y"] - other["ego_y"]) for row in whole[c]]
    some_left = any(y * math.cos(turn) - x * math.sin(turn) > 0 for x, y in several)
    some_right = any(y * math.cos(turn) - x * math.sin(turn) < 0 for x, y in several)
    yield "binary", f"Is a {c} to the left of the {b} {when}?", _yes(some_left)
    yield "binary", f"Is a {c} to the right of the {b} {when}?", _yes(some_right)
    yield "binary", f"Is the {a} to the left of the {b} {when}?", _yes(left > 0)
    yield "binary", f"Is the {a} on the right side of the {b} {when}?", _yes(left < 0)
    yield "binary", f"Is the {a} in front of the {b} {when}?", _yes(in_front)
    yield "binary", f"Is the {a} behind the {b} {when}?", _yes(not in_front)


def _joined(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    """Two clauses with `and` or `or`, in every way in which they may share words."""
    frame = rng.randint(start, end)
    when = rng.choice((f"in frame {frame:03d}", f"at frame {frame}"))
    labels = rng.sample(CLASSES, 2)
    first, second = (rng.choice(list(SIDES)) for _ in range(2))
    there = [bool(facts.at(frame, label)) for label in labels]
    placed = [
        any(_is_at(row, side) for row in facts.at(frame, label))
        for label, side in zip(labels, (first, second), strict=True)
    ]
    at = [rng.choice(SIDES[side]) for side in (first, second)]
    word, together = rng.choice((("and", all), ("or", any)))
    a, b = labels
    yield "existence", f"Is there a {a} {word} a {b} {when}?", _yes(together(there))
    yield "binary", f"Are there any {_plural(a)} or {_plural(b)} {when}?", _yes(any(there))
    yield "binary", f"Is there a {a} {at[0]} {word} a {b} {at[1]} {when}?", _yes(together(placed))
    yield (
        "binary",
        f"In frame {frame}, is there a {a} {at[0]}, {word} is a {b} visible {at[1]}?",
        _yes(together(placed)),
    )
    both = [any(_is_at(row, second) for row in facts.at(frame, label)) for label in labels]
    yield "binary", f"Are a {a} {word} a {b} visible {at[1]} {when}?", _yes(together(both))
    yield "binary", f"Is there a {a} {word} a {b} {at[1]} {when}?", _yes(together(both))
    yield from _joined_ways(facts, start, end, rng)


def _joined_ways(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    first, last, words = _span(start, end, rng)
    word, together = rng.choice((("and", all), ("or", any)))
    turned = (facts.heading_deg(last) - facts.heading_deg(first) + 180) % 360 - 180
    steps = [facts.driven_m(frame, frame + 1) for frame in range(first, last)]
    if min(steps) > STEP_M or max(steps) < 0.05:
        truths = (max(steps) < 0.05, turned > 20)
        yield "binary", f"Is the ego vehicle stationary {word} turning left {words}?", _yes(together(truths))
        yield (
            "binary",
            f"Is the ego vehicle moving {word} turning right {words}?",
            _yes(together((not truths[0], turned < -20))),
        )
        label = rng.choice(CLASSES)
        there = [bool(facts.at(frame, label)) for frame in range(first, last + 1)]
        if all(there) or not any(there):
            yield (
                "binary",
                f"{words}, is a {label} visible {word} does the ego vehicle move?",
                _yes(together((all(there), not truths[0]))),
            )
    labels = rng.sample(CLASSES, 2)
    moved = [[_moved(way) for way in facts.ways(label, first, last)] for label in labels]
    if all(len(of_label) == 1 for of_label in moved):
        truths = tuple(of_label[0] > STEP_M for of_label in moved)
        if all(of_label[0] > STEP_M or of_label[0] < 0.1 for of_label in moved):
            only = all(
                len({row["track"] for f in range(start, end + 1) for row in facts.at(f, label)}) == 1
                for label in labels
            )
            if only:
                a, b = labels
                yield "binary", f"Is the {a} {word} the {b} moving {words}?", _yes(together(truths))
                yield (
                    "binary",
                    f"Is the {a} moving {word} the {b} stationary {words}?",
                    _yes(together((truths[0], not truths[1]))),
                )


def _stay(facts: _Facts, start: int, end: int, rng: random.Random) -> Made:
    label = rng.choice(CLASSES)
    there = [frame for frame in range(start, end + 1) if facts.at(frame, label)]
    if there and there == list(range(there[0], there[-1] + 1)):
        question = rng.choice((f"When is a {label} visible?", f"During which frames is a {label} present?"))
        yield "time-grounding", question, f"from frame {there[0]:03d} to frame {there[-1]:03d}."


_MAKERS = (
    _presence,
    _side,
    _which,
    _range_of_frames,
    _count,
    _distance,
    _nearest,
    _ranges,
    _motion,
    _ego,
    _joined,
    _relations,
    _stay,
)
