"""The words beside a mention of an option that decide what it is worth, in English and a little of other languages.

Every pattern looks at a bounded stretch of text next to one mention, so that no reply, however long, is slow to read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from probe4d.diagnosis.parsing.menu import WORD

__all__ = [
    "CONFIRMED",
    "ENDS",
    "ENDS_IN_ALTERNATIVE",
    "FOLLOWS_LABEL",
    "IN_BRACKETS",
    "LABEL_SHAPE",
    "LIKEWISE",
    "LOWER_LIST",
    "OPENS_LOWER",
    "QUOTES",
    "announces",
    "announces_final",
    "any_of",
    "article",
    "beside",
    "concludes",
    "joined",
    "leads_to_label",
    "names_object",
    "names_option",
    "numbered_options",
    "opens",
    "other_sense",
    "starts_sentence",
]


def any_of(*alternatives: str) -> str:
    """Join the alternatives of a pattern."""
    return f"(?:{'|'.join(alternatives)})"


_I = re.IGNORECASE
QUOTES = r"[\s\"'\u2018\u2019\u201c\u201d(\[{]*"
_QUOTE_CHARACTERS = "\"'\u2018\u2019\u201c\u201d([{" + "".join(filter(str.isspace, map(chr, range(0x3001))))
_LONGEST_LEAD = 20  # characters of the longest word or words that lead to a label
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"
_LONGEST_GAP = 24  # characters between two mentions that can still belong together

# Where a label stands.

_OPENS = re.compile(rf"(?:^|\n|[^\w\s'\u2019-]|[{_CJK}]|\s-){QUOTES}$")
"""Left context after which a label stands by itself."""
ENDS = re.compile(rf"\s*(?:$|\n|[^\w\s'\u2019-]|[{_CJK}]|['\u2019](?!\w)|-\s|-$)")
"""Right context before which a label stands by itself."""
OPENS_LOWER = re.compile(r"(?:^|[:(\[{\n])[\s\"'(\[]*$")
"""Left context after which a lower-case letter may be a label."""
LABEL_SHAPE = re.compile(r"\s*(?:$|[.):\]])")
"""Right context that makes a lower-case letter a label."""
LOWER_LIST = re.compile(rf"[)\]]?\s*(?:,|/|or\b|and\b)\s*\(?[a-z](?![{WORD}])")
"""Right context in which a lower-case letter is one of several."""
_PLAIN_WORD = re.compile(r"[ \t\u00a0]+[^\W_]")
_FOLLOWS_ONLY_LABEL = re.compile(
    r"[ \t\u00a0]+"
    + any_of(
        r"and|or|nor|but|because|since|than|then|instead|too|as well|alone|itself",
        r"(?:\w{1,20}ly\s+|also\s+|still\s+|just\s+)?"
        + any_of(
            r"is|isn['\u2019]t|was|wasn['\u2019]t|has|had|hasn['\u2019]t|does|doesn['\u2019]t|did|didn['\u2019]t",
            r"would|could|should|might|may|cannot|can['\u2019]t|(?:can|must|will) (?:also |not )?be",
            r"seems|appears|looks|sounds|feels|fits|works|suits|lacks|needs|matches|makes|remains|wins|fails",
        ),
    )
    + r"\b"
)
"""Right context that no article and no pronoun has, but a label."""
_THIRD_PERSON = re.compile(r"\s+(?:\w{1,20}ly\s+|also\s+)?(?:is|isn['\u2019]t|has|does|seems|looks|fits|works)\b")
_SENTENCE_STARTS = re.compile(r"(?:^|[.!?:)\]\n\u2026\u2013\u2014-])[\s\"'\u2018\u2019\u201c\u201d(\[{]*$")
FOLLOWS_LABEL = re.compile(
    r"\s+"
    + any_of(
        r"is|isn['\u2019]t|seems|appears|looks|fits|works|matches|qualifies|here|now|overall",
        r"because|since|and|or|nor|but|not|rather|instead|as|for|with|then|due|based",
        r"ist|und|oder|noch|(?-i:o|y|u|e)|ou|et|ve|veya|es|est|\u00e8|\u00e9|\u015f\u0131kk\u0131\w*",
        rf"(?-i:[A-Z])(?![{WORD}])",
    )
    + r"\b",
    _I,
)
"""Right context that goes on about a label within a sentence."""
_LEADS_TO_LABEL = re.compile(
    any_of(
        r"\b"
        + any_of(
            r"is|are|be|was|it['\u2019]s|that['\u2019]s",
            r"answer|ans|choose|chose|select|pick|picked|go(?:ing)? with|go(?:ing)? for",
            r"vote for|opt for|settled? on|say|take",
            r"guess|shows?|indicates?|leads? to|confirms?|supports?|proves?|hints? at|stays?|remains?",
            r"reveals?|suggests?|points? to|leaves|left with|implies|means|favou?rs",
            r"conclude|think|believe|prefer|gives|yields|meant|mean|considered|at",
            r"so|thus|therefore|hence|then|but|yet|actually|sorry|wait|no|okay",
            r"not|nor|neither|either|of|except|out|both|without",
            r"maybe|perhaps|\w{2,12}ly|still|yet|only",
            r"doubt|choisis|w\u00e4hle|elijo|escolho|scelgo|kies",
            r"ist|lautet|sondern|nicht|es|est|c['\u2019]est|cevap|antwort|respuesta|r\u00e9ponse|resposta|risposta",
        ),
        rf"(?<![{WORD}])[\u00e8\u00e9]",
    )
    + rf"{QUOTES}$",
    _I,
)
"""Left context that leads to a label within a sentence."""
_NAMES_OPTION = re.compile(
    r"\b(?:option|choice|letter|opci\u00f3n|op\u00e7\u00e3o|opzione|se\u00e7enek)\s*[\"'(\[]*$", _I
)
"""Left context that can only be about a label."""
_NAMES_OBJECT = re.compile(r"\b(?:object|one|box|marker|marked|labell?ed|lettered|named|called)\s*[\"'(\[]*$", _I)
"""Left context that can only be about an object's letter in the picture, where objects have letters."""
_NUMBERED_OPTION = re.compile(rf"\b(?:option|choice)\s*(?:number\s*|no\.\s*|#\s*)?(\d{{1,2}})(?![{WORD}]|\.\d)", _I)
"""A number names an option only after the word option or choice."""

