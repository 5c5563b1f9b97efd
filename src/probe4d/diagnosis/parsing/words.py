"""Reads which word of a vocabulary a reply settles on, such as the class in an answer of B4DL (`TRUCK.`)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from probe4d.diagnosis.parsing import number_contexts, refusals
from probe4d.diagnosis.parsing.normalise import answer_part, containers, unmarked, visible
from probe4d.diagnosis.parsing.number_contexts import SENTENCE_END
from probe4d.diagnosis.parsing.parsed import Parsed, unread
from probe4d.diagnosis.parsing.sentences import Sentences
from probe4d.diagnosis.parsing.withdrawals import withdrawn
from probe4d.runs.settings.chain_of_thought import CHAIN_OF_THOUGHT

__all__ = ["parse_word", "parse_word_exactly"]

_ARTICLE = re.compile(r"^(?:a|an|the|some|one|it is|it['\u2019]s|this is|that is)\s+", re.IGNORECASE)
_LETTERS = "LMN"
"""Categories of characters that words are made of, in whatever script: letters, their marks, and digits."""
_EDGES = " \t\r\n.,;:!\"'`*()[]{}"
_PLACES = 20
"""How many of the first and of the last places that name a word are looked at."""
_MARKER = re.compile(
    r"\b(?:answer|class|object class|prediction)[ \t]{0,8}(?:(?:is|would be|will be)\b[ \t]{0,8}:?|[:=])", re.IGNORECASE
)


def parse_word(text: str, options: Sequence[str], cut: bool) -> Parsed:
    """Read one reply to a question whose answer is a word of a vocabulary; rules in `docs/answer-parsing.md`.

    Args:
        text: The reply, untouched.
        options: The vocabulary.
        cut: Whether generation ran into its limit.

    Returns:
        State, and the word as it stands in `options`. No text raises.
    """
    reply, thought_left_open = answer_part(visible(text))
    cut = cut or thought_left_open
    if not options:
        return unread(reply, cut)
    places = containers(reply)
    if places:
        readings = {_read(unmarked(place), tuple(options), cut=False) for place in places}
        return readings.pop() if len(readings) == 1 else Parsed("ambiguous")
    return _read(unmarked(reply), tuple(options), cut=cut)


def parse_word_exactly(text: str, options: Sequence[str], cut: bool) -> Parsed:
    """Accept a reply that is a word of the vocabulary and nothing else, but for case and punctuation at its ends.

    That is exact answer matching (B4DL, Sec. 3.1) of answers as the release writes them: `TRUCK.`
    """
    said = text.strip(_EDGES).casefold()
    named = [option for option in options if option.casefold() == said]
    return Parsed("valid", named[0]) if len(named) == 1 and said else unread(text, cut)


def _normalised(text: str) -> str:
    """A word of a vocabulary as it is compared: lower case, without an article, punctuation, hyphens and spaces."""
    word = unicodedata.normalize("NFKC", _ARTICLE.sub("", text.strip(_EDGES)).casefold())
    return "".join(filter(_is_letter, word))


@lru_cache(maxsize=4096)
def _is_letter(character: str) -> bool:
    return unicodedata.category(character)[0] in _LETTERS


def _read(reply: str, options: tuple[str, ...], *, cut: bool) -> Parsed:
    known = _forms(options)
    if not cut and (whole := _whole(reply, known)) is not None:
        return Parsed("valid", whole)
    part = CHAIN_OF_THOUGHT.answer_part(reply)
    if part == reply and (marked := [hit.end() for hit in _MARKER.finditer(reply)]):
        part = _first_sentence(reply[marked[-1] :])
        if number_contexts.doubted(reply[max(0, marked[-1] - number_contexts.NEAR) : marked[-1]], ""):
            return Parsed("ambiguous")
    elif part == reply and refusals.refuses(reply):
        return Parsed("truncated" if cut else "refused")
    word = _whole(part, known) or _named_in(part, options)
    if word is None or (cut and part == reply and not _opens_with(reply, word, options)):
        return unread(reply, cut)
    return Parsed("valid", word)


def _whole(text: str, known: Mapping[str, str]) -> str | None:
    """The word that a text is, and nothing else; a question is none."""
    return None if "?" in text else known.get(text.strip(_EDGES).casefold()) or known.get(_normalised(text))


def _first_sentence(text: str) -> str:
    end = SENTENCE_END.search(text.lstrip())
    return text.lstrip()[: end.start()] if end else text


def _named_in(text: str, options: tuple[str, ...]) -> str | None:
    """The one word that a text names; null where it names none or several, doubts it or takes it back."""
    hits = list(_mention(options).finditer(text))
    known = _forms(options)
    named = {known.get(hit[0].casefold()) or known.get(_normalised(hit[0])) for hit in hits}
    word = named.pop() if len(named) == 1 else None
    if word is None:
        return None
    sentences = Sentences(text)
    for hit in hits if len(hits) <= 2 * _PLACES else [*hits[:_PLACES], *hits[-_PLACES:]]:
        before, after, asked = sentences.around(*hit.span())
        if asked or number_contexts.doubted(before, after):
            return None
    return None if withdrawn(text, hits[0].end()) else word


def _opens_with(reply: str, word: str, options: tuple[str, ...]) -> bool:
    """Say whether a cut reply begins with a sentence that names the word, and goes on after it."""
    end = SENTENCE_END.search(reply)
    return end is not None and reply[end.end() :].strip() != "" and _named_in(reply[: end.start()], options) == word


@lru_cache(maxsize=64)
def _forms(options: tuple[str, ...]) -> Mapping[str, str]:
    """Every way to write a word of the vocabulary, as it is compared, to the word; what two share is left out.

    A word as it stands goes before what it is compared as, and this before the plural of another.
    """
    ways: tuple[Callable[[str], Iterable[str]], ...] = (
        lambda option: map(_normalised, _inflected(option)),
        lambda option: [_normalised(option)],
        lambda option: [option.strip().casefold()],
    )
    forms: dict[str, str] = {}
    for written in ways:
        found: dict[str, set[str]] = {}
        for option in options:
            for form in written(option):
                found.setdefault(form, set()).add(option)
        forms |= {form: words.pop() for form, words in found.items() if form and len(words) == 1}
    return forms


@lru_cache(maxsize=64)
def _mention(options: tuple[str, ...]) -> re.Pattern[str]:
    """Finds the words of a vocabulary in prose, the longest first, in whatever spacing and number."""
    forms = sorted({form for option in options for form in _inflected(option)}, key=lambda form: (-len(form), form))
    spaced = (r"[\s_-]{0,3}".join(map(re.escape, re.split(r"[\s_-]+", form))) for form in forms)
    return re.compile(rf"(?<![\w-])(?:{'|'.join(spaced)})(?![\w]|-\w)", re.IGNORECASE)


def _inflected(option: str) -> tuple[str, ...]:
    """A word and its plurals."""
    word = option.strip().casefold()
    plurals = [f"{word}s", f"{word}es"]
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        plurals.append(f"{word[:-1]}ies")
    if word.endswith("s"):
        plurals.append(f"{word}ses")
    return (word, *plurals)
