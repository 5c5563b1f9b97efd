"""Reads a LiDAR-Hallu question back from its text: frames, class, sector, predicate, event.

What a question asks is what its text says, so an audit, and an import of records that hold little but text,
start from here (wording as released; events as built from geometry). Imports nothing of Probe4D, least of all
the templates that word questions: a fault there would be read back as if it were right.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ANTI_POSITION", "CHOICE", "YES_NO", "Asked", "about_frames", "read_interval", "read_stem"]

YES_NO = 'Only answer with "No" or "Yes".'
CHOICE = "Please select the correct answer and only return the choice letter (i.e., A, B, C, D) of your answer."
ANTI_POSITION = (
    "Do not favor any option based on its position; evaluate all options equally before selecting your answer."
)

_CLASS = r"(?P<label>[a-z ]+)"
_FRAME = r"(?P<start>\d{3})"
_SECTOR = r"(?P<sector>[a-z-]+)"
_VERBS = {
    "become closer to the ego vehicle": "closer",
    "move farther away from the ego vehicle": "farther",
    "shift left relative to the ego vehicle": "left",
    "shift right relative to the ego vehicle": "right",
    "maintain a similar relative position": "similar",
}
_STEMS = {
    "existence-yes-no": rf"Does {_CLASS} exist in frame {_FRAME}\?",
    "existence-choice": rf"Which of the following object classes is visible in frame {_FRAME}\?",
    "position-yes-no": (
        rf"In frame {_FRAME}, is the nearest {_CLASS} at the {_SECTOR} position relative to the ego vehicle\?"
    ),
    "position-choice": rf"In frame {_FRAME}, at which position is the nearest {_CLASS} relative to the ego vehicle\?",
    "motion-yes-no": (
        rf"During frames {_FRAME}-(?P<end>\d{{3}}), does the nearest "
        rf"(?P<phrase>{_CLASS} (?P<verb>{'|'.join(_VERBS)}))\?"
    ),
    "distance-choice": rf"In frame {_FRAME}, which object class is closest to the ego vehicle\?",
}
_EVENTS = {
    "ego-still": r"does the ego vehicle stand still\?",
    "ego-moving": r"is the ego vehicle moving\?",
    "class-present": rf"is there a {_CLASS} around the ego vehicle\?",
    "class-near": rf"is there a {_CLASS} within (?P<detail>[\d.]+) meters of the ego vehicle\?",
    "class-in-sector": rf"is there a {_CLASS} at the (?P<detail>[a-z-]+) position relative to the ego vehicle\?",
    "nearest-in-sector": rf"is the nearest {_CLASS} at the (?P<detail>[a-z-]+) position relative to the ego vehicle\?",
    "closest-class": rf"is {_CLASS} the object class closest to the ego vehicle\?",
    "class-closer": rf"is the nearest {_CLASS} closer to the ego vehicle than the nearest (?P<detail>[a-z ]+)\?",
}
_EVENT_HEAD = "During which frames "
_INTERVAL = re.compile(r"from frame (\d{3,}) to frame (\d{3,})")
_NUMBER = r"(-?\d+(?:\.\d+)?(?:e[-+]?\d+)?)"
_ANNOTATED = re.compile(
    rf"Consider only objects whose center has a bearing between {_NUMBER} and {_NUMBER} degrees [^)]*\)\. "
)


class Asked(NamedTuple):
    """What a stem asks.

    Attributes:
        frames: Key frames named.
        label: Class asked about; null where there is none.
        relation: Proposed sector or predicate; null where there is none.
        phrase: What stands between "does the nearest " and "?" in a motion question.
        event: Kind of an event from geometry; null elsewhere.
        detail: The event's sector, distance or second class.
        annotated_deg: Bearings to which the question confines itself; null without.
    """

    frames: tuple[int, ...] = ()
    label: str | None = None
    relation: str | None = None
    phrase: str | None = None
    event: str | None = None
    detail: str | None = None
    annotated_deg: tuple[float, float] | None = None


def read_stem(template: str, stem: str) -> Asked | None:
    """Read a stem; null if this template has no such wording.

    A temporal stem that is none of the events from geometry is free text, which names nothing.

    Args:
        template: Such as `position-yes-no`.
        stem: The question without options and directive.
    """
    confined = _ANNOTATED.match(stem)
    annotated_deg = (float(confined[1]), float(confined[2])) if confined else None
    body = stem[confined.end() :] if confined else stem
    if template == "temporal-choice":
        return _read_event(body)._replace(annotated_deg=annotated_deg)
    match = re.fullmatch(_STEMS[template], body) if template in _STEMS else None
    if match is None:
        return None
    named = match.groupdict()
    return Asked(
        frames=tuple(int(named[name]) for name in ("start", "end") if named.get(name)),
        label=named.get("label"),
        relation=named.get("sector") or _VERBS.get(named.get("verb") or ""),
        phrase=named.get("phrase"),
        annotated_deg=annotated_deg,
    )


def _read_event(body: str) -> Asked:
    if body.startswith(_EVENT_HEAD):
        for kind, pattern in _EVENTS.items():
            if match := re.fullmatch(pattern, body.removeprefix(_EVENT_HEAD)):
                named = match.groupdict()
                return Asked(label=named.get("label"), event=kind, detail=named.get("detail"))
    return Asked()


def read_interval(option: str) -> tuple[int, int]:
    """Read an option `from frame NNN to frame NNN`.

    Raises:
        ValueError: It is something else, or ends before it starts.
    """
    match = _INTERVAL.fullmatch(option)
    if match is None or any(number != f"{int(number):03d}" for number in match.groups()):
        raise ValueError(f"the option {option!r} is not worded 'from frame NNN to frame NNN'")
    start, end = int(match[1]), int(match[2])
    if start > end:
        raise ValueError(f"the option {option!r} ends before it starts")
    return start, end


def about_frames(stem: str, options: tuple[str, ...]) -> str:
    """The default text of a question without the sentence on the annotated bearings, whose numbers are no frames."""
    confined = _ANNOTATED.match(stem)
    stem = stem[confined.end() :] if confined else stem
    lettered = [f"{letter}. {option}" for letter, option in zip("ABCD", options, strict=False)]
    return "\n".join([stem, *lettered, CHOICE if options else YES_NO])
