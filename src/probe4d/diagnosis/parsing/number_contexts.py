"""The words around a number that let it be the answer to a question, or forbid it.

Every pattern looks at a bounded stretch of text, at one sentence, or once over what follows an answer, so that no
reply, however long, is slow to read. What leads to an answer is listed, and whatever else stands before a number
leaves it uncounted; what makes a number in its place none is known by its words, as in `doubts`.
"""

from __future__ import annotations

import re

from probe4d.diagnosis.parsing import doubts
from probe4d.diagnosis.parsing.language import any_of
from probe4d.diagnosis.parsing.units import Unit

__all__ = [
    "APPROXIMATES",
    "NEAR",
    "SENTENCE_END",
    "bare_in_place",
    "directed",
    "doubted",
    "measured_in_place",
    "taken_back",
    "with_tolerance",
]

_I = re.IGNORECASE
NEAR = 80
"""Characters on either side of a number that decide whether it is in its place."""

_MEASURE = (
    r"(?:distance|gap|separation|spacing|clearance|offset|length|width|height|angle|bearing|heading|direction"
    r"|azimuth|measurement|estimate|estimation|value|result|total|answer|ans|guess|entfernung|abstand|distancia"
    r"|distanza|dist\u00e2ncia|\u0440\u0430\u0441\u0441\u0442\u043e\u044f\u043d\u0438\u0435)"
)
APPROXIMATES = re.compile(
    r"(?:"
    + any_of(
        r"\b(?:about|around|approximately|approx\.?|roughly|circa|ca\.?|nearly|almost|exactly|precisely|only|just"
        r"|some|likely|probably|maybe|perhaps|estimated|therefore|thus|hence|ungef\u00e4hr|etwa|rund|environ"
        r"|aproximadamente|cerca de)",
        "[~\u2248\u223c]|\u5927?\u7ea6|\u7d04",
    )
    + r"|[(\[\"'{])[ \t]*$",
    _I,
)
_LEADS = re.compile(
    any_of(
        r"(?:^|\n|\?|[\u3002\uff1a])",
        r"\b(?:is|was|be|being|equals|(?<!or )equal to|measures|comes (?:out )?to|amounts to|corresponds to|say"
        r"|estimate|gives|yields|guess|it['\u2019]s)",
        r"\b(?:is|are|be|lies|stands|sits|located|positioned|estimated) at|\bbe (?:estimated|calculated|computed"
        r"|approximated)(?: as| to)?|\b(?:put|place|estimate|judge)\b[^.!?\n]{1,70} at",
        rf"\b{_MEASURE}(?: of| to)?",
        rf"(?:^|[\n.!?]|\b(?:{_MEASURE}|estimated)\b[^.:=!?\n]{{0,70}}|(?<!\w)(?:\\[a-z]{{2,8}}"
        rf"|[A-Za-z\u03b1-\u03c9](?:_\w{{1,8}}|[0-9])?) ?)[:=]",
        r"\b(?:betr\u00e4gt|ist|est(?: de)?|es(?: de)?|\u00e8(?: di)?|\u00e9(?: de)?)|[\u662f\u4e3a\u70ba\u306f]",
    )
    + r"[ \t]*$",
    _I,
)
"""What may stand before a number that is the answer."""
_LEADS_WITH_UNIT = re.compile(
    r"(?:(?<!\bmin)(?<!\bmax)[.!]|[;(\u2014]|\b(?:are|lies|stands|sits|separated by|located|positioned)"
    r"|\bi think)[ \t]*$",
    _I,
)
"""What may besides, if a unit follows the number."""
_COMMA = re.compile(r",[ \t]*$")
"""The same of a length; before an angle it may part it from its direction."""
_VARIABLE = re.compile(r"(?<!\w)(?:\\[a-z]{2,8}|[A-Za-z\u03b1-\u03c9](?:_\w{1,8}|[0-9])?)[ \t]*\u2248[ \t]*$")
_SUBJECT = re.compile(
    rf"\b{_MEASURE}\b|\bit['\u2019]s\b|\b(?:it|that) (?:is|was|would be|must be)\b|[\u3002\u662f\u4e3a\u70ba]", _I
)
"""What a sentence says something of, if a number without a unit in it is an answer."""
_SPOKEN = re.compile(r"\w[ \t]*$")
_ARTICLE = re.compile(r"\b(?:a|an)[ \t]*$", _I)
_ENDS = r"[ \t]*(?:$|\n|[.;!)\]}\"'\u3002](?![0-9])|,(?=\s)|[(\u2248=])"
_FOLLOWS = re.compile(_ENDS)
_FOLLOWS_UNIT = re.compile(
    any_of(
        _ENDS + r"|\u2014|[ \t][-\u2013][ \t]|\uff0c",
        r"[ \t]+"
        + any_of(
            r"away|apart|from|ahead|behind|forward|between|separates?|along|across",
            r"(?:long|wide|tall|high|deep)(?=[ \t]*(?:$|[.,;!)\n])|[ \t]+(?:and|from|in|as|at|because|since|based"
            r"|with)\b)",
            r"since|because|based|given|according|relative|with respect|measured|as (?:measured|seen|estimated)",
            r"approximately|roughly|in (?:length|width|height|total|front|distance|size|3D|reality|the real world"
            r"|the (?:image|picture|scene))|to (?:the|its|my|our) \w+",
            rf"is (?:my|the) (?:best |final |estimated )?{_MEASURE}|and (?:the|they|its|is|are|has)",
        )
        + r"\b",
    ),
    _I,
)
"""What may stand after a number with a unit that is the answer."""
_FOLLOWS_ARTICLE = re.compile(rf"[ \t]+(?:\w{{1,20}}[ \t]+)?{_MEASURE}\b|[ \t]*$", _I)

