"""The words that decide what a mention of an option is worth, in English and a little of other languages."""

from __future__ import annotations

import re

from probe4d.diagnosis.parsing.menu import WORD

__all__ = [
    "ANNOUNCES_FINAL",
    "CONFIRMED",
    "CORRECTION",
    "ENDS",
    "FOLLOWS_LABEL",
    "LABEL_SHAPE",
    "LEADS_TO_LABEL",
    "LOWER_LIST",
    "NAMES_OPTION",
    "NUMBERED_OPTION",
    "OPENS",
    "OPENS_LOWER",
    "PLAIN_WORD",
    "TAKES_BACK",
    "announces",
    "beside",
    "denied",
    "foreign_yes_no",
    "joined",
    "refusal",
]

_I = re.IGNORECASE
_QUOTES = r"[\s\"'\u2018\u2019\u201c\u201d(\[{]*"
_CJK = r"\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\u0e00-\u0e7f"

OPENS = re.compile(rf"(?:^|[.,:;!?\n\u3001\u3002\u2014\u2013=/\u2192({{\[\"'\u201c{_CJK}]|\s-|>){_QUOTES}$")
"""Left context after which a label stands by itself."""
ENDS = re.compile(rf"\s*(?:$|[.,:;!?)\]}}\"'\u201d\n\u3001\u3002\u2014\u2013/=(\u2192{_CJK}\u2705\u25a1]|-\s|[^\w\s])")
"""Right context before which a label stands by itself."""
OPENS_LOWER = re.compile(r"(?:^|[:(\[{\n])[\s\"'(\[]*$")
"""Left context after which a lower-case letter may be a label."""
LOWER_LIST = re.compile(rf"[)\]]?\s*(?:,|/|or\b|and\b)\s*\(?[a-z](?![{WORD}])")
"""Right context in which a lower-case letter is one of several."""
LABEL_SHAPE = re.compile(r"\s*(?:$|[.):\]])")
"""Right context that makes a lower-case letter a label."""
PLAIN_WORD = re.compile(r"[ \t\u00a0]+[^\W_]")
FOLLOWS_LABEL = re.compile(
    r"\s+(?:is|isn't|because|since|and|or|but|not|rather|instead|seems|appears|looks|as|for|with|if|then|due|based"
    rf"|ist|und|oder|es|est|\u00e8|\u00e9|\u015f\u0131kk\u0131\w*|(?-i:[A-Z])(?![{WORD}]))\b",
    _I,
)
LEADS_TO_LABEL = re.compile(
    r"(?:\b(?:is|are|be|was|it's|that's|answer|ans|choose|chose|select|pick|picked|go with|going with|say|take|guess"
    r"|vote for|opt for|settle on|conclude|think|believe|prefer|so|thus|therefore|hence|then|but|yet|not|nor|neither"
    r"|either|maybe|probably|likely|perhaps|possibly|definitely|clearly|certainly|surely|obviously|simply|gives|yields"
    r"|suggests|meant|mean|actually|sorry|wait|no|than|of|except|out|both|without|as|a clear|a definite"
    r"|ist|lautet|sondern|nicht|es|est|cevap|antwort|respuesta|r\u00e9ponse|resposta|risposta)"
    rf"|(?<![{WORD}])[\u00e8\u00e9]){_QUOTES}$",
    _I,
)
"""Left context that leads to a label within a sentence."""
NAMES_OPTION = re.compile(
    r"\b(?:option|choice|letter|opci\u00f3n|op\u00e7\u00e3o|opzione|se\u00e7enek)\s*[\"'(\[]*$", _I
)
NUMBERED_OPTION = re.compile(rf"\b(?:option|choice)\s*(?:number\s*|no\.\s*|#\s*)?(\d{{1,2}})(?![{WORD}]|\.\d)", _I)
"""A number names an option only after the word option or choice."""

