"""Short answers as models write them, and the form that a question holds them in."""

from __future__ import annotations

import re

from probe4d.benchmarks.b4dl.frames_named import frames_named, intervals_in
from probe4d.benchmarks.b4dl.tasks import VOCABULARY

__all__ = ["class_in", "classes_named", "interval_answer", "yes_no_in"]

_AROUND = " \t\n.,:;!\"'*_`()[]\u201c\u201d\u2018\u2019"
_ARTICLE = re.compile(r"(?:an?|the)\s+")
_JOINED = re.compile(r"[-_\s]+")

_SYNONYMS = {
    "trafficcone": "traffic cone",
    "trafficcones": "traffic cone",
    "cone": "traffic cone",
    "motorbike": "motorcycle",
    "motor cycle": "motorcycle",
    "pushbike": "bicycle",
    "sport utility vehicle": "suv",
    "sports utility vehicle": "suv",
    "lorry": "truck",
    "lorries": "truck",
    "busses": "bus",
    "pram": "stroller",
    "pushchair": "stroller",
    "baby stroller": "stroller",
    "wheel chair": "wheelchair",
}
"""Words for one class alone. A bike may be a motorcycle, a person may ride one: neither is here."""


def _forms() -> dict[str, str]:
    singular = {**{name: name for name in VOCABULARY}, **_SYNONYMS}
    plural = {f"{word}{'es' if word.endswith('s') else 's'}": name for word, name in singular.items()}
    return plural | singular


_FORMS = _forms()
_NAMED = re.compile(
    rf"\b(?:{'|'.join(re.escape(form).replace(chr(92) + ' ', '[-_ ]') for form in sorted(_FORMS, key=len)[::-1])})\b",
    re.IGNORECASE,
)


def yes_no_in(answer: str) -> str | None:
    """`Yes` or `No`, where an answer is one of them and nothing else: `YES.`, `**no**`; null otherwise."""
    word = answer.strip(_AROUND).casefold()
    return word.capitalize() if word in {"yes", "no"} else None


def class_in(answer: str) -> str | None:
    """The class of `VOCABULARY` that an answer is, and nothing else: `TRUCK.`, `a motorbike`; null otherwise."""
    words = _JOINED.sub(" ", answer.strip(_AROUND).casefold())
    return _FORMS.get(_ARTICLE.sub("", words, count=1) if _ARTICLE.match(words) else words)


def classes_named(text: str) -> tuple[str, ...]:
    """Classes of `VOCABULARY` that a text names, each once, in its order."""
    found = (_FORMS[_JOINED.sub(" ", match[0].casefold())] for match in _NAMED.finditer(text))
    return tuple(dict.fromkeys(found))


def interval_answer(answer: str) -> tuple[int, int] | None:
    """The one interval that an answer names; null where it names none, several, or other frames beside it."""
    found = set(intervals_in(answer))
    if len(found) != 1 or frames_named(answer) != set(*found):
        return None
    return found.pop()
