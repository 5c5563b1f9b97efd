"""Reads a LiDAR-Hallu question back from its text: what is asked about, the options, the prompt layout.

The released prediction records hold the wording only, so whatever the benchmark needs to know of a question
(class, sector, predicate, frames, candidate intervals) is taken from there.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["ANTI_POSITION", "Prompt", "Wording", "interval_option", "read_prompt", "read_wording"]

YES_NO = 'Only answer with "No" or "Yes".'
CHOICE = "Please select the correct answer and only return the choice letter (i.e., A, B, C, D) of your answer."
ANTI_POSITION = (
    " Do not favor any option based on its position; evaluate all options equally before selecting your answer."
)
PLAIN_LAYOUT = "<video>\n"
EGO_LAYOUT = "<video>\n<4DLiDAR>\n<meta>\n"

_CLASS = r"(?P<label>[a-z ]+)"
_FRAME = r"(?P<start>\d{3})"
_VERBS = {
    "become closer to the ego vehicle": "closer",
    "move farther away from the ego vehicle": "farther",
    "shift left relative to the ego vehicle": "left",
    "shift right relative to the ego vehicle": "right",
    "maintain a similar relative position": "similar",
}
_STEMS = {
    ("existence", "yes-no"): rf"Does {_CLASS} exist in frame {_FRAME}\?",
    ("existence", "choice"): rf"Which of the following object classes is visible in frame {_FRAME}\?",
    ("position", "yes-no"): (
        rf"In frame {_FRAME}, is the nearest {_CLASS} at the (?P<sector>[a-z-]+) position relative to the ego vehicle\?"
    ),
    ("position", "choice"): (
        rf"In frame {_FRAME}, at which position is the nearest {_CLASS} relative to the ego vehicle\?"
    ),
    ("motion", "yes-no"): (
        rf"During frames {_FRAME}-(?P<end>\d{{3}}), does the nearest "
        rf"(?P<phrase>{_CLASS} (?P<verb>{'|'.join(_VERBS)}))\?"
    ),
    ("distance", "choice"): rf"In frame {_FRAME}, which object class is closest to the ego vehicle\?",
    ("temporal", "choice"): r"(?s:.+)",
}
_OPTION = re.compile(r"from frame (\d+) to frame (\d+)")


class Wording(NamedTuple):
    """What a question's text says.

    Attributes:
        stem: The text without options and directive.
        options: Texts of the options in order; empty for a yes-no question.
        anti_position: Whether the directive carries the anti-position sentence.
        label: Class asked about; null where there is none.
        relation: Proposed sector or predicate; null where there is none.
        phrase: What stands between "does the nearest " and "?" in a motion question.
        frames: Key frames named in the stem.
    """

    stem: str
    options: tuple[str, ...]
    anti_position: bool
    label: str | None
    relation: str | None
    phrase: str | None
    frames: tuple[int, ...]


class Prompt(NamedTuple):
    """A recorded prompt: its layout (`plain` or `ego`) and the ego-motion text of the latter."""

    layout: str
    ego_motion: str | None


def read_wording(family: str, kind: str, text: str) -> Wording:
    """Read a question's whole text: stem, options, directive.

    Args:
        family: Family of the question.
        kind: `yes-no` or `choice`.
        text: The question with options and directive.

    Raises:
        ValueError: The text is not worded as the release words this family and format.
    """
    *lines, directive = text.split("\n")
    anti_position = kind == "choice" and directive == CHOICE + ANTI_POSITION
    expected = YES_NO if kind == "yes-no" else CHOICE
    if not anti_position and directive != expected:
        raise ValueError(f"the question does not end in the line {expected!r}")
    options: tuple[str, ...] = ()
    if kind == "choice":
        found = [line.partition(". ") for line in lines[-4:]]
        if [letter for letter, _, _ in found] != list("ABCD"):
            raise ValueError("the question does not have four options A to D, a line each")
        options = tuple(option for _, _, option in found)
        lines = lines[:-4]
    stem = "\n".join(lines)
    pattern = _STEMS.get((family, kind))
    match = re.fullmatch(pattern, stem) if pattern else None
    if match is None:
        raise ValueError(f"{stem!r} is not how a {family} question in {kind} format is worded")
    named = match.groupdict()
    frames = tuple(int(named[name]) for name in ("start", "end") if named.get(name))
    relation = named.get("sector") or _VERBS.get(named.get("verb") or "")
    return Wording(stem, options, anti_position, named.get("label"), relation, named.get("phrase"), frames)


def interval_option(option: str) -> tuple[int, int]:
    """Read an option `from frame NNN to frame NNN`.

    Raises:
        ValueError: It is something else, or ends before it starts.
    """
    match = _OPTION.fullmatch(option)
    if match is None:
        raise ValueError(f"the option {option!r} is not worded 'from frame NNN to frame NNN'")
    start, end = int(match[1]), int(match[2])
    if start > end:
        raise ValueError(f"the option {option!r} ends before it starts")
    return start, end


def read_prompt(prompt: str | None, text: str) -> Prompt:
    """Tell the layout of a recorded prompt; without one it is plain.

    Args:
        prompt: The prompt as recorded, with the placeholders of the LiDAR model.
        text: The question with options and directive.

    Raises:
        ValueError: The prompt is not made of the placeholders, the ego-motion text and this question.
    """
    if prompt is None or prompt == PLAIN_LAYOUT + text:
        return Prompt("plain", None)
    if prompt.startswith(EGO_LAYOUT) and prompt.endswith("\n" + text):
        ego_motion = prompt[len(EGO_LAYOUT) : -len(text) - 1]
        if ego_motion:
            return Prompt("ego", ego_motion)
    raise ValueError("the prompt is neither the plain nor the ego layout of this question")
