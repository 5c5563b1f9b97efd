"""Reads and scores replies that are a word of a vocabulary, or an interval of key frames; needs Python alone.

lm-evaluation-harness finds these functions through the task files that they lie beside. They read nearly what Probe4D's
parsers read, and where a reply leaves a doubt they read nothing: the answer counts as wrong, and its overlap is 0.
"""

from __future__ import annotations

import bisect
import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

Interval = tuple[int, int]

THRESHOLDS = (0.3, 0.5, 0.7)
"""Overlaps from which on an interval counts as found."""

_I = re.IGNORECASE

_THOUGHT = re.compile(r"<(/?)(?:think|thinking|thought|reasoning)>", _I)
_ANSWER_TAG = re.compile(r"<answer>(.{0,200}?)</answer>|\\boxed\{([^{}]{0,200})\}", _I | re.DOTALL)
_ANSWER_FIELD = re.compile(r"\"(?:answer|final_answer|prediction)\"\s*:\s*\"([^\"\n]{0,200})\"", _I)
_ANSWER_LINE = re.compile(r"^\W{0,8}(?:the\s+)?(?:final\s+)?answer\W{0,4}:", _I | re.MULTILINE)
_ANSWER_SAID = re.compile(r"\b(?:answer|class|interval)(?:\s+(?:is|would be|will be)\b:?|\s?[:=])", _I)
_EDGES = " \t\r\n.,:;!\"'{}"
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_ARTICLE = re.compile(r"^(?:a|an|the|some|one|it is|it['\u2019]s|this is|that is)\s+", _I)
_MARKS = re.compile(r"[*`#]+|</?[a-z][^<>\n]{0,40}>", _I)
NEAR = 40
SENTENCE_END = re.compile(r"(?<!e\.g\.)(?<=[.!?])\s|\n", _I)

CONCLUSION = re.compile(
    r"(?:^|(?<=[.!?\n])|(?<=[.!?\n] ))(?:therefore|thus|hence|so|in conclusion|in summary|overall|consequently)\b", _I
)

DOUBT = re.compile(
    r"\b(?:not|never|no|nor|neither|cannot|except|excluding|without|rather than|instead of|other than|if|unless"
    r"|suppos\w+|assuming|for example|for instance|such as|format|example|wrong|incorrect|could|might|may|possibly)\b"
    r"|n['\u2019]t\b|\be\.\s?g\b|\?",
    _I,
)
"""What in a sentence keeps its words from being the answer."""

TAKEN_BACK = re.compile(
    r"\b(?:sorry|wait|actually|no|wrong|incorrect|mistaken?|reconsider|correction|never mind|not sure|rather)\b", _I
)
"""What takes back, behind an answer, what was said."""

_DENIED_AT_END = re.compile(r"\b(?:not|never)\W*$", _I)
"""What denies, at the end of a reply, what was said before."""

