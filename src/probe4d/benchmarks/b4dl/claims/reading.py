"""A question and its answer in English -> the claim that they make, or why none is read."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from msgspec.structs import replace

from probe4d.benchmarks.b4dl.claims.claim import Claim, Joined
from probe4d.benchmarks.b4dl.claims.clauses import claim_asked, claim_of_class, claim_of_presence, claim_stated
from probe4d.benchmarks.b4dl.claims.joining import joined_in
from probe4d.benchmarks.b4dl.claims.spans import Spoken, spoken_frames
from probe4d.benchmarks.b4dl.claims.vocabulary import Meaning, meaning_of
from probe4d.benchmarks.b4dl.replies.answer_forms import ShortAnswer

__all__ = ["Read", "Unread", "read_pair"]

MOST_CHARACTERS = 300
"""Longer questions are not read: what the tasks ask for is a line."""

_PLAIN = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u2013": "-", "\u2014": "-"})
_EGO = re.compile(
    r"\b(?:(?:the|our|this|your|an) )?(?:ego|self-driving|host|autonomous)[- ]?(?:vehicle|car)\b(?!'s)"
    r"|\b(?:the )?ego\b(?![- ]?(?:vehicle|car|motion|lane))"
)
_HEAD_WHEN = re.compile(
    r"(?:when|(?:(?:from|during|in|at|over|across|within|through|throughout|for|between) )?(?:which|what)"
    r" (?:range of frames|frame range|frame interval|time interval|interval|time range|period|time period|frames?)"
    r"(?: (?:to|and) (?:which|what) frames?)?) (?=\w)"
)
_HEAD_RANGE = re.compile(
    r"what (?:is|are) the (?:range of frames|frame range|frame interval|time interval|interval|frames?) "
    r"(?:(?:in|during|over|for|within|throughout) which|when|where) (?=\w)"
)
_FRAMES_HOLD = re.compile(
    r"^(?:does|do|did) (?P<when>frames? \d{1,4}(?: (?:to|and|through) (?:frame )?\d{1,4})?) "
    r"(?:contain|include|show|have|feature|depict)s? "
    r"(?=an? |any |(?:at least|one|two|three|no|some|several)\b)(?P<what>.+)$"
)
"""`Does frame 010 contain a car?`, which asks whether there is one in that frame."""
_HEAD_WHICH = re.compile(
    r"(?:which|what) (?:(?:type|kind|class|category) of )?(?:object|obstacle|vehicle|road user|class|thing|participant)"
    r"(?: (?:class|type|category))? "
)
_HEAD_WHAT = re.compile(r"what (?=is |are )")


class Read(NamedTuple):
    """What a pair says.

    Attributes:
        claim: The claim that a yes makes, or that the class answered makes, or of which an interval is given; two
            claims that `and` or `or` joins only of a yes or a no.
        yes: Whether the answer is yes; true where a class or an interval is the answer.
        interval: The interval that is the answer.
        answer_class: Whether the answer is a class.
    """

    claim: Claim | Joined
    yes: bool = True
    interval: tuple[int, int] | None = None
    answer_class: bool = False


class Unread(NamedTuple):
    """Why a pair is not read.

    Attributes:
        why: The reason, a sentence.
    """

    why: str


_NOT_UNDERSTOOD = Unread("The question is not understood in full.")


def read_pair(question: str, answer: ShortAnswer | None) -> Read | Unread:
    """Read a question with its answer.

    Args:
        question: As it was generated.
        answer: As `canonical_answer` has it: yes or no, a class, or an interval of key frames; null is not read.
    """
    if len(question) > MOST_CHARACTERS:
        return Unread(f"The question is longer than {MOST_CHARACTERS} characters, and is not read.")
    if answer is None:
        return Unread("The answer is free text, which is not read.")
    interval, meaning = answer.interval, meaning_of(answer.text) if answer.kind == "class" else None
    text = _plain(question)
    if isinstance(text, Unread):
        return text
    if answer.kind == "yes-no" and (joined := joined_in(text)) is not None:
        return Read(joined, answer.text != "No")
    spoken = _spoken(text)
    if isinstance(spoken, Unread):
        return spoken
    if not spoken.clear:
        return Unread("The question names several ranges of frames, or one that ends before it begins.")
    claim = _claim(spoken, when=interval is not None, answered=meaning)
    if claim is None:
        return _NOT_UNDERSTOOD
    claim = replace(claim, frames=spoken.frames, time=spoken.time if claim.time == "either" else claim.time)
    if claim.negated and claim.time == "throughout":
        return Unread("The question may ask whether it is never so, or not all of the time.")
    if interval is not None and claim.frames is not None:
        return Unread("The question asks for frames and names frames.")
    return Read(claim, answer.text != "No", interval, meaning is not None)


def _plain(question: str) -> str | Unread:
    """A question in lower case without stops and quotes; the ego vehicle is `ego`."""
    text = unicodedata.normalize("NFKC", question).translate(_PLAIN).strip().lower()
    text = text.removeprefix("q:").strip().rstrip("?!. ")
    if not text.isascii():
        return Unread("The question has characters that are not read.")
    if re.search(r"[?!;:\"()\[\]{}<>*|\\/]|\.(?!\d)", text):
        return Unread("The question is more than one plain sentence.")
    text = _FRAMES_HOLD.sub(r"is there \g<what> in \g<when>", " ".join(text.split()))
    return _EGO.sub("ego", text)


def _spoken(text: str) -> Spoken | Unread:
    """A plain question without its frames."""
    spoken = spoken_frames(text)
    rest = spoken.text.strip(" ,").removesuffix(" anywhere")
    if "," in rest or re.search(
        r"\b(?:frames?|isn't|aren't|doesn't|don't|wasn't)\b",
        _HEAD_WHEN.sub(" ", _HEAD_RANGE.sub(" ", rest, count=1), count=1),
    ):
        return _NOT_UNDERSTOOD
    return spoken._replace(text=rest)


def _claim(spoken: Spoken, *, when: bool, answered: Meaning | None) -> Claim | None:
    text = spoken.text
    if when:
        head = _HEAD_WHEN.match(text) or _HEAD_RANGE.match(text)
        if head is None:
            return None
        text, told = text[head.end() :], head.re is _HEAD_RANGE
        if re.search(r"\bappears?\b", text):  # when it is there, or when it comes
            return None
        shown = re.fullmatch(r"(?:show|contain|include|feature|depict|have)s? (.+)", text)
        if shown is not None:
            return claim_of_presence(shown[1])
        return claim_stated(text) if told else claim_asked(text)
    if answered is not None:
        head = _HEAD_WHICH.match(text) or _HEAD_WHAT.match(text)
        return None if head is None else claim_of_class(text[head.end() :], answered)
    return claim_asked(text)
