"""A clause in English -> the claim that it makes: the grammar, on text in lower case in which the ego vehicle is `ego`.

What is not wholly understood is no claim. Words that only make the subjects fewer (`a red car`, `near the crosswalk`)
are kept as `narrowed`; words that could turn a sentence round leave it unread.
"""

from __future__ import annotations

import re

from msgspec.structs import replace

from probe4d.benchmarks.b4dl.claims.claim import Claim, Kind
from probe4d.benchmarks.b4dl.claims.comparisons import comparison, distance_in, named_nearest
from probe4d.benchmarks.b4dl.claims.predicates import Predicate, place_in, predicate_in
from probe4d.benchmarks.b4dl.claims.subjects import LOGIC, Subject, subject_at_start
from probe4d.benchmarks.b4dl.claims.vocabulary import Meaning

__all__ = ["claim_asked", "claim_of_class", "claim_of_presence", "claim_stated"]

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


def claim_asked(text: str) -> Claim | None:
    """The claim of a clause in the order of a question: auxiliary, subject, predicate."""
    seen = _SEEN.match(text)
    if seen is not None:
        return claim_of_presence(text[seen.end() :])
    for auxiliary, of_kind in ((_BE, "be"), (_DO, "do"), (_CAN, "can"), (_HAVE, "have")):
        match = auxiliary.match(text)
        if match is None:
            continue
        rest = text[match.end() :]
        if of_kind == "can" and not _CAN_BE_SEEN.search(rest):  # what it can do need not happen
            return None
        has = _SCENE_HAS.match(rest)
        if has is not None:
            return claim_of_presence(rest[has.end() :])
        if of_kind == "be" and rest.startswith("there "):
            return claim_of_presence(rest[len("there ") :])
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


def claim_stated(text: str) -> Claim | None:
    """The claim of a clause in the order of a statement: subject, predicate."""
    if text.startswith("ego "):
        return _of_ego(text.removeprefix("ego ").removeprefix("is "))
    subject = subject_at_start(text)
    if subject is None:
        return None
    auxiliary = _BE.match(subject.rest)
    rest = subject.rest[auxiliary.end() :] if auxiliary else subject.rest
    return _of_object(subject._replace(rest=rest), be=auxiliary is not None)


def claim_of_presence(text: str) -> Claim | None:
    """The claim of `a car ahead`: there is one."""
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


def claim_of_class(text: str, answered: Meaning) -> Claim | None:
    """The claim of a class as the answer to what does as a text says, such as `is behind ego`."""
    match = _BE.match(text) or re.match(r"can be ", text)
    rest = text[match.end() :] if match else text
    if LOGIC.search(rest):
        return None
    claim = _of_object(Subject(answered, "a", None, narrowed=False, state=None, rest=rest), be=match is not None)
    if claim is not None:
        return claim if not claim.negated else None
    if _ALTERING.search(_RELATION_TO_EGO.sub(" ", rest)):
        return None
    return Claim(kind="presence", subject=answered, narrowed=True)  # whatever else is said of it, it is there
