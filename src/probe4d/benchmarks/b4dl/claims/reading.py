"""A question and its answer in English -> the claim that they make, or why none is read.

A small grammar: what is not wholly understood is no claim. Words that only make the subjects fewer (`a red car`, `near
the crosswalk`) are kept as `narrowed`; words that could turn a sentence round leave it unread.
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

from msgspec.structs import replace

from probe4d.benchmarks.b4dl.claims.claim import Claim, Kind
from probe4d.benchmarks.b4dl.claims.comparisons import comparison, distance_in, named_nearest
from probe4d.benchmarks.b4dl.claims.predicates import Predicate, place_in, predicate_in
from probe4d.benchmarks.b4dl.claims.spans import Spoken, answered_interval, answered_yes, spoken_frames
from probe4d.benchmarks.b4dl.claims.subjects import LOGIC, Subject, subject_at_start
from probe4d.benchmarks.b4dl.claims.vocabulary import Meaning, meaning_of

__all__ = ["Read", "Unread", "read_pair"]

MOST_CHARACTERS = 300
"""Longer questions and answers are not read: what the tasks ask for is a line."""

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
_HEAD_WHICH = re.compile(
    r"(?:which|what) (?:(?:type|kind|class|category) of )?(?:object|obstacle|vehicle|road user|class|thing|participant)"
    r"(?: (?:class|type|category))? "
)
_HEAD_WHAT = re.compile(r"what (?=is |are )")
_BE = re.compile(r"(?:is|are|was|were) ")
_DO = re.compile(r"(?:does|do|did) ")
_CAN = re.compile(r"can ")
_DOING = re.compile(r"(?:moving|approaching|crossing|coming|overtaking|passing|turning)\b")
_CAN_BE_SEEN = re.compile(r"\bbe (?:seen|observed|detected|found|identified)\b")
_HAVE = re.compile(r"(?:has|have) ")
_SEEN = re.compile(r"(?:do|can) (?:you|we) (?:see|observe|detect|find) ")
_SCENE_HAS = re.compile(
    r"(?:the |this )?(?:scene|sequence|lidar sequence|lidar scene|lidar data|point cloud|lidar) "
    r"(?:contains?|includes?|shows?|captures?|features?|depicts?|have|has) "
)
_SHOWN = (
    r"(?:present|visible|seen|detected|observed|located|positioned|situated|found|identified|in view|in sight|captured"
    r"|shown|detectable|observable|there|here)"
)
_PRESENT = re.compile(
    rf"(?:(?:remain|stay)s? |continues? to be |(?:to )?be |been |being )?{_SHOWN}\b|\b(?:appear|exist)s?\b"
    r"|\b(?:remain|stay)s?(?= (?:on|to|in|at|behind|ahead|directly) )"
)
_APPEARING = re.compile(r"\bappears? (?:to be |to )")
_DISTANCE_CHANGES = re.compile(
    r"the distance (?:between ego and|between|from ego to|of|to) (?P<what>.+?)(?: (?:and|to|from) ego)? "
    r"(?:(?P<less>decreas|shrink|reduc)|increas|grow)(?:e|es|ing|s)?"
)
_STAYS = re.compile(r"\b(?:remain|stay|continue)s?\b")
_IDLE = re.compile(
    r"\b(?:clearly|currently|also|actually|at all|in the vicinity|in (?:the )?lidar(?: data| sequence)?"
    r"|in the (?:surroundings|environment)|around (?:the )?ego|in the point cloud)(?= |$)"
    r"|\bstill (?=\w+ing\b|visible|present|there)|\b(?:be )?(?:seen|observed) (?=\w+ing\b)"
    r"|\bcontinu(?:e|es|ing) to (?=move|drive|go)"
)
_EGO_DRIVES = r"ego (?:is )?(?:(?:mov|driv|pass)(?:e|es|ing)|passes)"
_AS_EGO_DRIVES = re.compile(rf"\b(?:as|while) {_EGO_DRIVES}(?: (?:forward|on|ahead|straight|by|towards? it|it))?$")
"""Words that tell a part of the time, as annotation phrases do."""
_IN_PART_OF_THE_TIME = (
    "nears",
    "gets-farther",
    "approaches",
    "recedes",
    "moves",
    "passes",
    "falls-behind",
    "overtakes",
)
"""Kinds that are denied of every part of the time where they are denied of the whole."""
_POSTURE = "standing|sitting|walking|waiting|parked|moving|riding|driving|stopped|stationary|crossing|slowly|quickly"
_WHERE = "on|in|near|at|along|around|by|beside|next to|close to|among|across|that|which|who|wearing|carrying|with"
_NARROWING = re.compile(
    rf"(?:{_WHERE}|{_POSTURE}) \w|"
    rf"(?:gradually|steadily|nearby|slightly|together|suddenly|sharply|significantly|{_POSTURE})$"
)
_ALTERING = re.compile(
    r"\b(?:from|to|toward|towards|than|of|past|relative|respect|into|onto|behind|ahead|front|between|through|against|as"
    r"|like|compared|before|after|while|when|until|once|since|by the time|then|followed|if|whether|away"
    r"|rid(?:es?|ing)|bicycles?|bikes?|motorcycles?|motorbikes?|scooters?)\b"
)
"""Words after which it is something else that is said, or of someone who is annotated as the cycle that he rides."""
_RELATION_TO_EGO = re.compile(r"\b(?:of|to|from|toward|towards|with) (?:the )?ego\b")


class Read(NamedTuple):
    """What a pair says.

    Attributes:
        claim: The claim that a yes makes, or that the class answered makes, or of which an interval is given.
        yes: Whether the answer is yes; true where a class or an interval is the answer.
        interval: The interval that is the answer.
        answer_class: Whether the answer is a class.
    """

    claim: Claim
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


def read_pair(question: str, answer: str) -> Read | Unread:
    """Read a question with its answer.

    Args:
        question: As it was generated.
        answer: As it was generated: yes or no, a class, or an interval of key frames; anything else is not read.
    """
    if max(len(question), len(answer)) > MOST_CHARACTERS:
        return Unread(f"The question or its answer is longer than {MOST_CHARACTERS} characters, and is not read.")
    yes, interval = answered_yes(answer), answered_interval(answer)
    meaning = None if yes is not None or interval is not None else meaning_of(answer)
    if yes is None and interval is None and meaning is None:
        return Unread("The answer is free text, which is not read.")
    spoken = _plain(question)
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
    return Read(claim, yes is not False, interval, meaning is not None)


def _plain(question: str) -> Spoken | Unread:
    """A question in lower case without frames, stops and quotes; the ego vehicle is `ego`."""
    text = unicodedata.normalize("NFKC", question).translate(_PLAIN).strip().lower()
    text = text.removeprefix("q:").strip().rstrip("?!. ")
    if not text.isascii():
        return Unread("The question has characters that are not read.")
    if re.search(r"[?!;:\"()\[\]{}<>*|\\/]|\.(?!\d)", text):
        return Unread("The question is more than one plain sentence.")
    spoken = spoken_frames(_EGO.sub("ego", " ".join(text.split())))
    rest = spoken.text.strip(" ,")
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
            return _present(shown[1])
        return _statement(text) if told else _clause(text)
    if answered is not None:
        return _which(text, answered)
    return _clause(text)


def _clause(text: str) -> Claim | None:
    """The claim of a clause in the order of a question: auxiliary, subject, predicate."""
    seen = _SEEN.match(text)
    if seen is not None:
        return _present(text[seen.end() :])
    for auxiliary, of_kind in ((_BE, "be"), (_DO, "do"), (_CAN, "can"), (_HAVE, "have")):
        match = auxiliary.match(text)
        if match is None:
            continue
        rest = text[match.end() :]
        if of_kind == "can" and not _CAN_BE_SEEN.search(rest):  # what it can do need not happen
            return None
        has = _SCENE_HAS.match(rest)
        if has is not None:
            return _present(rest[has.end() :])
        if of_kind == "be" and rest.startswith("there "):
            return _present(rest[len("there ") :])
        if rest.startswith("ego ") or rest == "ego":
            return _of_ego(rest[len("ego ") :])
        changes = _DISTANCE_CHANGES.fullmatch(rest)
        if changes is not None:
            what = subject_at_start(changes["what"])
            return what and _told(Claim(kind="nears" if changes["less"] else "gets-farther"), what, what.rest, False)
        subject = subject_at_start(rest)
        if subject is not None:
            return _of_object(subject, be=of_kind != "do")
        nearest = re.match(r"the (?:closest|nearest) (\w+)(?: to (?:the )?ego)? (an? \w+(?: \w+)?)$", rest)
        return named_nearest(nearest[2], nearest[1]) if nearest else None
    return None


def _statement(text: str) -> Claim | None:
    """The claim of a clause in the order of a statement: subject, predicate."""
    if text.startswith("ego "):
        return _of_ego(text.removeprefix("ego ").removeprefix("is "))
    subject = subject_at_start(text)
    if subject is None:
        return None
    auxiliary = _BE.match(subject.rest)
    rest = subject.rest[auxiliary.end() :] if auxiliary else subject.rest
    return _of_object(subject._replace(rest=rest), be=auxiliary is not None)


def _present(text: str) -> Claim | None:
    """`a car ahead`: there is one."""
    negated = text.startswith("not ")
    subject = subject_at_start(text.removeprefix("not "))
    if subject is None:
        return None
    claim = _of_object(subject, be=True, there=True)
    return claim and replace(claim, negated=claim.negated != negated)


def _of_object(subject: Subject, *, be: bool, there: bool = False) -> Claim | None:
    if subject.kind == "all":
        return None
    rest, negated = _negation(subject.rest)
    rest, during = _AS_EGO_DRIVES.subn(" ", rest)
    rest = " ".join(_IDLE.sub(" ", rest).split())
    subject = subject._replace(narrowed=subject.narrowed or during > 0)
    distant = distance_in(rest)
    if distant is not None and not during:
        claim, rest = distant
        return _told(claim, subject, _PRESENT.sub(" ", rest), negated)
    compared = comparison(subject, rest) if be and not there and not during else None
    if compared is not None:
        return _told(compared, subject, "", negated)
    predicate = None if there and not _DOING.match(rest) else predicate_in(rest, of_ego=False)
    if during and (predicate is None or predicate.kind not in _IN_PART_OF_THE_TIME):
        return None
    if predicate is not None:
        claim = Claim(kind=predicate.kind, strict=predicate.strict, place=predicate.place)
        return _told(claim, subject, predicate.rest, negated)
    return _shown(subject, rest, negated, told=there or be)


def _shown(subject: Subject, rest: str, negated: bool, *, told: bool) -> Claim | None:
    """A claim of presence, of a count, or of what an adjective says."""
    stays = _STAYS.search(rest) is not None
    without, times = _PRESENT.subn(" ", rest)
    if not times and not told:
        return None
    kind: Kind = "count" if subject.how_many is not None else "presence"
    if subject.state is not None and subject.how_many is None:
        subject, kind = subject._replace(narrowed=False), subject.state or kind
    claim = Claim(kind=kind, count=subject.how_many, time="throughout" if stays else "either")
    return _told(claim, subject, without, negated)


def _told(claim: Claim, subject: Subject, rest: str, negated: bool) -> Claim | None:
    """A claim with its subject and place, where the words that are left only make the subjects fewer."""
    place, rest, clear = place_in(" ".join(rest.split()))
    if not clear or (place is not None and claim.place is not None):
        return None
    rest = " ".join(_IDLE.sub(" ", rest).split())
    if rest and (LOGIC.search(rest) or _ALTERING.search(rest) or not _NARROWING.match(rest)):
        return None
    if subject.how_many is not None and claim.kind != "count":
        return None
    definite = subject.kind == "the"
    if definite and subject.meaning.word == "vehicle" and place is None:  # it may be the ego vehicle
        return None
    return replace(
        claim,
        subject=subject.meaning,
        place=place or claim.place,
        definite=definite,
        narrowed=subject.narrowed or bool(rest),
        negated=negated != (subject.kind == "no"),
    )


def _negation(rest: str) -> tuple[str, bool]:
    return (rest.removeprefix("not ").strip(), True) if rest.startswith("not ") else (rest, False)


def _of_ego(text: str) -> Claim | None:
    rest, negated = _negation(text)
    rest = " ".join(_IDLE.sub(" ", _APPEARING.sub(" ", rest)).split())
    towards = re.fullmatch(
        r"(?P<verb>approach(?:es|ing)?|(?:mov|driv)(?:e|es|ing) (?:toward|towards|closer to)"
        r"|(?:overtak(?:e|es|ing)|pass(?:es|ing)?(?: by)?)) (?P<what>.+)",
        rest,
    )
    if towards is not None:
        subject = subject_at_start(towards["what"])
        if subject is None or subject.kind not in ("a", "the"):
            return None
        verb = towards["verb"]
        kinds: tuple[tuple[str, Kind], ...] = (("overtak", "is-overtaken"), ("pass", "falls-behind"), ("", "nears"))
        kind = next(kind for begin, kind in kinds if verb.startswith(begin))
        return _told(Claim(kind=kind), subject, subject.rest, negated)
    predicate: Predicate | None = predicate_in(rest, of_ego=True)
    if predicate is None or predicate.place is not None:
        return None
    if predicate.kind == "parked":  # who drives stands where others may be parked
        predicate = predicate._replace(kind="stands")
    left = predicate.rest
    if left and (LOGIC.search(left) or _ALTERING.search(left) or not _NARROWING.match(left)):
        return None
    return Claim(kind=predicate.kind, strict=predicate.strict, negated=negated, narrowed=bool(left))


def _which(text: str, answered: Meaning) -> Claim | None:
    """`which object is behind ego`, answered with a class: there is one of it there."""
    subject = Subject(answered, "a", None, False, None, "")
    head = _HEAD_WHICH.match(text) or _HEAD_WHAT.match(text)
    if head is None:
        return None
    rest = text[head.end() :]
    match = _BE.match(rest) or re.match(r"can be ", rest)
    rest = rest[match.end() :] if match else rest
    if LOGIC.search(rest):
        return None
    claim = _of_object(subject._replace(rest=rest), be=match is not None)
    if claim is not None:
        return claim if not claim.negated else None
    if _ALTERING.search(_RELATION_TO_EGO.sub(" ", rest)):
        return None
    return Claim(kind="presence", subject=answered, narrowed=True)  # whatever else is said of it, it is there
