"""How replies decline to choose, and how they say yes or no in other languages than English."""

from __future__ import annotations

import re

from probe4d.diagnosis.parsing.cues import folded

__all__ = ["cannot_measure", "foreign_yes_no", "refuses", "unable"]

_INABILITY = (
    r"(?:can\s?not|can['\u2019]t|could\s?not|couldn['\u2019]t|unable to|not able to|impossible to|not possible to"
    r"|difficult to|hard to|no way to|no way of)"
)
_JUDGEMENT = (
    r"(?:determin(?:e|ing)|tell(?:ing)?|answer|say|decide|know(?:ing)?|help|assist|provide|identify|judge|choose"
    r"|be (?:certain|sure|determined|answered|known|decided|given|said|told)|certain|sure|given|view|access"
    r"|process|comply|fulfil)"
)
_INPUT = r"(?:the|any|an|your) (?:\w+ )?(?:image|picture|lidar|point|data|video|scan|scene|frame|sequence|input)"
_REFUSAL = re.compile(
    r"\b(?:"
    + "|".join(
        (
            rf"{_INABILITY}\s+(?:be\s+)?(?:\w+ly\s+)?(?:{_JUDGEMENT}\b|(?:see|open|read|find) {_INPUT})",
            rf"need (?:more|additional|to see|access to) (?:{_INPUT}|information|data|context)",
            r"(?:i['\u2019]m|i am) (?:sorry|unable|not able|not sure|unsure)",
            r"too \w+ to (?:tell|see|say|determine|judge)\b",
            r"as an ai\b",
            r"(?:do not|don['\u2019]t|dont) know\b",
            r"no (?:idea|information|(?:correct |right |valid )?answer)\b",
            r"(?:do not|don['\u2019]t) have (?:access|enough|any)\b|(?:will not|won['\u2019]t) answer\b",
            r"(?:not enough|insufficient|lack of) (?:information|data|context|evidence)",
            r"none of (?:the|these|them)\b",
            r"(?:decline|refuse|unclear|undetermined|please provide)\b",
            r"ich wei(?:\u00df|ss) (?:es )?nicht|kann (?:ich |das |es ){0,3}nicht|keine ahnung\b",
            r"no (?:lo )?s[e\u00e9](?!\w)|no (?:puedo|se puede)\b",
            r"je ne (?:sais|peux)\b",
            r"bilmiyorum\b",
            r"n\u00e3o (?:sei|posso)\b|non (?:so|posso)\b",
        )
    )
    + ")"
    "|\u65e0\u6cd5|\u4e0d\u77e5\u9053|\u4e0d\u786e\u5b9a|\u4e0d\u6e05\u695a"
    "|\u5224\u65ad\u3067\u304d|\u308f\u304b\u308a\u307e\u305b\u3093"
    "|\u043d\u0435 \u0437\u043d\u0430\u044e|\u043d\u0435 \u043c\u043e\u0433\u0443"
)
"""Of lower-case text: to ignore case would make each place many times slower to try."""
_REFUSES_WHOLLY = re.compile(
    r"\W*(?:n\s?/\s?a|unknown|unsure|not sure|uncertain|none|undecided|no answer|pass|skip)\W*", re.IGNORECASE
)
_UNABLE = re.compile(
    rf"{_INABILITY}\s+(?:be\s+)?(?:\w+ly\s+)?"
    rf"(?:(?:answer|help|assist|comply|process|determin(?:e|ed|ing)|decided?|judged?|answered)\b"
    rf"|(?:see|view|access|open|read|find|process|analy[sz]e) {_INPUT}s?\b(?! in\b))"
    r"|as an ai\b|(?:do not|don['\u2019]t) have (?:any )?(?:access|enough)\b|\bno access to\b"
)
_CANNOT_MEASURE = re.compile(
    rf"{_INABILITY}\s+(?:be\s+)?(?:\w+ly\s+)?(?:give\b|measur|estimat|calculat|comput|deriv|infer|quantif|see\b"
    rf"|be seen)"
)
_LONGEST_OPENING = 200
_LONGEST_WHOLE_REFUSAL = 40

_FOREIGN_YES_NO = {
    "yes": (
        "ja oui si s\u00ed s\u00ec sim evet tak ya \u0434\u0430 \u662f \u662f\u7684 \u5bf9 \u306f\u3044 \uc608 \ub124"
    ),
    "no": (
        "nein non n\u00e3o hay\u0131r nie nej nee \u043d\u0435\u0442 \u5426 \u4e0d \u4e0d\u662f \u6ca1\u6709"
        " \u3044\u3044\u3048 \uc544\ub2c8\uc694 \uc544\ub2c8\uc624"
    ),
}
_FOREIGN = {folded(word): label for label, words in _FOREIGN_YES_NO.items() for word in words.split()}
_LONE_WORD = re.compile(r"(?:(?<=[.,;!?\n\u3002\uff0c])|^)\W*([^\W\d_]{1,6})(?=\W*(?:$|(?<=[.,;!?\n\u3002\uff0c])))")


def refuses(reply: str) -> bool:
    """Say whether a reply declines to choose, says that it cannot tell, or that no option fits."""
    if len(reply) < _LONGEST_WHOLE_REFUSAL and _REFUSES_WHOLLY.fullmatch(reply):
        return True
    return _REFUSAL.search(folded(reply)) is not None


def unable(folded_reply: str) -> bool:
    """Say whether a reply in lower case says that nothing can be answered or seen, whatever it opens with."""
    return _UNABLE.search(folded_reply) is not None


def cannot_measure(folded_reply: str) -> bool:
    """Say whether a reply in lower case says that what it was asked for cannot be measured."""
    return _CANNOT_MEASURE.search(folded_reply) is not None


def foreign_yes_no(folded_reply: str) -> list[tuple[int, int, str]]:
    """Find yes and no in another language where each stands alone in a reply, in lower case, that opens with one.

    Returns:
        Start, end and `yes` or `no`; empty where the reply opens with anything else.
    """
    first = _LONE_WORD.match(folded_reply[:_LONGEST_OPENING])
    if not first or first[1] not in _FOREIGN:
        return []
    return [
        (hit.start(1), hit.end(1), _FOREIGN[hit[1]])
        for hit in _LONE_WORD.finditer(folded_reply[:_LONGEST_OPENING])
        if hit[1] in _FOREIGN
    ]
