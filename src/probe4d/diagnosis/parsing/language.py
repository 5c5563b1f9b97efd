"""The words beside a mention of an option that decide what it is worth, in English and a little of other languages.

Every pattern looks at a bounded stretch of text next to one mention, so that no reply, however long, is slow to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from probe4d.diagnosis.parsing.menu import WORD

__all__ = [
    "CONFIRMED",
    "CORRECTION",
    "ENDS",
    "ENDS_IN_ALTERNATIVE",
    "FOLLOWS_LABEL",
    "IF_FOLLOWS",
    "IN_BRACKETS",
    "LABEL_SHAPE",
    "LIKEWISE",
    "LOWER_LIST",
    "NO_RATHER",
    "NUMBERED_OPTION",
    "OPENS_LOWER",
    "PLAIN_WORD",
    "TAKES_BACK",
    "announces",
    "announces_final",
    "beside",
    "concludes",
    "condition",
    "denied",
    "joined",
    "leads_to_label",
    "names_option",
    "opens",
    "starts_sentence",
]


def _any(*alternatives: str) -> str:
    return f"(?:{'|'.join(alternatives)})"


_I = re.IGNORECASE
_QUOTES = r"[\s\"'\u2018\u2019\u201c\u201d(\[{]*"
_QUOTE_CHARACTERS = "\"'\u2018\u2019\u201c\u201d([{" + "".join(filter(str.isspace, map(chr, range(0x3001))))
_LONGEST_LEAD = 20  # characters of the longest word or words that lead to a label
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_LONGEST_GAP = 24  # characters between two mentions that can still belong together

# Where a label stands.

_OPENS = re.compile(rf"(?:^|\n|[^\w\s'\u2019-]|[{_CJK}]|\s-){_QUOTES}$")
"""Left context after which a label stands by itself."""
ENDS = re.compile(rf"\s*(?:$|\n|[^\w\s'\u2019-]|[{_CJK}]|['\u2019](?!\w)|-\s|-$)")
"""Right context before which a label stands by itself."""
OPENS_LOWER = re.compile(r"(?:^|[:(\[{\n])[\s\"'(\[]*$")
"""Left context after which a lower-case letter may be a label."""
LABEL_SHAPE = re.compile(r"\s*(?:$|[.):\]])")
"""Right context that makes a lower-case letter a label."""
LOWER_LIST = re.compile(rf"[)\]]?\s*(?:,|/|or\b|and\b)\s*\(?[a-z](?![{WORD}])")
"""Right context in which a lower-case letter is one of several."""
PLAIN_WORD = re.compile(r"[ \t\u00a0]+[^\W_]")
"""Right context in which "A" is an article and "I" a pronoun."""
FOLLOWS_LABEL = re.compile(
    r"\s+"
    + _any(
        r"is|isn['\u2019]t|seems|appears|looks",
        r"because|since|and|or|nor|but|not|rather|instead|as|for|with|then|due|based",
        r"ist|und|oder|noch|(?-i:o|y|u|e)|ou|et|ve|veya|es|est|\u00e8|\u00e9|\u015f\u0131kk\u0131\w*",
        rf"(?-i:[A-Z])(?![{WORD}])",
    )
    + r"\b",
    _I,
)
"""Right context that goes on about a label within a sentence."""
_LEADS_TO_LABEL = re.compile(
    _any(
        r"\b"
        + _any(
            r"is|are|be|was|it['\u2019]s|that['\u2019]s",
            r"answer|ans|choose|chose|select|pick|picked|go with|going with|vote for|opt for|settled? on|say|take",
            r"guess",
            r"conclude|think|believe|prefer|gives|yields|suggests|meant|mean|considered|at",
            r"so|thus|therefore|hence|then|but|yet|actually|sorry|wait|no|okay",
            r"not|nor|neither|either|than|of|except|out|both|without",
            r"maybe|probably|likely|perhaps|possibly|definitely|clearly|certainly|surely|obviously|simply|absolutely",
            r"doubt|choisis|w\u00e4hle|elijo|escolho|scelgo|kies",
            r"ist|lautet|sondern|nicht|es|est|c['\u2019]est|cevap|antwort|respuesta|r\u00e9ponse|resposta|risposta",
        ),
        rf"(?<![{WORD}])[\u00e8\u00e9]",
    )
    + rf"{_QUOTES}$",
    _I,
)
"""Left context that leads to a label within a sentence."""
_NAMES_OPTION = re.compile(
    r"\b(?:option|choice|letter|opci\u00f3n|op\u00e7\u00e3o|opzione|se\u00e7enek)\s*[\"'(\[]*$", _I
)
"""Left context that can only be about a label."""
NUMBERED_OPTION = re.compile(rf"\b(?:option|choice)\s*(?:number\s*|no\.\s*|#\s*)?(\d{{1,2}})(?![{WORD}]|\.\d)", _I)
"""A number names an option only after the word option or choice."""

# What announces the answer.

_ANSWER = _any(
    r"answer|ans|solution|conclusion|verdict|prediction|selection",
    r"antwort|respuesta|r\u00e9ponse|resposta|risposta|cevap",
    r"\u043e\u0442\u0432\u0435\u0442|jawaban|\u0111\u00e1p \u00e1n|odpowied\u017a|svar",
)
_COPULA = _any(
    r"\s*"
    + _any(
        r"is|was|would be|should be|must be|will be|has to be|seems to be|appears to be",
        r"lautet|ist|est|es|\u00e8|\u00e9",
    )
    + r"\b",
    r"\s*[:=\u2192]",
    r"\s+-",
    r"\s*",
)
_LEAD_IN = r"[\s:]*(?:(?:clearly|definitely|probably|likely|therefore|simply|most likely|indeed)\s+)?"
_NOUN = r"(?:(?:the|(?-i:a)|an|option|choice|letter)\s+){0,2}"
_ANNOUNCED = re.compile(
    _any(
        rf"\b{_ANSWER}{_COPULA}",
        r"\b(?:option|choice|(?:correct|right|best|chosen)\s+(?:one|letter))\s*(?:is\b|would be\b|:|=)",
        r"\b(?:choose|chose|selected?|pick|picked|go(?:ing)? with|go(?:ing)? for|opt(?:ed)? for|settled? on|vote for)",
        r"\b(?:i would|i['\u2019]d|i will|i['\u2019]ll)\s+(?:say|take|guess|answer)",
        r"\b(?:closest|nearest|result|response|selected|chosen)\s*:",
        r"\bguess(?:\s+is)?\s*:?",
        r"\b(?:meant|conclude)\s*:?",
    )
    + rf"{_LEAD_IN}{_NOUN}{_QUOTES}$",
    _I,
)
_CONCLUDED = re.compile(
    r"\b(?:therefore|thus|hence|so)\s*[,:]?\s*"
    r"(?:it is|it['\u2019]s|it must be|the (?:closest|nearest) (?:object|one|class) is)?"
    rf"{_LEAD_IN}{_NOUN}{_QUOTES}$",
    _I,
)
_ANNOUNCED_FINAL = re.compile(
    rf"\bfinal\s+{_any(_ANSWER, 'choice', 'option')}\b{_COPULA}{_LEAD_IN}{_NOUN}{_QUOTES}$", _I
)
"""Left context that announces the final answer."""
CONFIRMED = re.compile(
    r"[\"')\]]*\s+(?:is|would be|must be|seems|ist|est|es)\s+(?:clearly\s+|therefore\s+|definitely\s+)?"
    r"(?:the\s+|la\s+|die\s+)?(?:only\s+)?(?:correct|right|answer|best)\b"
    "|\u662f\u6b63\u786e",
    _I,
)
"""Right context that says that this is the answer."""

# What denies, strings together, or takes back.

_CLAUSE_STARTS = re.compile(
    r"[.;:!?\n,\u3002\uff0c]"
    r"|\b(?:(?<!anything )but|so|therefore|thus|hence|because|since|while|then|sondern)\b"
    r"|\b(?:instead(?! of)|rather(?! than))\b",
    _I,
)
_NO_NEGATION = re.compile(r"\b(?:no|without|not? a) (?:a )?(?:doubt|question)\b|\bnot only\b|\bnot sure\b", _I)
_NEGATION = re.compile(
    _any(
        r"\b" + _any(r"not|never|neither|nor|none|no|cannot|without|except|excluding|exclude|eliminate") + r"\b",
        r"\b" + _any(r"rules? out|ruled out|rather than|instead of|other than|unlike|anything but") + r"\b",
        r"n['\u2019]t\b",
        r"\b" + _any(r"nicht|kein\w*|pas|ni") + r"\b",
        "\u4e0d|\u975e|\u6392\u9664",
    ),
    _I,
)
_WRONG = r"(?:incorrect|wrong|false|ruled out|excluded|eliminated|out|impossible)"
_DENIED_AFTER = re.compile(
    r"[\"')\]]*\s+"
    + _any(
        r"(?:is|are|was|can|could|should|must|does|do|seems|looks|ist)\s+(?:\w{1,20}ly\s+|also\s+)?(?:not|nicht)\b",
        r"(?:is|was|does|are|can|could|should|do)n['\u2019]t\b",
        r"can['\u2019]t\b|cannot\b",
        rf"(?:is|was|are|can be|must be)\s+(?:\w{{1,20}}ly\s+|also\s+)?{_WRONG}\b",
        r"de\u011fil\b|nicht\b",
    ),
    _I,
)
_CONJUNCTION = _any(
    r"[,/&+|\u3001\u6216\u548c]", r"\b(?:and|or|nor|as well as|maybe|oder|und|(?-i:o|y|u|e)|ou|et|ve|veya)\b"
)
_JOINED = re.compile(
    r"[\s()\[\]\"'.]*" + _any(_CONJUNCTION, r"[\s(\[\"']") + r"+(?:(?:the|(?-i:a)|an|option|either)\s+)?[\"'(\[]*",
    _I,
)
_STRINGS = re.compile(_CONJUNCTION, _I)
_BESIDE = re.compile(
    r"[\s.:),\-\u2013\u2014\"'\](=]*(?:"
    + _any(
        r"the|(?-i:a)|an|so|thus|therefore|hence",
        r"i\.e\.,?|that is,?|namely|which is",
        r"option|class|answer|it is|it['\u2019]s",
    )
    + r"[\s(\"']*){0,2}",
    _I,
)
LIKEWISE = re.compile(r"[\"')\]]*\s+(?:too|as well|neither|either)\b", _I)
"""Right context by which a mention shares what was said of the one before it."""
IN_BRACKETS = re.compile(r"\s?[(\[]\s?(?:option |answer )?", _I)
"""What lies between a text and the label in brackets that should be its own."""
_NEXT_SENTENCE = re.compile(r"[)\]\"']*[.!\n]\s*(?:the|(?-i:[Aa])|an)\s+", _I)
_INTERJECTION = r"(?:oh |hmm,? |no,? |but ){0,3}"
CORRECTION = re.compile(
    rf"(?:(?<=[.,;!?\n\u2026\u2014-])|(?<=[.,;!?\n\u2026\u2014-]\s)|^){_INTERJECTION}"
    + _any(r"wait|actually|sorry|correction|i meant", r"on second thought|scratch that|let me (?:correct|re\w+)")
    + r"\b[ ,:.-]{0,4}",
    _I,
)
"""What announces a correction of what was said before."""
NO_RATHER = re.compile(r"\bno[,.:]\s{0,2}", _I)
"""The same in replies to choice questions, where "no" is no answer."""
TAKES_BACK = re.compile(rf"{_INTERJECTION}(?:wait|on second thought|scratch that|let me)", _I)
"""A correction that withdraws the answer even if no other follows."""


_CONDITION = re.compile(r"\b(?:if|unless|suppose|supposing|assuming)\b[^.!?\n]*$", _I)
"""Left context in which what follows holds under a condition only."""
IF_FOLLOWS = re.compile(r"[\s,]+(?:only )?(?:if|unless)\b", _I)
"""Right context that puts a mention under a condition."""
ENDS_IN_ALTERNATIVE = re.compile(r"[\s)\"']*(?:\b(?:or|and|nor)\b|/|,)\W*\w{0,15}\W*$", _I)
"""Rest of a cut reply that was about to name another option."""


def opens(left: str) -> bool:
    """Say whether a label after these words stands by itself."""
    return _OPENS.search(left, max(0, _end_of_words(left) - 2)) is not None


def leads_to_label(left: str) -> bool:
    """Say whether these words lead to a label within a sentence."""
    return _LEADS_TO_LABEL.search(left, max(0, _end_of_words(left) - _LONGEST_LEAD)) is not None


def names_option(left: str) -> bool:
    """Say whether what follows these words can only be a label."""
    return _NAMES_OPTION.search(left, max(0, _end_of_words(left) - _LONGEST_LEAD)) is not None


def _end_of_words(left: str) -> int:
    """Where the white space, quotes and brackets at the end of a context begin.

    A pattern that must reach the end of the context is tried from the last words only.
    """
    return len(left.rstrip(_QUOTE_CHARACTERS))


def announces(left: str, cues: Sequence[int]) -> bool:
    """Say whether the words before a mention announce it as the answer; `cues` are where they may begin to."""
    return any(_ANNOUNCED.match(left, cue) for cue in cues)


def announces_final(left: str, cues: Sequence[int]) -> bool:
    """Say whether the words before a mention announce it as the final answer."""
    return any(_ANNOUNCED_FINAL.match(left, cue) for cue in cues)


def concludes(left: str, right: str, cues: Sequence[int]) -> bool:
    """Say whether a mention is what a "so" leads to, and not the start of what it goes on to say."""
    return any(_CONCLUDED.match(left, cue) for cue in cues) and ENDS.match(right) is not None


def condition(left: str, cues: Sequence[int]) -> re.Match[str] | None:
    """Find the condition under which alone what follows holds."""
    return next(filter(None, (_CONDITION.match(left, cue) for cue in cues)), None)


def denied(left: str, right: str, cues: Sequence[int], *, yes_no: bool) -> bool:
    """Say whether the words around a mention deny it; in yes-no replies "no" itself denies nothing."""
    if _DENIED_AFTER.match(right):
        return True
    if not cues or _CLAUSE_STARTS.search(left, cues[-1]):
        return False  # what denies belongs to a clause before
    clause = left[max((hit.end() for hit in _CLAUSE_STARTS.finditer(left)), default=0) :]
    clause = _NO_NEGATION.sub(" ", clause)
    return any(not (yes_no and hit[0].lower() == "no") for hit in _NEGATION.finditer(clause))


def joined(gap: str) -> bool:
    """Say whether what lies between two mentions only strings them together: "A, B", "A or the B"."""
    return len(gap) <= _LONGEST_GAP and _STRINGS.search(gap) is not None and _JOINED.fullmatch(gap) is not None


def beside(gap: str) -> bool:
    """Say whether what lies between a label and a text makes the one stand for the other: "B: truck"."""
    return len(gap) <= _LONGEST_GAP and _BESIDE.fullmatch(gap) is not None


def starts_sentence(gap: str) -> bool:
    """Say whether what lies between a label and a text ends one sentence and starts the next: "B. The truck"."""
    return _NEXT_SENTENCE.fullmatch(gap) is not None
