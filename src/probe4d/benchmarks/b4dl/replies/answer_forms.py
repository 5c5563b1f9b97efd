"""Short answers as models write them, and the form that a question holds them in: the one reading that there is."""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from probe4d.benchmarks.b4dl.replies.frames_named import AROUND, frames_named, interval_alone, intervals_in

__all__ = ["FORMS", "ShortAnswer", "canonical_answer", "class_in", "classes_named", "interval_answer", "yes_no_in"]

_ARTICLE = re.compile(r"(?:an?|the)\s+")
_JOINED = re.compile(r"[-_\s]+")

_WORDS: dict[str, str] = {
    "animal": "animals",
    "pedestrian": "pedestrians",
    "stroller": "strollers, baby stroller, baby strollers, pram, prams, pushchair, pushchairs",
    "wheelchair": "wheelchairs, wheel chair, wheel chairs",
    "barrier": "barriers",
    "debris": "",
    "traffic cone": "traffic cones, trafficcone, trafficcones, cone, cones",
    "construction": "constructions",
    "motorcycle": "motorcycles, motorbike, motorbikes, motor cycle, motor cycles",
    "bicycle": "bicycles, pushbike, pushbikes",
    "car": "cars",
    "bus": "buses, busses",
    "trailer": "trailers",
    "truck": "trucks, lorry, lorries",
    "suv": "suvs, sport utility vehicle, sport utility vehicles, sports utility vehicle, sports utility vehicles",
}
"""Other words for each class of `VOCABULARY` alone. A bike may be a motorcycle, a person may ride one: neither is here.
"""

FORMS: dict[str, str] = {
    form: name for name, words in _WORDS.items() for form in (name, *filter(None, words.split(", ")))
}
"""Every form of a class, lower case and of single spaces."""


class ShortAnswer(NamedTuple):
    """An answer of a task that has short ones.

    Attributes:
        kind: What it is.
        text: As a question holds it: `Yes` or `No`, a class of `VOCABULARY`, or an interval such as `12-20`.
        interval: First and last key frame, as written: the first may be the greater one; null of other kinds.
    """

    kind: Literal["yes-no", "class", "interval"]
    text: str
    interval: tuple[int, int] | None = None


_NAMED = re.compile(
    rf"\b(?:{'|'.join(re.escape(form).replace(chr(92) + ' ', '[-_ ]') for form in sorted(FORMS, key=len)[::-1])})\b",
    re.IGNORECASE,
)


def yes_no_in(answer: str) -> str | None:
    """`Yes` or `No`, where an answer is one of them and nothing else: `YES.`, `**no**`; null otherwise."""
    word = answer.strip(AROUND).casefold()
    return word.capitalize() if word in {"yes", "no"} else None


def class_in(answer: str) -> str | None:
    """The class of `VOCABULARY` that an answer is, and nothing else: `TRUCK.`, `a motorbike`; null otherwise."""
    words = _JOINED.sub(" ", answer.strip(AROUND).casefold())
    return FORMS.get(_ARTICLE.sub("", words, count=1) if _ARTICLE.match(words) else words)


def classes_named(text: str) -> tuple[str, ...]:
    """Classes of `VOCABULARY` that a text names, each once, in its order."""
    found = (FORMS[_JOINED.sub(" ", match[0].casefold())] for match in _NAMED.finditer(text))
    return tuple(dict.fromkeys(found))


def interval_answer(answer: str) -> tuple[int, int] | None:
    """The one interval that an answer is, or that its sentence names; null where it names several, or other frames.

    A single frame counts only where the answer is nothing else: `until frame 005` names one, and means more.
    """
    if (alone := interval_alone(answer)) is not None:
        return alone
    found = set(intervals_in(answer))
    if len(found) != 1 or frames_named(answer) != set(*found):
        return None
    return found.pop()


def canonical_answer(task: str, answer: str) -> ShortAnswer | None:
    """The short answer that an answer of a task is; null where it is none that the task has.

    Args:
        task: One of `TASKS`. Of those whose answers are text, only temporal understanding is answered by a yes, a no
            or a class alone now and then; a range of frames alone is none of its answers.
        answer: The answer, in any form.
    """
    if task == "time-grounding":
        interval = interval_answer(answer)
        return None if interval is None else ShortAnswer("interval", f"{interval[0]}-{interval[1]}", interval)
    if task in ("existence", "binary", "temporal-understanding") and (said := yes_no_in(answer)):
        return ShortAnswer("yes-no", said)
    if task in ("existence", "temporal-understanding") and (name := class_in(answer)):
        return ShortAnswer("class", name)
    return None