# Sentences, and what in them makes a number none.

SENTENCE_END = re.compile(
    r"(?<!approx)(?<!\bca)(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\bmin)(?<!\bmax)[.!?;](?=[\s\"')\]]|$)"
    r"|[\n\u3002\uff01\uff1f]|,?\s(?<!anything )(?<!nothing )(?<!all )(?<!everything )but\s",
    _I,
)
_CONDITIONAL = re.compile(
    r"\b"
    + any_of(
        r"if|unless|suppos\w+|assum\w+|provided|depending|whether|as long as|in case|when|wenn|falls",
        r"hypothetic\w+|imagin\w+|pretend\w*|would have been|should be a number|format",
        r"(?:could|might|may|can(?! be (?:estimated|calculated|computed|approximated|determined)\b))"
        r"(?: \w+){0,2} (?:be|have|measure)|(?:least|less) (?:likely|plausible)",
        r"(?:you|some|someone|one|people|others|they|many) (?:might|may|could|would|will)",
        r"(?:he|she|they|someone|people|caption|question|label|text|sign|model)"
        r" (?:said|says?|claim\w*|guess\w*|suggest\w*)",
        r"used to|at first|with (?:an?other|a different)|in (?:another|a different|the (?:next|previous))",
        r"(?:first|initial|previous|earlier|former|naive|na\u00efve|trap|rash|bad|old|example|sample|wild)"
        r" (?:answer|guess|estimate|estimation|thought|impression|result|value|distance)",
        r"(?:stopping|braking|visible|safe) distance|at [0-9.]+ ?(?:km/h|kmh|mph|m/s)|speed",
        r"limit|bound|minimum|maximum|range of|radius|threshold",
        r"sensor|scale|circle|grid|resolution|confidence|probability",
    )
    + r"\b|^\s*(?:were|had|should)\b",
    _I,
)
"""What makes a number in the same sentence hang on something, stand for a bound, or belong to something else."""
_EXAMPLE = re.compile(r"\b(?:e\.\s?g|for example|for instance|such as|like|example)\b[.,:]?\W*$", _I)
_NEGATIVE = re.compile(r"\b(?:negative|minus)\b", _I)
_TOLERANCE = re.compile(
    r"\b(?:give or take|plus or minus|margin of|error of|uncertaint\w+|tolerance|within)\b|\u00b1|\+/-", _I
)
_MISTAKEN = re.compile(
    r"\b(?:wrong|incorrect\w*|false|inaccurate|mistake\w*|(?:over|under)-?\s?(?:estimate|state)\w*|too (?:much|far"
    r"|large|small|little|low|high|many|close|near|big)|not sure|unsure|uncertain|nonsense|impossible|ignore)\b",
    _I,
)
_TURNS = re.compile(
    r"[.!?;:,\n\u2026\u2014\u2013(-]\s{0,4}(?:but|however|actually|wait|hmm+|no\b|nope|nah|not|rather"
    r"|or(?! \W*\w*\W*[0-9])|sorry|correction|scratch|never ?mind|forget|on second|just kidding|although|though"
    r"|still|yet|unless|if|maybe|perhaps|possibly|hold on|that was|i need to|oops|erm|(?:\w+ly )?(?:more|less"
    r"|farther|further|closer|higher|lower|larger|smaller)|instead|in fact|let me(?! know)|i mean|alternatively"
    r"|otherwise)\b(?! only)",
    _I,
)
_DIRECTION = re.compile(
    r"(?<!counter)(?<!counter-)(?<!counter )(?<!anti)(?<!anti-)clockwise\b|\b(?:left|right|north|south|east|west"
    r"|behind|rear|back|links|rechts)\w*",
    _I,
)