_NUMBER = r"([0-9]{1,3})(?![0-9]|[.,:/][0-9]|\s{1,3}[0-9]|\s?(?:%|(?:s|secs?|seconds?|m|met(?:er|re)s?)\b))"
_WORD = r"frames?(?:\s(?:number|no\.?|index|id))?[\s:#=_\"']{0,3}"
_ABOUT = r"(?:(?:about|around|approximately|roughly|the|~)\s?){0,2}"
_DASH = r"\s?(?:[-\u2010-\u2015\u2212\u2192]{1,2}>?|=>|\.{2,3}|\u2026)\s?"
_TO = rf"(?:{_DASH}|\"?,?\s(?:(?:all the way|up|on)\s)?(?:to|till|until|through)\s)"
_ENDS = (
    r"[^0-9.;?!\n]{0,50}?\b(?:until|ends? (?:at|in|on|with)|ending (?:at|in|on|with)|last seen (?:in|at)"
    r"|stops (?:at|in|on|with))\s"
)
_STARTS = r"[\"']?\b(?:start(?:s|ing)?|begin|from|first)(?:[ _]?frame)?[\"']?"
_STOPS = r"[\"']?\b(?:end(?:s|ing)?|stop|to|last)(?:[ _]?frame)?[\"']?"
_VALUE = rf"\s?[:=]\s?[\"']?(?:{_WORD})?{_NUMBER}[\"']?"
_INTERVAL = re.compile(
    "|".join(
        (
            rf"{_STARTS}{_VALUE}\s{{0,8}},?\s{{0,8}}{_STOPS}{_VALUE}",
            rf"\b{_WORD}{_NUMBER}(?:{_TO}|{_ENDS}){_ABOUT}(?:{_WORD})?{_NUMBER}",
            rf"\bfrom\s{_ABOUT}{_NUMBER}\s(?:to|till|until|through)\s{_ABOUT}{_WORD}{_NUMBER}",
            rf"\bbetween\s{_ABOUT}{_WORD}{_NUMBER}\sand\s{_ABOUT}(?:{_WORD})?{_NUMBER}",
            rf"[\"'](?:answer|interval|frames)[\"']\s?:\s?\[\s?{_NUMBER}\s?,\s?{_NUMBER}\s?\]",
        )
    ),
    _I,
)
_LONE = r"([0-9]{1,3})"
_ALONE = re.compile(
    "|".join(
        (
            rf"(?:from\s|[\[(]\s?)?{_LONE}(?:{_DASH}|\s(?:to|till|until|through)\s){_LONE}(?:\s?[\])])?",
            rf"between\s{_LONE}\sand\s{_LONE}",
            rf"[\[(]\s?{_LONE}\s?[,;]\s?{_LONE}\s?[\])]",
        )
    ),
    _I,
)
"""A reply that is two frames without the word, and nothing else."""
_FRAME = re.compile(rf"\b{_WORD}{_NUMBER}", _I)
_ODD_FRAME = re.compile(
    rf"\b{_WORD}(?:[-\u2212]?[0-9]{{4,}}|[-\u2212][0-9]|[0-9]+(?:[.,:/]|\s{{1,3}})[0-9]|(?:N{{1,3}}|[XYZ])\b)", _I
)
_MORE = re.compile(
    r"(?:\s\(?inclusive\)?)?\s?(?:,|;|/|&|-|\+|\b(?:and|or|to|then)\b)\s{0,2}"
    r"(?:(?:and|or|then|possibly|maybe|perhaps|even|from|between|in|at)\s){0,2}"
    rf"(?:(?:{_WORD})?[0-9]{{1,4}}(?!\s?(?!(?:and|or|to|then)\b)[a-z])"
    r"|(?:later|after(?:wards)?|onwards?|beyond|earlier|before|so on)\b)",
    _I,
)
"""What makes of frames only one of several, or leaves the end open."""
_BOUND = re.compile(
    r"\b(?:before|after|until|till|since|past|beyond|up to|by|from|to|and"
    rf"|(?:start|begin|end)\w*(?: (?:at|in|from))?)\s{_ABOUT}$",
    _I,
)
"""What before a single frame makes it one end of an interval whose other end is not said."""


