"""The words by which a reply denies, questions, conditions, withdraws or rivals an option that it names.

Like those of `language`, every pattern looks at a bounded stretch of text. What they find costs a reply its label, so
that they are wide: a label that is doubted in any of these ways is not counted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from probe4d.diagnosis.parsing.language import QUOTES, any_of

__all__ = [
    "CORRECTION",
    "COUNTED",
    "IF_FOLLOWS",
    "NO_RATHER",
    "QUESTIONED",
    "TAKES_BACK",
    "WITHDRAWAL",
    "all_others_wrong",
    "denied",
    "denied_together",
    "denies",
    "hangs_on_condition",
    "merely_possible",
    "rivals",
    "spoken_for",
]

_I = re.IGNORECASE

# What denies.

_CLAUSE_STARTS = re.compile(
    r"[.;:!?\n\u3002\uff0c]|,(?!\s*(?:to|that|given|considering|dass|da\u00df)\b)"
    r"|\b(?:(?<!anything )(?<!anyone )(?<!anybody )(?<!everything )(?<!everyone )(?<!all )but)\b"
    r"|\b(?:so|therefore|thus|hence|because|since|while|then|sondern)\b"
    r"|\band\s+(?=(?:the|my|it|that|i)\b)|\b(?:instead(?! of)|rather(?! than))\b",
    _I,
)
_NO_NEGATION = re.compile(
    r"\b(?:no|without|not? (?-i:a)|little|beyond|not|never)\s+(?:(?:(?-i:a)|any|all)\s+)?(?:doubt|question)\b"
    r"|n['\u2019]t doubt\b|\bnot only\b|\bnot sure\b|\bat least\b",
    _I,
)
_UNLIKELY = (
    r"unlikely|doubtful|dubious|improbable|implausible|questionable|mistaken|untrue|erroneous|impossible|inconceivable"
    r"|unthinkable|unreasonable|unsupported|unjustified|unconvincing|untenable|absurd|ridiculous|nonsens\w*"
)
_WRONG = any_of(
    r"incorrect\w*|wrong|false|ruled out|excluded|eliminated|rejected|discarded|out|off|impossible|far from|no longer",
    r"(?:(?-i:a) |an )?(?:least|less|worst|second|third|bad|poor|weak|terrible)\b",
    r"(?:the )?(?:one|option|answer|letter|choice)\s+(?:(?:to|i|we|you|would|should|can|must)\s+){1,2}"
    r"(?:leave|drop|exclude|reject|avoid|eliminate|dismiss|discard|skip|rule|never|not)\b",
    _UNLIKELY,
    r"falsch|fauss?e?|falso|falsa|incorrect[oae]?|errad[oa]|errat[oa]|sbagliat[oa]|fout|onjuist|fel",
)
_NEGATION = re.compile(
    any_of(
        r"\bno (?:way|chance|reason|evidence|sign|case|possibility|basis|hint|indication)\b",
        r"\b"
        + any_of(
            r"nobody|no one|few|whoever|not|never|neither|nor|none|no|cannot|without|except|excluding|exclude|eliminate"
        )
        + r"\b",
        r"\b"
        + any_of(r"rules? out|ruled out|rather than|instead of|other than|unlike|any(?:thing|one|body) but")
        + r"\b",
        r"\b"
        + any_of(
            r"all but|every(?:thing|one) but|far from|contrary to|(?:opposite|reverse|contrary) of",
            r"disagree\w*|hardly|barely|scarcely",
        )
        + r"\b",
        r"\b" + any_of(r"(?:doubt|reject|discard|dismiss|avoid|disregard|refut|mistak|inferior|den(?:y|ie[sd]))\w*"),
        r"\b" + any_of(_UNLIKELY, r"incorrect\w*|wrong\w*|false\w*|worst|runner[- ]?up") + r"\b",
        r"\bleast\b(?!\s+(?:distan\w+|far|remote|range|gap))|\b(?:bad|poor|weak)(?:er|est)?\s+(?:answer|option|choice|guess|pick|fit|match|candidate)\b",
        r"\blast\s+(?:thing|answer|option|choice|one|class|letter)\s+(?:i|we|you|anyone|to|that)\b",
        r"\b(?:second|third|next)[- ](?:best|choice|most|likel\w+|guess|option|place|closest|nearest|rank\w*)",
        r"\b(?:silly|foolish|naive|stupid|rash|odd|strange|premature)\s+to\b",
        r"\bnothing\s+(?:supports?|suggests?|speaks? for|points? to|indicates?|confirms?|shows?|proves?|favou?rs)\b",
        r"n['\u2019]t\b",
        r"\b" + any_of(r"nicht|kein\w*|weder|falsche?\w*|pas|ni|n\u00e3o|nao|non|niet|geen|inte|ikke|nie") + r"\b",
        r"\b"
        + any_of(r"bukan|tidak|kh\u00f4ng|mauvaise?|fausse|incorrect[oa]|errad[oa]|sbagliat[oa]|nen\u00ed")
        + r"\b",
        r"\b" + any_of("\u043d\u0435", "\u0644\u064a\u0633\\w*") + r"\b",
        "\u4e0d|\u975e|\u6392\u9664|\u9519\u8bef|\u9664\u4e86",
    ),
    _I,
)
_DENIES_LABEL = re.compile(
    r"\b"
    + any_of(
        r"(?:wrong|incorrect|false|worst|bad|poor|weak|rejected|excluded|discarded|eliminated|mistaken)"
        r"\s+(?:answer|option|choice|one|letter|reply|response|class|label)s?",
        r"least\s+\w{1,20}(?:\s+\w{1,20})?|(?:second|third|next)[- ]\w{1,20}(?:\s+\w{1,20})?|runner[- ]?up"
        r"|eliminated|excluded|discarded|rejected|ruled out|(?<!is )(?<!was )(?<!['\u2019]s )(?:wrong|incorrect|false)",
    )
    + rf"\s*(?:is|are|would be)?\s*[:=]\s*(?:(?:the|option|choice|letter)\s+){{0,2}}{QUOTES}$",
    _I,
)
_BE = r"is|are|was|were|seems|looks|appears|sounds|would be|can be|could be|must be|may be|might be|has been|have been"
_INCIDENTAL = (
    r"\s+(?:moving|move|far|occluded|hidden|blocked|obscured|parked|alone|only|just|very|stationary|behind|that far"
    r"|as far|too far|fully|completely)\b"
)
_DENIED_AFTER = re.compile(
    r"[\"')\]]*\s+"
    + any_of(
        r"(?:is|are|was|can|could|should|must|does|do|would|will|may|might|seems|looks|ist)"
        r"\s+(?:\w{1,20}ly\s+|also\s+)?(?:not|nicht|never|hardly|scarcely|barely)\b"
        rf"(?!{_INCIDENTAL})",
        rf"(?:is|was|does|are|can|could|should|would|wo|do)n['\u2019]t\b(?!{_INCIDENTAL})",
        r"can['\u2019]t\b|cannot\b|never\b|hardly\b|barely\b|scarcely\b|fails?\b|lacks?\b",
        rf"(?:{_BE}|ist|est|es|\u00e8|\u00e9)\s+(?:both\s+)?(?:the\s+)?"
        r"(?:\w{1,20}ly\s+|also\s+|very\s+|too\s+|to be\s+){0,2}"
        rf"{_WRONG}\b",
        r"de\u011fil\b|nicht\b|niet\b|inte\b",
    )
    + "|\\s*"
    + any_of(
        "(?:\u3067\u306f|\u3058\u3083)(?:\u306a\u3044|\u3042\u308a\u307e\u305b\u3093|\u306a\u304f)",
        "\u306f(?:\u9055|\u4e0d\u6b63\u89e3|\u9593\u9055|\u8aa4)|\u4ee5\u5916",
        "(?:\u4e0d|\u662f\u9519|\u662f\u932f|\u9519|\u932f)",
        "(?:\uc740|\ub294|\uc774|\uac00)?\\s*(?:\uc544\ub2c8|\uc544\ub2d9|\ud2c0)",
    ),
    _I,
)
_WRONG_TOGETHER = re.compile(
    r"[\"')\]]*\s+(?:both\s+)?(?:are|aren['\u2019]t|were|can|cannot|can['\u2019]t|must|do|don['\u2019]t|seem|look|should|could)\b",
    _I,
)
_ALL_BUT = re.compile(
    r"\b(?:every|all|each|any|everything|everyone|anything)\b[^.;:!?\n]{0,30}?"
    r"\b(?:but|except(?:ing)?(?: for)?|other than|besides|apart from|aside from|save(?: for)?)\s+"
    rf"(?:(?:the|option|choice|letter|answer)\s+){{0,2}}{QUOTES}$",
    _I,
)
_EXCLUDED = (
    r"(?:ruled? out|exclud\w*|eliminat\w*|dismiss\w*|reject\w*|discard\w*|wrong|impossible|unlikely|implausible"
    r"|incorrect|false|bad|unreasonable|far off)"
)
_NOT = r"(?:can ?not|not|never|hardly|[a-z]{1,6}n['\u2019]t)"
_NOT_EXCLUDED_AFTER = re.compile(
    rf"[\"')\]]*\s+(?:\w{{1,10}}\s+){{0,2}}?{_NOT}\s+(?:\w{{1,20}}\s+){{0,2}}?{_EXCLUDED}\b", _I
)
"""Right context that leaves a mention possible: "B cannot be ruled out"."""
_NOT_EXCLUDED_BEFORE = re.compile(
    rf"\b{_NOT}\s+(?:\w{{1,20}}\s+){{0,2}}?{_EXCLUDED}\s+"
    rf"(?:(?:to say|that it is|the|option|choice|letter)\s+){{0,2}}{QUOTES}$",
    _I,
)
"""Left context that does: "I cannot rule out B"."""
_LONGEST_BE = 30  # characters from "be" to a mention that it leads to
COUNTED = re.compile(r"\.?\s{0,2}(?:\d|#)")
"""Right context in which "no" means number."""
_MERELY_POSSIBLE = re.compile(
    rf"\b(?:could|might|may)\s+(?:\w{{1,20}}\s+)?be\s+(?:(?:the|(?-i:a)|an|option|choice|letter)\s+){{0,2}}{QUOTES}$",
    _I,
)
"""Left context that calls a mention possible and no more."""


def _denied_after(right: str) -> bool:
    """Say whether the words after a mention deny it."""
    return _DENIED_AFTER.match(right) is not None and not _NOT_EXCLUDED_AFTER.match(right)


def denied(left: str, right: str, cues: Sequence[int], *, yes_no: bool) -> bool:
    """Say whether the words around a mention deny it; in yes-no replies "no" itself denies nothing."""
    if _denied_after(right):
        return True
    if not cues:
        return False
    if any(_DENIES_LABEL.match(left, cue) or _ALL_BUT.match(left, cue) for cue in cues):
        return True
    if _CLAUSE_STARTS.search(left, cues[-1]):
        return False  # what denies belongs to a clause before
    clause = left[max((hit.end() for hit in _CLAUSE_STARTS.finditer(left)), default=0) :]
    if _NOT_EXCLUDED_BEFORE.search(left):
        return False
    clause = _NO_NEGATION.sub(" ", clause)
    return any(not (yes_no and hit[0].lower() == "no") for hit in _NEGATION.finditer(clause))


def denies(sentence: str) -> bool:
    """Say whether anything in a sentence denies."""
    return _NEGATION.search(_NO_NEGATION.sub(" ", sentence)) is not None


def merely_possible(left: str, right: str, cues: Sequence[int]) -> bool:
    """Say whether the words around a mention call it possible and no more; `cues` are those of a denial."""
    if " be " in left[-_LONGEST_BE:] and _MERELY_POSSIBLE.search(left):
        return True
    if cues and _NOT_EXCLUDED_BEFORE.search(left):
        return True
    return _DENIED_AFTER.match(right) is not None and _NOT_EXCLUDED_AFTER.match(right) is not None


def denied_together(right: str) -> bool:
    """Say whether what denies a mention denies those joined to it as well: "A and B are wrong"."""
    return _WRONG_TOGETHER.match(right) is not None and _denied_after(right)


def all_others_wrong(left: str, right: str) -> bool:
    """Say whether every option but the one between these words is called wrong."""
    return _denied_after(right) and _ALL_BUT.search(left) is not None


# What questions, and on what a mention hangs.

QUESTIONED = re.compile(r"(?:[^.!?;\n\u3002]|\.(?=\d)){0,80}\?")
"""Right context that makes the sentence a question."""
_FREE = r"(?:i|i['\u2019]\w+|we|you|one|my|asked|forced|pressed|pushed|necessary|needed|anything|any)\b"
_CONDITION = re.compile(
    any_of(
        rf"(?P<free>\b(?:if|unless|assuming)\s+{_FREE}[^.!?\n]*?[,:;][^.!?\n]*)",
        r"\b(?:(?<!even )if|unless|suppos\w+|assuming|provided|as long as|in case"
        r"|in (?:that|such a) case|on condition|depending)\b[^.!?\n;]*",
        r"(?:(?<=[.!?\n]\s)|^)(?:were|had|should)\s+[^.!?\n;]*",
    )
    + "$",
    _I,
)
_CONDITION_ENDS = re.compile(r",\s*(?:so|therefore|thus|hence|but|yet|however)\b", _I)
_WHETHER = re.compile(
    r"(?:check\w*|see|determin\w+|tell|know|sure|certain|decid\w+|verif\w+|ask\w*|find out|wonder\w*|as)\s+$", _I
)
IF_FOLLOWS = re.compile(
    r"(?:[^.!?\n;:]|\.(?=\d)){0,60}?"
    r"\b(?:(?<!even )if|unless|provided|assuming|as long as|in case|on condition|depending)\b"
    rf"(?!\s+(?:{_FREE}|memory))(?<!as if)",
    _I,
)
"""Right context that puts a mention under a condition."""


def hangs_on_condition(left: str, cues: Sequence[int]) -> bool:
    """Say whether what follows these words holds under a condition; "if I compare them, ..." is none."""
    for cue in cues:
        hit = _CONDITION.match(left, cue)
        if (
            hit
            and not hit["free"]
            and not _CONDITION_ENDS.search(hit[0])
            and not _WHETHER.search(left, max(0, cue - 12), cue)
        ):
            return True
    return False


# What takes back.

_CLAUSE = r"(?:(?<=[.,;!?\n\u2026\u2014-])|(?<=[.,;!?\n\u2026\u2014-]\s)|^)"
_INTERJECTION = r"(?:oh |hmm,? |no,? |but |or |and |well,? |yet ){0,3}"
CORRECTION = re.compile(
    rf"{_CLAUSE}{_INTERJECTION}"
    + any_of(r"wait|actually|sorry|correction|i meant", r"on second thought|scratch that|let me (?:correct|re\w+)")
    + r"\b[ ,:.-]{0,4}",
    _I,
)
"""What announces a correction of what was said before."""
NO_RATHER = re.compile(r"\bno[,.:]\s{0,2}", _I)
"""The same in replies to choice questions, where "no" is no answer."""
TAKES_BACK = re.compile(rf"{_INTERJECTION}(?:wait|on second thought|scratch that|let me)", _I)
"""A correction that withdraws the answer even if no other follows."""
_WHAT_WAS_SAID = r"(?:that|this|it|(?:that|this|my|the first) (?:answer|choice|guess))"
_RIGHT = r"(?:right(?=\W*$|\W*[.,;:!?])|correct|true|it\b|the answer|an option|possible)"
WITHDRAWAL = re.compile(
    rf"(?:{_CLAUSE}|(?<= but )){_INTERJECTION}"
    + any_of(
        r"never ?mind|forget\b|correction: none|i (?:have )?changed my mind|just kidding|(?:only )?joking",
        r"(?:i )?(?:hereby )?(?:take|took|withdraw|retract) (?:it|that|this|my)",
        r"(?:please )?(?:strike|scratch|ignore|disregard|cancel|scrap|delete) (?:it|that|this|the above|my)",
        r"(?:on (?:second thought|reflection|closer inspection)|come to think of it)[,:]? (?:no|not)\b",
        r"(?:maybe|perhaps|rather|\w{1,20}ly)? ?not(?: really| quite)?(?=\s*(?:[.!\u2026]|$))",
        rf"{_WHAT_WAS_SAID}(?:['\u2019]s| is| was| would be| must be| has to be| seems| looks| sounds)"
        r" (?:\w{1,20}ly )?(?:(?:(?-i:a)|an|the) )?"
        r"(?:false|wrong|incorrect|untrue|mistaken?|impossible|nonsense|error"
        rf"|not {_RIGHT})",
        rf"{_WHAT_WAS_SAID}(?: can ?not| (?:ca|could|is|does|was|would)n['\u2019]t)"
        rf"(?: (?:be )?{_RIGHT}| be(?=\W*$|[.,;!]))",
        r"i (?:no longer|do ?n['\u2019]t|do not) (?:think|believe) (?:so|it|that)\b",
        r"(?:no|nope|nah)(?=\W*$)",
        r"i (?:was|am|stand) (?:wrong|mistaken|corrected)|i['\u2019]m (?:wrong|mistaken)|my mistake|my bad",
    )
    + r"[ ,:.-]{0,4}",
    _I,
)
"""What withdraws an answer given before, even if no other follows."""

# What sets a second option beside one that is already given.

_ADVERBS = (
    r"(?:\w{1,20}ly\s+|also\s+|just\s+(?:as\s+)?|as\s+|even\s+|still\s+|too\s+|more\s+|so\s+"
    r"|(?-i:a)\s+|an\s+|the\s+){0,4}"
)
_IS_RIVAL = re.compile(
    rf"[\"')\]]*\s+{_ADVERBS}"
    + any_of(
        r"(?:fits?|works?|suits?|qualif\w+|remains?|comes? close)\b",
        r"(?:could|might|may|would|should|can)\s+(?:\w{1,20}ly\s+|also\s+|just\s+|as\s+|well\s+|still\s+|even\s+){0,3}(?:be|fit|work|apply)\b",
        rf"(?:is|seems|looks|sounds|appears|feels|makes)\s+{_ADVERBS}"
        r"(?:possible|plausible|likel\w+|good|fine|better|best|right|correct|answer|option|candidate|choice|acceptable|near(?:er|est)|clos(?:er|est)"
        r"|valid|conceivable|sense|probable|match|tempting|alternative|too)\b",
        r"(?:is|has|have)\s+(?:just\s+|equally\s+|exactly\s+|nearly\s+|almost\s+){0,2}(?:as|equally|the same)\b",
        r"(?:too|as well|instead|maybe|perhaps|working|fitting)\b|(?:in )?(?:close |near |very )*(?:second|runner)\b",
    ),
    _I,
)
"""Right context that speaks for a label."""
_ADDS_RIVAL = re.compile(
    r"\b"
    + any_of(
        r"alternatively|or|or rather|perhaps|maybe|possibly|also|as well as|otherwise|else|additionally|likewise|both",
        r"(?:could|might|may|can)(?:\s+\w{1,20}){0,2}\s+be|equally\s+\w+|(?:just )?as \w+|second(?:ly)?",
        r"(?:could|might|may|can|would)\s+(?:also|equally|even|as well)(?:\s+\w{1,20}){0,3}",
        r"(?:along |together |,\s*)with|followed by|next to|besides|not far from",
        r"so (?:is|does|would|could|might|may)|then again[^.!?]{0,20}|failing that",
        r"(?:alternative|rival|contender|tie|tied|equal|equals)(?:\s+(?:is|with|to))?",
    )
    + rf"[\s:,]*(?:(?:the|option|choice|letter|answer)\s+){{0,2}}{QUOTES}$",
    _I,
)
"""Left context that adds a label to one given before."""


def spoken_for(right: str) -> bool:
    """Say whether the words after a label speak for it."""
    return _IS_RIVAL.match(right) is not None


def rivals(left: str, right: str) -> bool:
    """Say whether the words around a label set it beside one that was given before."""
    return (
        spoken_for(right)
        or _NOT_EXCLUDED_AFTER.match(right) is not None
        or _ADDS_RIVAL.search(left) is not None
        or _NOT_EXCLUDED_BEFORE.search(left) is not None
    )