def _shortened(left: str) -> str:
    """Take words that only call a number approximate from the end of its left context."""
    while (shorter := APPROXIMATES.sub("", left)) != left:
        left = shorter
    return left


def bare_in_place(left: str, right: str) -> bool:
    """Say whether what stands right before and right after a number without a unit lets it be the answer."""
    if _FOLLOWS.match(right) is None:
        return False
    if _VARIABLE.search(left):
        return True
    left = _shortened(left)
    return _LEADS.search(left) is not None and (_SPOKEN.search(left) is None or _SUBJECT.search(left) is not None)


def measured_in_place(left: str, right: str, unit: Unit) -> bool:
    """Say the same of a number with a unit."""
    if _VARIABLE.search(left):
        return _FOLLOWS.match(right) is not None
    left = _shortened(left)
    if _ARTICLE.search(left):
        return _FOLLOWS_ARTICLE.match(right) is not None
    leads = _LEADS.search(left) or _LEADS_WITH_UNIT.search(left)
    if leads is None and unit == "metres":
        leads = _COMMA.search(left)
    return leads is not None and (_FOLLOWS_UNIT.match(right) or _FOLLOWS_ARTICLE.match(right)) is not None


def doubted(before: str, after: str) -> bool:
    """Say whether a number's sentence denies it, puts it under a condition, or tells of something else.

    Args:
        before: The sentence up to the number.
        after: The rest of it, without what ends it.
    """
    sentence = f"{before} \u25a1 {after}"
    return doubts.denies(sentence) or _CONDITIONAL.search(sentence) is not None or _EXAMPLE.search(before) is not None


def with_tolerance(before: str, after: str) -> bool:
    """Say whether a number's sentence gives a tolerance, or a sign apart from the number."""
    return any(_TOLERANCE.search(part) or _NEGATIVE.search(part) for part in (before, after))


def directed(after: str) -> bool:
    """Say whether the rest of an angle's sentence gives it a direction."""
    return _DIRECTION.search(after) is not None


def taken_back(reply: str, place: int) -> bool:
    """Say whether what follows a place in a reply takes back what it said before."""
    return any(
        pattern.search(reply, place) is not None
        for pattern in (doubts.CORRECTION, doubts.WITHDRAWAL, _TURNS, _MISTAKEN)
    )