_REMAINING = re.compile(
    r"\b(?:ones?|options?|choices?|answers?|candidates?|possibilit(?:y|ies)|class(?:es)?|letters?|am|nothing|what['\u2019]s)"
    r"\s+$",
    _I,
)
_RIGHTLY = re.compile(r"\s+(?:answer|option|choice|one|letter|reply|response|class|label|now|away)\b", _I)
_THAT_IS = re.compile(r"\b(?:that['\u2019]s|that is|all)\s+$", _I)
_BACK_TO = re.compile(r"\s+to\b", _I)

# What announces the answer.

_ANSWER = (
    any_of(
        r"answer|ans|solution|conclusion|verdict|prediction|selection",
        r"antwort|respuesta|r\u00e9ponse|resposta|risposta|cevap",
        r"\u043e\u0442\u0432\u0435\u0442|jawaban|\u0111\u00e1p \u00e1n|odpowied\u017a|svar",
    )
    + r"(?:\s+(?:correct[aeo]?|corrett[ao]|corret[ao]|exacte|juste|richtig))?"
)
_COPULA = any_of(
    r"\s*"
    + any_of(
        r"is|was|would be|should be|must be|will be|has to be|seems to be|appears to be|(?:would )?(?:stay|remain)s?",
        r"lautet|ist|est|es|\u00e8|\u00e9",
    )
    + r"\b",
    r"\s*[:=\u2192]",
    r"\s+-",
    r"\s*",
)
_LEAD_IN = r"[\s:]*(?:(?:clearly|definitely|probably|likely|therefore|simply|most likely|indeed)\s+)?"
_NOUN = r"(?:(?:the|(?-i:a)|an|la|le|el|die|der|das|option|choice|letter|opci\u00f3n|op\u00e7\u00e3o|opzione)\s+){0,2}"
_ANNOUNCED = re.compile(
    any_of(
        rf"\b{_ANSWER}{_COPULA}",
        r"\b(?:option|choice|(?:correct|right|best|chosen)\s+(?:one|letter))\s*(?:is\b|would be\b|:|=)",
        r"\b(?:choose|chose|selected?|pick|picked|go(?:ing)? with|go(?:ing)? for|opt(?:ed)? for|settled? on|vote for)",
        r"\b(?:i would|i['\u2019]d|i will|i['\u2019]ll)\s+(?:say|take|guess|answer)",
        r"\b(?:closest|nearest|result|response|selected|chosen)\s*:",
        r"\bguess(?:\s+is)?\s*:?",
        r"\b(?:meant|conclude)\s*:?",
    )
    + rf"{_LEAD_IN}{_NOUN}{QUOTES}$",
    _I,
)
_CONCLUDED = re.compile(
    r"\b(?:therefore|thus|hence|so|but|still|yet)\s*[,:]?\s*"
    r"(?:it is|it['\u2019]s|it must be|the (?:closest|nearest) (?:object|one|class) is)?"
    rf"{_LEAD_IN}{_NOUN}{QUOTES}$",
    _I,
)
_ANNOUNCED_FINAL = re.compile(
    rf"\bfinal\s+{any_of(_ANSWER, 'choice', 'option')}\b{_COPULA}{_LEAD_IN}{_NOUN}{QUOTES}$", _I
)
"""Left context that announces the final answer."""
CONFIRMED = re.compile(
    r"[\"')\]]*\s+(?:is|would be|must be|ist|est|es)\s+(?:clearly\s+|therefore\s+|definitely\s+)?"
    r"(?:the\s+|la\s+|die\s+)?(?:only\s+)?(?:correct|right|answer|best)\b"
    "|\u662f\u6b63\u786e",
    _I,
)
"""Right context that says that this is the answer."""