_ANSWER_WORDS = (
    r"answer|ans|solution|conclusion|verdict|prediction|selection|antwort|respuesta|r\u00e9ponse|resposta|risposta"
    r"|cevap|\u043e\u0442\u0432\u0435\u0442|jawaban|\u0111\u00e1p \u00e1n|odpowied\u017a|svar"
)
_COPULA = (
    r"(?:\s*(?:is|would be|should be|must be|will be|was|seems to be|appears to be|has to be|lautet|ist|est|es|\u00e8|\u00e9)\b"
    r"|\s*[:=\u2192]|\s+-|\s*)"
)
_LEAD_IN = r"[\s:]*(?:(?:clearly|definitely|probably|likely|therefore|simply|most likely|indeed)\s+)?"
_NOUN = r"(?:(?:the|a|an|option|choice|letter)\s+){0,2}"
_ANNOUNCED = re.compile(
    rf"(?:\b(?:{_ANSWER_WORDS}){_COPULA}"
    rf"|\b(?:(?:correct|right|best|chosen|closest|nearest)\s+(?:option|choice|one|letter)|choice|option){{1}}\s*(?:is\b|would be\b|:|=)"
    r"|\b(?:choose|chose|select|selected|pick|picked|go with|going with|go for|opt for|settle on|vote for)"
    r"|\b(?:i would|i'd|i will|i'll)\s+(?:say|take|guess|answer)"
    r"|\b(?:i|my)\s+(?:best\s+)?guess(?:\s+is|:)?"
    r"|\b(?:guess|meant|conclude|conclusion)\s*:?"
    r"|\b(?:therefore|thus|hence|so)\s*[,:]?\s*(?:it is|it's|it must be|the (?:closest|nearest) (?:object|one|class) is)?"
    rf"){_LEAD_IN}{_NOUN}{_QUOTES}$",
    _I,
)
ANNOUNCES_FINAL = re.compile(rf"\bfinal\s+(?:{_ANSWER_WORDS}|choice|option)\b{_COPULA}{_LEAD_IN}{_NOUN}{_QUOTES}$", _I)
CONFIRMED = re.compile(
    r"[\"')\]]*\s+(?:is|would be|must be|seems|ist|est|es)\s+(?:clearly\s+|therefore\s+|definitely\s+)?"
    r"(?:the\s+|la\s+|die\s+)?(?:only\s+)?(?:correct|right|answer|best)\b"
    r"|\u662f\u6b63\u786e",
    _I,
)

_HEAD = re.compile(
    r"[.;:!?\n,\u3002\uff0c]|\b(?:but|so|therefore|thus|hence|because|since|instead(?! of)|rather(?! than)|sondern|while|then)\b",
    _I,
)
_NOT_NEGATIONS = re.compile(r"\b(?:no|without|not? a) (?:a )?(?:doubt|question)\b|\bnot only\b|\bno,|\bnot sure\b", _I)
_NEGATION = re.compile(
    r"\b(?:not|never|neither|nor|cannot|without|except|excluding|exclude|eliminate|rules? out|ruled out|rather than"
    r"|instead of|other than|unlike|nicht|kein\w*|pas|ni|no)\b|n['\u2019]t\b|\u4e0d|\u975e|\u6392\u9664",
    _I,
)
_DENIED_AFTER = re.compile(
    r"[\"')\]]*\s+(?:(?:is|are|was|can|could|should|must|does|do|seems|looks|ist)\s+(?:\w+ly\s+|also\s+)?(?:not|nicht)\b"
    r"|(?:is|was|does|are|can|could|should|do)n['\u2019]t\b|can['\u2019]t\b|cannot\b"
    r"|(?:is|was|are|can be|must be)\s+(?:\w+ly\s+|also\s+)?(?:incorrect|wrong|false|ruled out|excluded|eliminated|out)\b"
    r"|de\u011fil\b|nicht\b)",
    _I,
)
_JOINED = re.compile(
    r"[\s()\[\]\"'.]*(?:(?:,|/|;|&|\+|\u3001|\b(?:and|or|nor|oder|und|o|y|u|ou|et|e|ve|veya|as well as)\b|\u6216|\u548c)[\s(\[\"']*)+"
    r"(?:(?:the|a|an|option|either)\s+)?[\"'(\[]*",
    _I,
)
_BESIDE = re.compile(
    r"[\s.:),\-\u2013\u2014\"'\](=]*(?:(?:the|a|an|so|thus|therefore|hence|i\.e\.,?|that is,?|namely|option|class|which is|answer|it is|it's)[\s(\"']*){0,2}",
    _I,
)

CORRECTION = re.compile(
    r"(?:(?<=[.,;!?\n\u2026\u2014-])|(?<=[.,;!?\n\u2026\u2014-]\s)|^)"
    r"(?:oh |hmm,? |no,? |but )*(?:wait|actually|sorry|correction|i meant|on second thought|scratch that|let me correct|let me re\w+)\b[ ,:.-]{0,4}",
    _I,
)
TAKES_BACK = re.compile(r"\s*(?:oh |hmm,? |no,? |but )*(?:wait|on second thought|scratch that|let me)", _I)

