"""Cuts texts into the tokens of `nltk.word_tokenize`, plain ones faster than NLTK does."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

from probe4d.extras import needed

__all__ = ["nltk", "tokens"]

_WORD = r"[A-Za-z0-9]+(?:[.-][A-Za-z0-9]+)*,?"
_PLAIN = re.compile(rf"(?:{_WORD} )*{_WORD}[.?!]?")
"""A sentence that NLTK would cut at its blanks, and within a word by that word alone."""

_WORDS_KEPT = 2**16
"""Whose tokens a process remembers."""


def nltk(module: str) -> Any:
    """Import a module of NLTK.

    Raises:
        InputError: NLTK is not installed.
    """
    return needed(f"nltk.{module}", extra="text", user="METEOR")


def tokens(text: str) -> list[str]:
    """The tokens of a text, as `nltk.word_tokenize` has them, punctuation among them.

    Ends of sentences are found without Punkt's trained list of abbreviations, which would have to be fetched.

    Raises:
        InputError: NLTK is not installed.
    """
    # A plain text has no end of a sentence but its own.
    sentences = [text] if _PLAIN.fullmatch(text) else _punkt().tokenize(text)
    return [token for sentence in sentences for token in _of_sentence(sentence)]


def _of_sentence(sentence: str) -> list[str]:
    if not _PLAIN.fullmatch(sentence):
        return list(_words().tokenize(sentence))
    return [token for word in sentence.split(" ") for token in _of_word(word)]


@lru_cache(maxsize=_WORDS_KEPT)
def _of_word(word: str) -> list[str]:
    return list(_words().tokenize(word))


@cache
def _punkt() -> Any:
    return nltk("tokenize.punkt").PunktSentenceTokenizer()


@cache
def _words() -> Any:
    return nltk("tokenize").NLTKWordTokenizer()