# What strings mentions together.

_CONJUNCTION = any_of(
    r"[,/&+|\u3001\u6216\u548c]", r"\b(?:and|or|nor|as well as|maybe|oder|und|(?-i:o|y|u|e)|ou|et|ve|veya)\b"
)
_JOINED = re.compile(
    r"[\s()\[\]\"'.]*" + any_of(_CONJUNCTION, r"[\s(\[\"']") + r"+(?:(?:the|(?-i:a)|an|option|either)\s+)?[\"'(\[]*",
    _I,
)
_STRINGS = re.compile(_CONJUNCTION, _I)
_BESIDE = re.compile(
    r"[\s.:),\-\u2013\u2014\"'\](=]*(?:"
    + any_of(
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


def names_object(left: str) -> bool:
    """Say whether what follows these words can only be the letter that an object carries."""
    return _NAMES_OBJECT.search(left, max(0, _end_of_words(left) - _LONGEST_LEAD)) is not None


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


def other_sense(reply: str, text: str, start: int, end: int) -> bool:
    """Say whether an option's text between these places is a word of another sense: "the only one left"."""
    if text not in ("left", "right", "back", "front"):
        return False
    if text == "left":
        return _REMAINING.search(reply, max(0, start - _LONGEST_LEAD), start) is not None
    if text == "right":
        return (
            _RIGHTLY.match(reply, end) is not None
            or _THAT_IS.search(reply, max(0, start - _LONGEST_LEAD), start) is not None
        )
    return text == "back" and _BACK_TO.match(reply, end) is not None


def article(letter: str, left: str, right: str, *, text_follows: bool) -> bool:
    """Say whether an "A" is an article or an "I" a pronoun.

    Args:
        letter: `A` or `I`; no other letter is ever a word.
        left: The words before it.
        right: The words after it.
        text_follows: An option's text comes within the next few words.
    """
    if not _PLAIN_WORD.match(right):
        return False
    if letter == "I":
        return _THIRD_PERSON.match(right) is None
    if _FOLLOWS_ONLY_LABEL.match(right):
        return False
    # Within a sentence an article is written small, unless all is written in capitals.
    return (
        text_follows
        or not right.lstrip()[0].islower()
        or _SENTENCE_STARTS.search(left, max(0, _end_of_words(left) - 1)) is not None
    )


def numbered_options(reply: str, folded: str) -> list[re.Match[str]]:
    """Find the numbers by which a reply names options; `folded` is the reply in lower case."""
    return list(_NUMBERED_OPTION.finditer(reply)) if "option" in folded or "choice" in folded else []


def joined(gap: str) -> bool:
    """Say whether what lies between two mentions only strings them together: "A, B", "A or the B"."""
    return len(gap) <= _LONGEST_GAP and _STRINGS.search(gap) is not None and _JOINED.fullmatch(gap) is not None


def beside(gap: str) -> bool:
    """Say whether what lies between a label and a text makes the one stand for the other: "B: truck"."""
    return len(gap) <= _LONGEST_GAP and _BESIDE.fullmatch(gap) is not None


def starts_sentence(gap: str) -> bool:
    """Say whether what lies between a label and a text ends one sentence and starts the next: "B. The truck"."""
    return _NEXT_SENTENCE.fullmatch(gap) is not None