_REFUSAL = re.compile(
    r"\b(?:can\s?not|can['\u2019]t|could\s?not|couldn['\u2019]t|unable to|not able to|impossible to|not possible to|difficult to|hard to)\s+"
    r"(?:be\s+)?(?:\w+ly\s+)?(?:determine|tell|answer|say|decide|know|help|assist|provide|identify|judge|choose|be (?:certain|sure)|certain|sure"
    r"|given|view|access|process|comply|fulfil|(?:see|open|read|find) (?:the|any|an|your) (?:\w+ )?(?:image|picture|lidar|point|data|video|scan))"
    r"|\bcan\s?not be (?:determined|answered|known|decided|given)|\b(?:i['\u2019]m|i am) (?:sorry|unable|not able|not sure|unsure)|\bas an ai\b"
    r"|\b(?:i )?(?:do not|don['\u2019]t|dont) know\b|\bno (?:idea|information|answer)\b|\b(?:not enough|insufficient|lack of) (?:information|data|context|evidence)"
    r"|\bnone of (?:the|these|them)\b|\bdecline\b|\brefuse\b|\bunclear\b|\bundetermined\b|\bplease provide\b"
    r"|\u65e0\u6cd5|\u4e0d\u77e5\u9053|\u4e0d\u786e\u5b9a|\u4e0d\u6e05\u695a|\bich wei(?:\u00df|ss) (?:es )?nicht|\bkann (?:ich |das |es )*nicht"
    r"|\bno (?:lo )?s[e\u00e9](?![\w])|\bno puedo\b|\bno se puede\b|\bje ne (?:sais|peux)\b|\bbilmiyorum\b|\bn\u00e3o (?:sei|posso)\b|\bnon (?:so|posso)\b"
    r"|\u5224\u65ad\u3067\u304d|\u308f\u304b\u308a\u307e\u305b\u3093|\u043d\u0435 \u0437\u043d\u0430\u044e|\u043d\u0435 \u043c\u043e\u0433\u0443",
    _I,
)
_REFUSES_WHOLLY = re.compile(r"\W*(?:n\s?/\s?a|unknown|unsure|not sure|uncertain|none|undecided|no answer)\W*", _I)

_FOREIGN_YES_NO = {
    "Yes": (
        "ja",
        "oui",
        "si",
        "s\u00ed",
        "s\u00ec",
        "sim",
        "evet",
        "\u0434\u0430",
        "tak",
        "ya",
        "\u662f",
        "\u662f\u7684",
        "\u5bf9",
        "\u306f\u3044",
        "\uc608",
        "\ub124",
    ),
    "No": (
        "nein",
        "non",
        "n\u00e3o",
        "hay\u0131r",
        "\u043d\u0435\u0442",
        "nie",
        "nej",
        "nee",
        "\u5426",
        "\u4e0d",
        "\u4e0d\u662f",
        "\u6ca1\u6709",
        "\u3044\u3044\u3048",
        "\uc544\ub2c8\uc694",
        "\uc544\ub2c8\uc624",
    ),
}
_FOREIGN = {word: label for label, words in _FOREIGN_YES_NO.items() for word in words}
_FIRST_WORD = re.compile(r"\W*([^\W\d_]{1,6})\W*(?:$|(?<=[.,;!?\n\u3002\uff0c]))")


def announces(left: str) -> bool:
    """Say whether the words before a mention announce it as the answer."""
    return _ANNOUNCED.search(left) is not None


def denied(left: str, right: str, *, yes_no: bool) -> bool:
    """Say whether the words around a mention deny it; in yes-no replies "no" itself denies nothing."""
    if _DENIED_AFTER.match(right):
        return True
    clause = left[max((hit.end() for hit in _HEAD.finditer(left)), default=0) :]
    if not clause.strip():
        return False
    clause = _NOT_NEGATIONS.sub(" ", clause)
    return any(not (yes_no and hit[0].lower() == "no") for hit in _NEGATION.finditer(clause))


def joined(gap: str) -> bool:
    """Say whether what lies between two mentions only strings them together: "A, B", "A or the B"."""
    return len(gap) <= 24 and _JOINED.fullmatch(gap) is not None


def beside(gap: str) -> bool:
    """Say whether what lies between a label and a text makes the one stand for the other: "B: truck"."""
    return len(gap) <= 24 and _BESIDE.fullmatch(gap) is not None


def refusal(reply: str) -> re.Match[str] | None:
    """Find where a reply declines to choose."""
    wholly = _REFUSES_WHOLLY.fullmatch(reply) if len(reply) < 40 else None
    return wholly or _REFUSAL.search(reply)


def foreign_yes_no(reply: str) -> str | None:
    """Read a reply that opens with yes or no in another language."""
    hit = _FIRST_WORD.match(reply[:16])
    return _FOREIGN.get(hit[1].lower()) if hit else None