def word(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Score the reply to a question whose answer is a word of its options.

    Returns:
        `exact_match`, and `valid`: whether the reply names one word.
    """
    said = word_in(results[0], doc["options"])
    return {"exact_match": float(said == doc["answer"]), "valid": float(said is not None)}


def interval(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Score the reply to a question for an interval of key frames.

    Returns:
        The intersection over union and whether it reaches each threshold, with both ends counted (`inclusive`) and
        with lengths as last less first (`half_open`), and whether an interval could be read.
    """
    first, last = doc["answer"].split("-")
    said = interval_in(results[0])
    found = {"interval_parse_rate": float(said is not None)}
    for convention, last_frame in (("inclusive", 1), ("half_open", 0)):
        share = 0.0 if said is None else overlap(said, (int(first), int(last)), last_frame)
        found[f"interval_miou_{convention}"] = share
        for threshold in THRESHOLDS:
            found[f"interval_recall_{threshold}_{convention}"] = float(share >= threshold)
    return found


def overlap(said: Interval, true: Interval, last_frame: int) -> float:
    """Intersection over union of two intervals; `last_frame` is 1 where the last frame counts, else 0."""
    lengths = [last - first + last_frame for first, last in (said, true)]
    shared = max(min(said[1], true[1]) - max(said[0], true[0]) + last_frame, 0)
    union = sum(lengths) - shared
    return shared / union if union > 0 else 0.0


def word_in(reply: str, options: Sequence[str]) -> str | None:
    """The one option that a reply names; None where it names none or several, or leaves a doubt."""
    known = _known(options)
    part, is_marked = marked_part(reply)
    if part is None:
        return None
    end = SENTENCE_END.search(part)
    if is_marked and end:
        part = part[: end.start()]
    whole = _plain(part)
    if whole in known and "?" not in part:
        return known[whole]
    forms = sorted({form for option in options for form in _forms(option)}, key=len, reverse=True)
    spaced = (r"[\s_-]{0,3}".join(map(re.escape, re.split(r"[\s_-]+", form))) for form in forms)
    mentions = list(re.finditer(rf"(?<![\w-])(?:{'|'.join(spaced)})(?![\w]|-\w)", part, _I))
    named = {known.get(_plain(mention[0])) for mention in mentions}
    return named.pop() if len(named) == 1 and _stands(part, mentions) else None


def _known(options: Sequence[str]) -> dict[str, str]:
    """Every way to write an option, as it is compared, to the option; what two share is left out."""
    found: dict[str, set[str]] = {}
    for option in options:
        for form in _forms(option):
            found.setdefault(_plain(form), set()).add(option)
    known = {form: of.pop() for form, of in found.items() if len(of) == 1}
    known |= {_plain(option): option for option in options}
    return {form: option for form, option in known.items() if form}


def _forms(option: str) -> tuple[str, ...]:
    """A word and its plurals."""
    text = option.strip().casefold()
    return (
        text,
        f"{text}s",
        f"{text}es",
        *([f"{text}ses"] if text.endswith("s") else []),
        *([f"{text[:-1]}ies"] if text.endswith("y") else []),
    )


def _plain(text: str) -> str:
    """A word as it is compared: lower case, without an article, punctuation, hyphens and spaces."""
    return re.sub(r"[\W_]+", "", _ARTICLE.sub("", text.strip(_EDGES)).casefold())


def interval_in(reply: str) -> Interval | None:
    """The one interval that a reply names; None where it names none or several, or leaves a doubt.

    A single frame is an interval of itself, and may lie inside another.
    """
    part = answer_part(reply)
    if part is None:
        return None
    alone = _ALONE.fullmatch(part.strip(_EDGES))
    if alone:
        return _ordered(*_ends(alone))
    last = max((hit.start() for hit in _FRAME.finditer(part)), default=0)
    concluded = [hit.end() for hit in CONCLUSION.finditer(part) if hit.end() <= last]
    part = part[concluded[-1] if concluded else 0 :]
    found = list(_INTERVAL.finditer(part))
    rest = _INTERVAL.sub(lambda hit: " " * len(hit[0]), part)
    frames = list(_FRAME.finditer(rest))
    named = {_ends(hit) for hit in found}
    single = {int(hit[1]) for hit in frames}
    if not named and len(single) == 1:
        named = {(frame, frame) for frame in single}
    if len(named) != 1 or _ODD_FRAME.search(rest) or not _stands(part, [*found, *frames]):
        return None
    said = _ordered(*named.pop())
    joined = any(_MORE.match(part, hit.end()) for hit in (*found, *frames))
    open_ended = not found and any(_BOUND.search(part[max(0, hit.start() - NEAR) : hit.start()]) for hit in frames)
    inside = said is not None and all(said[0] <= frame <= said[1] for frame in single)
    return said if inside and not joined and not open_ended else None


def answer_part(reply: str) -> str | None:
    """The part of a reply that is its answer: behind its thoughts and the last `Answer:`; None where there is none."""
    return marked_part(reply)[0]


def marked_part(reply: str) -> tuple[str | None, bool]:
    """The same, and whether the reply says `Answer:` or the like before it."""
    text = after_thoughts(unicodedata.normalize("NFKC", _INVISIBLE.sub("", reply)))
    if text is None:
        return None, False
    places = [hit[1] or hit[2] or "" for hit in _ANSWER_TAG.finditer(text)] or _ANSWER_FIELD.findall(text)
    if places:
        return (_MARKS.sub("", places[0]).strip() if len(set(places)) == 1 else None), False
    text = _MARKS.sub("", text)
    lines = [hit.end() for hit in _ANSWER_LINE.finditer(text)]
    if lines:
        return text[lines[-1] :].strip(), True
    said = _ANSWER_SAID.search(text)  # the first, so that two answers that differ are seen
    if said is None:
        return text.strip(), False
    is_doubted = DOUBT.search(text, max(0, said.start() - NEAR), said.start()) or _ANSWER_SAID.search(text, said.end())
    return (None if is_doubted else text[said.end() :].strip()), True


def after_thoughts(text: str) -> str | None:
    """What follows the last thought of a reply; None where it is left open."""
    thoughts = list(_THOUGHT.finditer(text))
    if thoughts and not thoughts[-1][1]:
        return None
    return text[thoughts[-1].end() if thoughts else 0 :]


def _ends(hit: re.Match[str]) -> Interval:
    first, last = (int(frame) for frame in hit.groups() if frame is not None)
    return first, last


def _ordered(first: int, last: int) -> Interval | None:
    return (first, last) if first <= last else None


def _stands(part: str, hits: Sequence[re.Match[str]]) -> bool:
    """Whether no sentence with one of these hits denies, asks or supposes it, and nothing after them takes it back."""
    starts = [0, *(hit.end() for hit in SENTENCE_END.finditer(part))]
    sentences = list(itertools.pairwise([*starts, len(part)]))
    naming = {bisect.bisect_right(starts, hit.start()) - 1 for hit in hits}
    if any(DOUBT.search(part, *sentences[place]) for place in naming):
        return False
    after = hits[0].end() if hits else 0
    return bool(hits) and not (TAKEN_BACK.search(part, after) or _DENIED_AT_END.search(part, after))
