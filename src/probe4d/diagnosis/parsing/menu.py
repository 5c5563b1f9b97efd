"""What can be named in a reply: the labels of a question and the texts of its options, as patterns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from probe4d.benchmarks.question import LETTERS

__all__ = ["WORD", "Menu", "canonical", "menu_of"]

WORD = r"0-9A-Za-z_\u00c0-\u024f\u0370-\u052f"
"""Characters of words in alphabets that put spaces between them; a letter after a Chinese character stands alone."""

_DIGITS = re.compile(r"\d+")
_OPENING = re.compile(r"[a-z]+")  # these ignore case alike in every way of comparing
_SPACE = re.compile(r"[\s\-\u2010-\u2013]+")
_MARKED_OBJECT = re.compile(r"(?:the )?object (?:marked )?([a-z]{1,2})")
_RANGE = re.compile(
    r"(?<!\d)(\d{1,6})\s{0,3}(?:-|\u2010|\u2013|\u2014|to|until|through|and)\s{0,3}(?:frames?\s{0,3})?(\d{1,6})(?!\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Menu:
    """The labels of one question and how the reply may name them.

    Attributes:
        labels: Letters in order, or `Yes`, `No`.
        label: Pattern of a label or a mark; group 1 is its name.
        marks: Letters that objects carry in the picture to the index of the option that is such an object, as
            "object G" is; none that is a label, too.
        patterns: Pattern of each canonical text.
        texts: Canonical text to the index of its option, null where options share it.
        ranges: Pair of numbers to the index of its option, where every option is one such pair; else empty.
    """

    labels: tuple[str, ...]
    label: re.Pattern[str]
    marks: dict[str, int]
    patterns: dict[str, re.Pattern[str]]
    texts: dict[str, int | None]
    ranges: dict[tuple[int, int], int]

    @property
    def is_yes_no(self) -> bool:
        """Whether the question is a yes-no question."""
        return self.label is _YES_NO_LABEL

    def option_named(self, name: str) -> int | None:
        """Index of the option that a letter stands for, as its label or its object's mark; null if there is none."""
        letter = name.upper()
        return self.labels.index(letter) if letter in self.labels else self.marks.get(letter)

    def text_mentions(self, reply: str, folded: str) -> list[tuple[int, int, int | None]]:
        """Return (start, end, option) of every option's text in the reply; null option where two share the text.

        Args:
            reply: The reply.
            folded: The same in lower case, character for character.
        """
        found = _leftmost_longest(
            (hit.start(), hit.end(), self.texts[name])
            for name, pattern in self.patterns.items()
            for hit in _hits(pattern, _OPENING.match(name), reply, folded)
        )
        if self.ranges:
            covered = {start for first, end, _ in found for start in range(first, end)}
            for hit in _RANGE.finditer(reply):
                option = self.ranges.get((int(hit[1]), int(hit[2])))
                if option is not None and hit.start() not in covered:
                    found.append((hit.start(), hit.end(), option))
            found.sort()
        return found


def _hits(pattern: re.Pattern[str], opening: re.Match[str] | None, reply: str, folded: str) -> Iterator[re.Match[str]]:
    """Find a text like `pattern.finditer`, but look only where its opening characters stand."""
    if opening is None:
        yield from pattern.finditer(reply)
        return
    start = folded.find(opening[0])
    while start >= 0:
        hit = pattern.match(reply, start)
        if hit:
            yield hit
        start = folded.find(opening[0], hit.end() if hit else start + 1)


def _leftmost_longest(hits: Iterable[tuple[int, int, int | None]]) -> list[tuple[int, int, int | None]]:
    """Keep hits that do not overlap: of those that start first the longest, then go on behind it."""
    kept: list[tuple[int, int, int | None]] = []
    end = 0
    for hit in sorted(hits, key=lambda hit: (hit[0], -hit[1])):
        if hit[0] >= end:
            kept.append(hit)
            end = hit[1]
    return kept


