"""Reads synonyms from a folder of WordNet's database files, by NLTK; nothing is fetched.

Debian's package `wordnet-base` has the folder `/usr/share/wordnet`, NLTK's data `corpora/wordnet`.
"""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from probe4d.diagnosis.text_metrics.tokens import nltk
from probe4d.errors import InputError

__all__ = ["Synonyms", "SynonymsAmong", "files_digest", "open_wordnet"]

_PARTS_OF_SPEECH = ("adj", "adv", "noun", "verb")
_FILES = (
    *(f"index.{part}" for part in _PARTS_OF_SPEECH),
    *(f"data.{part}" for part in _PARTS_OF_SPEECH),
    *(f"{part}.exc" for part in _PARTS_OF_SPEECH),
)
"""What synonyms are read from (wndb(5WN), morphy(7WN))."""

_LEXICOGRAPHER_FILES = 45  # lexnames(5WN)
_DIGEST_DIGITS = 16
_REMEDY = (
    "Name a folder with WordNet's database files, such as /usr/share/wordnet of Debian's package wordnet-base, or "
    "corpora/wordnet of NLTK's data."
)


class _Name(NamedTuple):
    """A word of a synset, as NLTK's METEOR asks for it."""

    text: str

    def name(self) -> str:
        return self.text


class _Synset(NamedTuple):
    """Words that mean the same, as NLTK's METEOR asks for them."""

    names: tuple[_Name, ...]

    def lemmas(self) -> tuple[_Name, ...]:
        return self.names


class Synonyms:
    """Synonyms in a WordNet, each word looked up once.

    Attributes:
        reader: NLTK's reader of the folder.
    """

    def __init__(self, reader: Any, path: Path) -> None:
        self.reader = reader
        self._path = path
        self._known: dict[str, frozenset[str]] = {}

    def of(self, word: str) -> frozenset[str]:
        """Single words that share a synset with a form of a word, itself among them where it is known.

        Raises:
            InputError: Files of the folder are broken or do not belong together.
        """
        if word not in self._known:
            try:
                with warnings.catch_warnings(action="error"):  # an offset where no synset begins
                    names = {lemma.name() for synset in self.reader.synsets(word) for lemma in synset.lemmas()}
            except Exception as error:
                raise _broken(self._path, error) from error
            self._known[word] = frozenset(name for name in names if "_" not in name)
        return self._known[word]

    def among(self, words: Collection[str]) -> SynonymsAmong:
        """These synonyms as far as they are some of `words`, which is all that METEOR looks for."""
        return SynonymsAmong(self, frozenset(words))


class SynonymsAmong:
    """What NLTK's METEOR asks of its reader of WordNet. All synsets of a word come as one: METEOR unites them."""

    def __init__(self, synonyms: Synonyms, words: frozenset[str]) -> None:
        self._synonyms = synonyms
        self._words = words
        self._known: dict[str, tuple[_Synset, ...]] = {}

    def synsets(self, word: str) -> tuple[_Synset, ...]:
        """The synonyms of a word, as one synset.

        Raises:
            InputError: As `Synonyms.of`.
        """
        if word not in self._known:
            names = sorted(self._synonyms.of(word) & self._words)
            self._known[word] = (_Synset(tuple(map(_Name, names))),)
        return self._known[word]


@cache
def open_wordnet(path: Path) -> Synonyms:
    """Open a folder of WordNet's database files; a process opens each once, which takes about a second.

    NLTK reads files of its list of folders alone: the folder is put at the end of `nltk.data.path`.

    Args:
        path: The folder. Of NLTK's files it need not have `lexnames`, `index.sense` and `cntlist.rev`, which
            `wordnet-base` lacks in part: names of lexicographer files and keys of senses are not read.

    Raises:
        InputError: The extra `text` is not installed, or the folder lacks a file or has a broken one.
    """
    _refuse_missing(path)
    folder = str(path.resolve())
    if folder not in (allowed := nltk("data").path):
        allowed.append(folder)
    opened: list[Any] = []
    try:
        with warnings.catch_warnings(action="ignore"):  # that there are no other languages
            return Synonyms(_reader()(folder, opened), path)
    except Exception as error:
        for file in opened:
            file.close()
        raise _broken(path, error) from error


@cache
def _reader() -> Any:
    """NLTK's reader without the files that serve other languages and keys of senses."""

    class Reader(nltk("corpus.reader.wordnet").WordNetCorpusReader):  # type: ignore[misc]  # NLTK has no types
        def __init__(self, root: str, opened: list[Any]) -> None:
            self._opened = opened
            super().__init__(root, None)

        def open(self, file: str) -> Any:
            if file == "lexnames":
                return io.StringIO("".join(f"{number:02d}\tunnamed\t0\n" for number in range(_LEXICOGRAPHER_FILES)))
            self._opened.append(super().open(file))
            return self._opened[-1]

        def map_wn(self, version: str = "wordnet") -> None:
            """Map no other WordNet's synsets to this one's, as for words of other languages."""

    return Reader


def files_digest(path: Path) -> str:
    """The first 16 hexadecimal digits of SHA-256 over the files that synonyms are read from.

    Raises:
        InputError: The folder lacks one of them, or it cannot be read.
    """
    _refuse_missing(path)
    of_all = hashlib.sha256()
    for name in _FILES:
        try:
            of_all.update(hashlib.sha256((path / name).read_bytes()).digest())
        except OSError as error:
            raise InputError(f"cannot be read ({error.strerror}).", path=path / name) from error
    return of_all.hexdigest()[:_DIGEST_DIGITS]


def _refuse_missing(path: Path) -> None:
    missing = [name for name in _FILES if not (path / name).is_file()]
    if missing:
        what = "is no folder" if not path.is_dir() else f"has no {', '.join(missing)}"
        raise InputError(f"{what}, where WordNet's database was expected.", path=path, remedy=_REMEDY)


def _broken(path: Path, error: Exception) -> InputError:
    return InputError(f"is no sound WordNet database ({error}).", path=path, remedy=_REMEDY)
