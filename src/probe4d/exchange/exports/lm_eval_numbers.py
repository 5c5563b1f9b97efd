"""Reads and scores replies that are a number of a known unit, for lm-evaluation-harness; a part of `scoring.py` there.

It reads less than Probe4D's parser: one number that stands in its place, and nothing where the sentences around it hold
anything that could make of it a bound, a part of a range, or a number of something else.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from probe4d.exchange.exports.lm_eval_scoring import (
    CONCLUSION,
    DOUBT,
    NEAR,
    SENTENCE_END,
    TAKEN_BACK,
    after_thoughts,
    answer_part,
)

TOLERANCE = 0.25
"""By what share of the truth a number may miss it and be right."""
_ROUNDING = 1e-9
"""By what share of the truth a product may miss the boundary that it stands on."""

_FACTORS = {
    "metres": {
        r"m|(?i:met(?:er|re)s?)": 1.0,
        r"km|(?i:kilomet(?:er|re)s?)": 1000.0,
        r"cm|(?i:centimet(?:er|re)s?)": 0.01,
        r"mm|(?i:millimet(?:er|re)s?)": 0.001,
        r"(?i:ft|foot|feet)": 0.3048,
    },
    "degrees": {r"\u00b0|(?i:deg(?:ree)?s?)": 1.0, r"(?i:rad(?:ian)?s?)": math.degrees(1.0)},
}
"""What units are worth in the unit of a question."""
_WORDS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"),
)
_NUMBERS: dict[re.Pattern[str], dict[str, str | int | None]] = {
    re.compile(r"[0-9]{0,15}(?:\.[0-9]{1,20}|(?<=[0-9]))"): {},
    re.compile(r"[0-9]{1,3}(?:(?:,[0-9]{3}){2,4}|(?:,[0-9]{3}){1,4}\.[0-9]{1,20})"): {",": ""},
    re.compile(r"[0-9]{1,3}(?:\.[0-9]{3}){1,4},[0-9]{1,20}"): {".": "", ",": "."},
    re.compile(r"(?![1-9][0-9]{0,2},[0-9]{3}$)[0-9]{1,15},[0-9]{1,20}"): {",": "."},
}
"""Ways to write a number that have one reading, and what is put for their points and commas."""
_AMOUNTS = {
    unit: re.compile(
        r"(?P<sign>(?<![\w.,)\]\u00b0%])[-+\u2212\u2013]|\b(?:minus|negative)\s)?"
        rf"(?:(?P<digits>(?:(?<![\w.,])\.)?[0-9](?:[0-9.,]*[0-9])?)|\b(?P<word>(?i:{'|'.join(_WORDS)}))\b)"
        rf"(?:(?:[ \t]?|-(?=[a-zA-Z]))(?P<unit>{'|'.join(of_unit)})(?![\w^/\u00b0%$]|\.[A-Za-z]))?"
    )
    for unit, of_unit in _FACTORS.items()
}
_MEASURE = r"(?:distance|gap|offset|length|width|height|angle|bearing|heading|estimate|value|result|answer)"
_APPROXIMATES = re.compile(
    r"(?:\b(?:about|around|approximately|roughly|nearly|almost|exactly|only|just|likely|probably|maybe|perhaps)"
    r"|[~\u2248(\[\"])\s*$",
    re.IGNORECASE,
)
_LEADS = re.compile(
    rf"(?:^\s*|\b(?:is|was|be|equals|equal to|measures|comes to|say|estimate|{_MEASURE}(?: of| to)?)\s"
    rf"|\b(?:is|are|lies|stands|located|positioned|estimated|{_MEASURE}) at\s|it['\u2019]s\s"
    rf"|\b(?:{_MEASURE}|estimated)\b[^.:=!?\n]{{0,70}}[:=]\s*)$",
    re.IGNORECASE,
)
"""What may stand before a number that is the answer."""
_LEADS_WITH_UNIT = re.compile(r"\b(?:are|lies|stands|located|positioned|separated by|i think)\s$", re.IGNORECASE)
_SUBJECT = re.compile(rf"^\s*$|\b{_MEASURE}\b|\b(?:it|that) (?:is|was|would be)\s$|\bit['\u2019]s\s$", re.IGNORECASE)
"""What a sentence is about, if a number without a unit in it is an answer."""
_FOLLOWS = re.compile(r"\s*(?:$|\n|[.;)\]}\"](?![0-9])|!\s*$|,\s|\([a-z ]+\))")
_SIGNED = re.compile(
    r"(?:^|[(\[:=\u2248~\"]|\b(?:is|be|of|about|around|approximately|roughly|equals|say|at))\s*$", re.IGNORECASE
)
"""What before a dash or a plus makes it the sign of a number."""
_FOLLOWS_UNIT = re.compile(
    r"\s(?:away|apart|from|ahead|behind|forward|between|in (?:front|length|width|height|total)|to the \w+"
    r"|(?:long|wide|tall|high|deep)(?=\s*(?:$|[.,;!\n]))|since|because|based|given|relative|with respect|measured"
    rf"|approximately|roughly|is (?:my|the) (?:\w+ )?{_MEASURE})\b",
    re.IGNORECASE,
)
"""What may stand behind it."""
_BOUND_TO = re.compile(
    r"\b(?:at (?:least|most)|more|less|fewer|greater|farther|further|closer|nearer|higher|lower|larger|smaller|shorter"
    r"|longer|over|under|up to|within|below|above|beyond|exceed\w*|min(?:imum)?|max(?:imum)?|limit|bound|rang\w+|radius"
    r"|threshold|or|plus|minus|negative|give or take|margin|error|tolerance|half|\w{3,5}ty|hundred|thousand|dozen|point"
    r"|speed|per|typical\w*|average|standard|usual\w*|scale|grid|circle|sensor|camera|resolution|confidence"
    r"|probabil\w+|percent|depend\w*|provided|when|whether|should|had|can|hypothe\w+|imagin\w+|pretend\w*|next"
    r"|previous\w*|used to|an?other (?:camera|frame|scene)|caption|question|label|sign"
    r"|(?:first|initial|previous|earlier|former|naive|trap|old|stopping|braking|visible|safe)"
    r" (?:answer|guess|estimat\w+|thought|impression|value|distance|i)"
    r"|at first|said|says|claim\w*|suggest\w*|nobody|some|silly|too|but|however|although|though|still|yet"
    r"|that was|that is the|doubt\w*|false|un(?:sure|able|clear|known|certain\w*)|impossible|ignore|forget|kidding"
    r"|hold on|hmm+|let me|i mean|i need|strike|scratch|cancel|retract)\b"
    r"|[<>{}\u2264\u2265\u00b1\u221a\u00d7^/%]|^\W*[A-H][).:]",
    re.IGNORECASE,
)
"""What beside a number makes of it a bound, a part of a range or of a calculation, or says it of something else."""
_BEFORE = 120
"""How many characters before a number decide whether it is the answer."""
_DIRECTION = re.compile(r"\b(?:left|right|north|south|east|west|behind|rear|back|\w*clockwise)\w*", re.IGNORECASE)
_NAMED = re.compile(
    r"\b(?:object|region|box|car|vehicle|truck|bus|van|pedestrian|marker|frame)[\s_]?[#(\[]?[0-9]{1,4}\b[)\]]?"
    r"(?=,?\s(?:and|to|from|is|are|has|with)\b|\.?\s*$)",
    re.IGNORECASE,
)
"""Names that hold a number."""
_MERGED = re.compile(
    r"[0-9.,](?:[\s~]?(?:[*`#$_\\^]|</?[a-z][^<>\n]{0,40}>))+[\s~]?[0-9.,(]|[-+\u2212\u2013]\s?(?:[*`#]|</?[a-z])"
    r"|~~|&#?\w+;|\\frac|\\sqrt|\S\s?<(?:think|thinking|thought|reasoning)>",
    re.IGNORECASE,
)
"""Markup that may stand for a sign or part it from its number, or whose removal may make one number of two."""
_MARKER = re.compile(r"\b(?:answer|ans|estimate|guess)\b\W{0,6}(?:is\b|would be\b|will be\b|[:=])", re.IGNORECASE)
_PLACE = re.compile(r"[\"']\w{1,20}[\"']\s*:|(?<!/)\b(?:answer|boxed)\b", re.IGNORECASE)
"""Where a reply says what its answer is."""
_NUMBER_FIELD = re.compile(
    r"[^\w{]*(?:json\s*)?\{\s*[\"']\w{1,20}[\"']\s*:\s*([-+]?[0-9.]{1,20})\s*\}\W*", re.IGNORECASE
)


def number(doc: Mapping[str, Any], results: Sequence[str]) -> dict[str, float]:
    """Score the reply to a question for a number of a known unit.

    Returns:
        Whether it is within the tolerance, whether a number could be read and, if so, the absolute error in the unit
        of the question, of degrees also the shorter way round.
    """
    true, said = float(doc["answer"]), number_in(results[0], doc["unit"])
    if said is None:
        return {"tolerance_accuracy": 0.0, "valid_rate": 0.0}
    error = abs(said - true)
    within = error <= TOLERANCE * abs(true) * (1.0 + _ROUNDING)
    found = {"tolerance_accuracy": float(within), "valid_rate": 1.0, "mean_absolute_error": error}
    if doc["unit"] == "degrees":
        found["mean_absolute_error_wrapped"] = min(error % 360.0, 360.0 - error % 360.0)
    return found


def number_in(reply: str, unit: str) -> float | None:
    """The one number that a reply names, in metres or degrees; None where it names none or several, or leaves a doubt.

    A number without a unit is taken to be in the one asked for.
    """
    folded = unicodedata.normalize("NFKC", reply)
    is_changed = re.findall("[0-9]", folded) != re.findall("[0-9]", reply)
    if is_changed or any(sign.isnumeric() and not sign.isascii() for sign in folded) or _MERGED.search(reply):
        return None
    part, whole = answer_part(reply), after_thoughts(folded)
    if part is None or whole is None or not _is_plainly_marked(whole):
        return None
    field = _NUMBER_FIELD.fullmatch(part)
    part = _NAMED.sub("it", field[1] if field else part)
    alone = part.strip(" .!\n")
    hits = _AMOUNTS[unit].finditer(part)
    amounts = [hit for hit in hits if hit["digits"] or hit["unit"] or (hit[0] == alone and alone.lower() != "one")]
    last = amounts[-1].start() if amounts and not _PLACE.search(whole) else 0
    start = max((hit.start() for hit in CONCLUSION.finditer(part) if hit.start() < last), default=0)
    amounts = [hit for hit in amounts if hit.start() >= start]
    values = {_value(hit, unit) for hit in amounts}
    if len(values) != 1 or not _in_place(part, amounts[0], start):
        return None
    rest = part[start : amounts[0].start()] + " \u25a1 " + part[amounts[0].end() :]
    is_doubted = any(pattern.search(rest) for pattern in (DOUBT, TAKEN_BACK, _BOUND_TO))
    is_directed = unit == "degrees" and _DIRECTION.search(part, amounts[0].end())
    return None if is_doubted or is_directed else values.pop()


def _is_plainly_marked(reply: str) -> bool:
    """Whether a reply says of no more than one part that it is the answer, and nothing in that sentence against it."""
    markers = list(_MARKER.finditer(reply))
    before = re.split(r"[.!?\n]", reply[max(0, markers[0].start() - NEAR) : markers[0].end()])[-1] if markers else ""
    is_one = len(markers) < 2 and len(_PLACE.findall(reply)) < 2
    return is_one and _BOUND_TO.search(before) is None


def _value(hit: re.Match[str], unit: str) -> float | None:
    """What a number is worth in a unit; None where its points and commas read in two ways."""
    size = float(_WORDS.index(hit["word"].lower())) if hit["word"] else _size(hit["digits"])
    factors = [factor for names, factor in _FACTORS[unit].items() if re.fullmatch(names, hit["unit"] or "")]
    sign = -1.0 if (hit["sign"] or "+").strip().lower() in ("-", "\u2212", "\u2013", "minus", "negative") else 1.0
    return None if size is None else sign * size * (factors[0] if factors else 1.0)


def _size(digits: str) -> float | None:
    for form, put in _NUMBERS.items():
        if form.fullmatch(digits):
            return float(digits.translate(str.maketrans(put)))
    return None


def _in_place(part: str, hit: re.Match[str], start: int) -> bool:
    """Whether what stands right before and right behind a number lets it be the answer."""
    sentence = max([start, *(end.end() for end in SENTENCE_END.finditer(part, start, hit.start()))])
    near = hit.start() - _BEFORE  # so that the time does not grow with the square of a long sentence
    left = part[sentence : hit.start()] if near <= sentence else f"\u25a1{part[near : hit.start()]}"
    right = part[hit.end() :]
    if "," in (hit["digits"] or "") and left.endswith(("(", "[")):
        return False  # it may be two
    if hit["sign"] in ("-", "+", "\u2013") and not _SIGNED.search(left):
        return False
    while (shorter := _APPROXIMATES.sub("", left)) != left:
        left = shorter
    if hit["unit"]:
        leads = _LEADS.search(left) or _LEADS_WITH_UNIT.search(left)
        return bool(leads and (_FOLLOWS.match(right) or _FOLLOWS_UNIT.match(right)))
    return bool(_LEADS.search(left) and _SUBJECT.search(left) and _FOLLOWS.match(right))