def canonical(text: str) -> str:
    """Fold case, white space, hyphens and leading zeros of numbers."""
    return _DIGITS.sub(lambda number: number[0].lstrip("0") or "0", _SPACE.sub(" ", text.strip().casefold()))


def menu_of(options: Sequence[str], letters: bool) -> Menu:
    """Make (or recall) the menu of a choice question with these options, or of a yes-no question."""
    return _menu(tuple(options), letters)


@lru_cache(maxsize=65536)
def _menu(options: tuple[str, ...], letters: bool) -> Menu:
    if not letters:
        return Menu(("Yes", "No"), _YES_NO_LABEL, {}, {}, {}, {})
    options = options[: len(LETTERS)]
    labels = tuple(LETTERS[: len(options)])
    texts: dict[str, int | None] = {}
    for index, option in enumerate(options):
        name = canonical(option)
        if name:
            texts[name] = None if name in texts else index
    ranges: dict[tuple[int, int], int] = {}
    for index, option in enumerate(options):
        numbers = _DIGITS.findall(option)
        if len(numbers) == 2 and max(map(len, numbers)) <= 6:  # as long as `_RANGE` reads
            ranges[int(numbers[0]), int(numbers[1])] = index
    marks = {
        found[1].upper(): index
        for name, index in texts.items()
        if index is not None and (found := _MARKED_OBJECT.fullmatch(name)) and found[1].upper() not in labels
    }
    return Menu(
        labels,
        _marked_pattern(len(labels), tuple(marks)) if marks else _letter_pattern(len(labels)),
        marks,
        {name: _text_pattern(name) for name in texts},
        texts,
        ranges if len(ranges) == len(options) else {},
    )


_YES_NO_LABEL = re.compile(
    rf"(?<![{WORD}'\u2019-])(yes|no|yeah|yep|yup|nope|nah)(?![{WORD}'\u2019]|-[{WORD}])", re.IGNORECASE
)


@lru_cache(maxsize=64)
def _letter_pattern(count: int) -> re.Pattern[str]:
    if count == 0:
        return re.compile(r"(?!)")  # nothing to be named
    last = LETTERS[count - 1]
    return re.compile(
        # What may not stand before is looked at last, since a pattern that begins with a letter is found faster.
        rf"([A-{last}{'a-' + last.lower()}])(?<![{WORD}'\u2019&-].)(?<![A-Za-z]\..)"
        rf"(?![{WORD}'\u2019&]|-[{WORD}]|\.[A-Za-z](?![a-z]))"
    )


@lru_cache(maxsize=4096)
def _marked_pattern(count: int, marks: tuple[str, ...]) -> re.Pattern[str]:
    """The pattern of letters where objects carry letters, too; a mark of two letters is a capital one."""
    last = LETTERS[count - 1]
    single = "".join(mark for mark in marks if len(mark) == 1)
    double = "".join(f"{mark}|" for mark in marks if len(mark) == 2)
    return re.compile(
        rf"(?<![{WORD}'\u2019&-])(?<![A-Za-z]\.)({double}[A-{last}a-{last.lower()}{single}{single.lower()}])"
        rf"(?![{WORD}'\u2019&]|-[{WORD}]|\.[A-Za-z](?![a-z]))"
    )


@lru_cache(maxsize=65536)
def _text_pattern(name: str) -> re.Pattern[str]:
    """Pattern of one option's text; made once a text, of which a benchmark has far fewer than sets of options."""
    words = [re.sub(r"(?<!\d)\d+", lambda number: f"0*{number[0]}", re.escape(word)) for word in name.split(" ")]
    text = r"[\s\-\u2010-\u2013]+".join(words)
    return re.compile(rf"(?<![{WORD}-]){text}(?:(?:e?s)(?=[^{WORD}-]|$))?(?![{WORD}]|-[{WORD}])", re.IGNORECASE)
