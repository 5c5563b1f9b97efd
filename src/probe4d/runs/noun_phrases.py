"""A captioning model's reply -> the noun phrase that will stand for an object in questions, or why there is none.

Models are asked for a phrase and give phrases in quotation marks, phrases after "Caption:", whole sentences, lists
and refusals. What is a phrase but for its dress is undressed; anything else is refused, so that no question ever
reads "Is I'm sorry, but I cannot see the image. above the bus?".
"""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

__all__ = ["MOST_WORDS", "NounPhrase", "noun_phrase"]

MOST_WORDS = 20
"""Most words of a caption; the longest of the paper's examples has eight."""

_LABEL = re.compile(
    r"^(?:\W*(?:short |noun |image |possible )*(?:caption|phrase|answer|response|description|output)s?\W*:)\s*",
    re.IGNORECASE,
)
_QUOTES = "\"'`\u2018\u2019\u201c\u201d\u00ab\u00bb"
_AROUND = " .,;!*_"
_OF_SENTENCES = re.compile(r"\.\s+[^\W\d_a-z]|[;:?!]")  # "bus no. 42" is none
_VERB = re.compile(
    r"\b(?:is|are|was|were|am|has|have|had|shows?|depicts?|features?|contains?|appears?|seems?|can|could|cannot|will|"
    r"would|should|does|do|did|there's|it's|that's|i'm|i|we|you|sorry|unable|image|picture|photo)\b|n't\b",
    re.IGNORECASE,
)
_NOTHING = re.compile(r"^(?:none|n/?a|null|unknown|nothing|unclear|no \w+(?: visible)?)$", re.IGNORECASE)


class NounPhrase(NamedTuple):
    """What a reply holds: a phrase, or the reason why there is none."""

    phrase: str | None
    fault: str | None = None


def noun_phrase(reply: str) -> NounPhrase:
    """Reduce a reply to one noun phrase (NuScenes-SpatialQA, App. B.4: a phrase only, no sentence).

    Args:
        reply: The whole text of the reply.
    """
    lines = [line for line in unicodedata.normalize("NFC", reply).splitlines() if line.strip()]
    if not lines:
        return NounPhrase(None, "is empty")
    if len(lines) > 1 and _LABEL.fullmatch(lines[0].strip()):
        lines = lines[1:]
    if len(lines) > 1:
        return NounPhrase(None, "has several lines")
    text = _undressed(lines[0])
    words = text.split()
    if not any(character.isalpha() for character in text):
        return NounPhrase(None, "has no word")
    if not text.isprintable():
        return NounPhrase(None, "has characters that cannot be printed")
    if _NOTHING.match(text):
        return NounPhrase(None, "names nothing")
    if _OF_SENTENCES.search(text) or _VERB.search(text.replace("\u2019", "'")):
        return NounPhrase(None, "is a sentence")
    if len(words) > MOST_WORDS:
        return NounPhrase(None, f"has {len(words)} words")
    return NounPhrase(" ".join(words))


def _undressed(line: str) -> str:
    """A line without what models put around a phrase: a label, quotation marks, emphasis, a full stop."""
    text, before = line.strip(), ""
    while text != before:
        before = text
        text = _LABEL.sub("", text).strip(_AROUND)
        if text[:1] in _QUOTES and text[-1:] in _QUOTES:
            text = text.strip(_QUOTES)
    return text
