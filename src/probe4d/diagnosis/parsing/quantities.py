"""Finds the numbers of a reply, in digits and in words, with their signs and units.

A number that can be read in two ways is none: it is `malformed`, and a reply that rests on it is not counted.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from probe4d.diagnosis.parsing.units import Unit, other_unit_after, unit_after

__all__ = ["Quantity", "number_value", "number_word", "quantities"]


class Quantity(NamedTuple):
    """A number in a reply.

    Attributes:
        start: First character, the sign's where it has one.
        end: Character after the last, the unit's where it has one.
        kind: `measured` (with a unit of the right kind), `bare`, `label` (it names or counts something or is a
            premise: "car 2", "2 cars", "given a typical width of 2 m"), `other-unit` (with a unit of another kind),
            `malformed` (two readings, or a calculation).
        value: In the unit asked for; null unless measured or bare.
        converted: Whether the reply gave it in another unit than the one asked for.
    """

    start: int
    end: int
    kind: Literal["measured", "bare", "label", "other-unit", "malformed"]
    value: float | None = None
    converted: bool = False


_NEAR = 40
"""Characters before a number that decide about its sign and what it is."""

# Numbers in digits.

_DIGITS = re.compile(r"(?:[0-9]+(?:[.,'\u2019_]{1,3}[0-9]+)*|(?<![\w.,])\.[0-9]+)(?:[eE][+-]?[0-9]{1,2}(?![\w.]))?")
_PLAIN = re.compile(r"[0-9]{0,15}(?:\.[0-9]{1,20}|(?<=[0-9]))(?:[eE][+-]?[0-9]{1,2})?")
_THOUSANDS = re.compile(r"[0-9]{1,3}(?:(?:,[0-9]{3}){2,4}|(?:,[0-9]{3}){1,4}\.[0-9]{1,20})")
_APOSTROPHES = re.compile(r"[0-9]{1,3}(?:['\u2019][0-9]{3}){1,4}(?:\.[0-9]{1,20})?")
_POINTS = re.compile(r"[0-9]{1,3}(?:\.[0-9]{3}){1,4},[0-9]{1,20}")
_DECIMAL_COMMA = re.compile(r"(?![1-9][0-9]{0,2},[0-9]{3}$)[0-9]{1,15},[0-9]{1,20}")
"""One comma before exactly three digits may part thousands as well, unless a 0 stands before it."""

_CALCULATES_BEFORE = re.compile(r"(?:[*/^\u00d7\u00b7\u00f7!\u00b1\u221a]|\+/-|sqrt\s?\(?|frac\{|\}\{|\bx)\s?$")
_CALCULATES_AFTER = re.compile(
    r"[ \t]?(?:[*/^\u00d7\u00f7+!](?![ \t]*\()|x(?=[ \t]?[0-9])|:[0-9]|[\u2032\u2033'](?!\w)"
    r"|[\u2032\u2033'\u00b0][ \t]?[0-9])"
)
_RANGE_AFTER = re.compile(r"[ \t]?(?:[-\u2010-\u2014~]|\.\.|\.(?=[ \t]))[ \t]?(?=[0-9.])")

# What a number without a unit stands for.

_TOUCHED = re.compile(r"[A-Za-z\u00c0-\u024f\u0370-\u052f_#\u2116](?:[-\u2010])?$")
_NAMES = re.compile(
    r"\b(?:objects?|cars?|vehicles?|trucks?|bus(?:es)?|vans?|trailers?|bicycles?|motorcycles?|pedestrians?|person"
    r"|man|woman|regions?|box(?:es)?|markers?|frames?|cameras?|cam|scenes?|steps?|figures?|options?|choices?|lanes?"
    r"|lines?|rows?|plates?|signs?|ids?|numbers?|no\.|nr\.|sentences?|questions?|images?|views?)\s*[#(\[\"']?$",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    r"(?:D\b|(?:st|nd|rd|th)\b|[ \t]o['\u2019]clock\b)|[ \t]+(?!(?:from|away|apart|in|and|or|to|is|are|at|by|as|with"
    r"|between|behind|ahead|if|but|because|since|maybe|than|perhaps|then|through|until|till|bis|a|y|o|et|und|oder|e"
    r"|ou|left|right|more|less|plus|minus)\b)[A-Za-z]{2,}",
    re.IGNORECASE,
)
_PREMISE = re.compile(
    r"\b(?:considering|given|based on|from|using|knowing)\b[^.,;\n]{1,40}\b(?:typical|average|standard"
    r"|usual)\b[^.,;\n]{1,40}$",
    re.IGNORECASE,
)
_LIST_NUMBER = re.compile(r"[.)][ \t]+[^\W\d_]")
_STARTS_LINE = re.compile(r"(?:^|\n)[ \t]*$")

# Signs.

_CUES_OF_SIGN = re.compile(
    r"(?:^|[\n(\[{:=\u2248~\"'|]|\b(?:is|be|of|about|around|approximately|approx\.?|roughly|equals|say|exactly"
    r"|answer|at))\s*$",
    re.IGNORECASE,
)
_SIGN_WORD = re.compile(r"\b(minus|negative|positive)[ \t]+$", re.IGNORECASE)
_PLUS_OR = re.compile(r"(?:\bor|/|,)\s*$", re.IGNORECASE)

# Numbers in words.

_ONES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_TEENS = ["ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {word: value for value, word in enumerate(["zero", *_ONES, *_TEENS])}
_WORDS |= {word: 10 * value for value, word in enumerate(_TENS, start=2)}
_ANY_ONE = "|".join(_ONES)
_WORD = (
    rf"(?:(?:{'|'.join(_TENS)})(?:[- ](?:{_ANY_ONE}))?|{'|'.join(_TEENS)}|zero|{_ANY_ONE})"
    rf"(?:[ ]point(?:[ ](?:zero|{_ANY_ONE}))+|[ ]and[ ]a[ ]half)?"
)
_SIGNED_WORD = re.compile(rf"\b(?:(minus|negative|positive)[ ]+)?({_WORD})\b", re.IGNORECASE)


def quantities(text: str, unit: Unit) -> list[Quantity]:
    """Find all numbers of a text, in order; those in words only where a unit follows.

    Args:
        text: A reply without markup.
        unit: What the values should be in.
    """
    found = [_in_digits(text, hit, unit) for hit in _DIGITS.finditer(text)]
    found += [one for hit in _SIGNED_WORD.finditer(text) for one in _in_words(text, hit, unit)]
    found.sort()
    return _without_compounds(text, found)


def number_word(text: str) -> float | None:
    """Read a text that is a number in words and nothing else; null for any other, and for "one"."""
    hit = _SIGNED_WORD.fullmatch(text)
    return None if hit is None or text.lower() == "one" else _word_value(hit)


def _in_words(text: str, hit: re.Match[str], unit: Unit) -> list[Quantity]:
    measure = unit_after(text, hit.end(), unit)
    if measure is None:
        return []
    return [Quantity(hit.start(), measure[0], "measured", _word_value(hit) * measure[1], measure[1] != 1.0)]


def _word_value(hit: re.Match[str]) -> float:
    sign = -1.0 if (hit[1] or "").lower() in ("minus", "negative") else 1.0
    whole, _, decimals = hit[2].lower().partition(" point ")
    half = whole.endswith(" and a half")
    value = float(sum(_WORDS[word] for word in re.split("[- ]", whole.removesuffix(" and a half"))))
    if decimals:
        value = float(f"{value:.0f}." + "".join(str(_WORDS[word]) for word in decimals.split()))
    return sign * (value + 0.5 * half)


def _in_digits(text: str, hit: re.Match[str], unit: Unit) -> Quantity:
    left = text[max(0, hit.start() - _NEAR) : hit.start()]
    start, end = hit.span()
    if _TOUCHED.search(left):
        return Quantity(start, end, "label")
    sign, width = _sign(left, unit)
    start -= width
    if _PREMISE.search(text, max(0, start - 2 * _NEAR), start):
        return Quantity(start, end, "label")
    value = number_value(hit[0])
    if sign == 0 or value is None or _is_calculated(text, left, end) or _in_tuple(text, hit):
        return Quantity(start, end, "malformed")
    measure = unit_after(text, end, unit)
    if measure is not None:
        if _RANGE_AFTER.match(text, measure[0]) or (
            text[measure[0] : measure[0] + 1] != "!" and _CALCULATES_AFTER.match(text, measure[0])
        ):
            return Quantity(start, measure[0], "malformed")
        return Quantity(start, measure[0], "measured", sign * value * measure[1], measure[1] != 1.0)
    if _RANGE_AFTER.match(text, end):
        return Quantity(start, end, "malformed")
    if _COUNTS.match(text, end) is None and not _names(text, left, end):
        return (
            Quantity(start, end, "other-unit")
            if other_unit_after(text, end)
            else Quantity(start, end, "bare", sign * value)
        )
    return Quantity(start, end, "other-unit" if other_unit_after(text, end) else "label")


def _names(text: str, left: str, end: int) -> bool:
    """Say whether what stands around a number makes it a name or the number of a list."""
    return _NAMES.search(left) is not None or (
        _STARTS_LINE.search(left) is not None and _LIST_NUMBER.match(text, end) is not None
    )


def number_value(digits: str) -> float | None:
    """Read a number without a sign; null where its points and commas read in two ways, as in `1,234`."""
    if _PLAIN.fullmatch(digits):
        return float(digits)
    if _THOUSANDS.fullmatch(digits):
        return float(digits.replace(",", ""))
    if _APOSTROPHES.fullmatch(digits):
        return float(re.sub("['\u2019]", "", digits))
    if _POINTS.fullmatch(digits):
        return float(digits.replace(".", "").replace(",", "."))
    return float(digits.replace(",", ".")) if _DECIMAL_COMMA.fullmatch(digits) else None


def _is_calculated(text: str, left: str, end: int) -> bool:
    return _CALCULATES_BEFORE.search(left) is not None or _CALCULATES_AFTER.match(text, end) is not None


def _in_tuple(text: str, hit: re.Match[str]) -> bool:
    """Say whether a comma between brackets may as well part two numbers: "(12,5)"."""
    return (
        "," in hit[0]
        and text[hit.start() - 1 : hit.start()] in ("(", "[")
        and text[hit.end() : hit.end() + 1] in (")", "]")
    )


def _sign(left: str, unit: Unit) -> tuple[int, int]:
    """Read the sign before a number.

    Returns:
        1 or -1, or 0 where it is not clear whether there is one, and how many characters it takes.
    """
    word = _SIGN_WORD.search(left)
    if word:
        doubtful = _PLUS_OR.search(left, 0, word.start())
        return (0 if doubtful else -1 if word[1].lower() in ("minus", "negative") else 1), len(word[0])
    bare = left.rstrip(" \t")
    mark, before = bare[-1:], bare[:-1]
    spaced = len(left) > len(bare)
    if mark == "\u2212":
        subtracts = before[-1:].isalnum() or before.rstrip()[-1:].isdecimal()
        return (0 if subtracts else -1), len(left) - len(before)
    if mark == "+" and not spaced:
        return (1 if _CUES_OF_SIGN.search(before) else 0), 1
    if mark not in "-\u2010\u2013\u2014" or not mark:
        return 1, 0
    return _dash(mark, before, unit, spaced=spaced), len(left) - len(before)


def _dash(mark: str, before: str, unit: Unit, *, spaced: bool) -> int:
    """Say whether a dash before a number is a minus (-1), parts it from what stands before (1), or is unclear (0)."""
    if not spaced and mark != "\u2014":
        return -1 if _CUES_OF_SIGN.search(before) and not before.rstrip().endswith(("-", "\u2013")) else 0
    parts = before[-1:] in ("", "\n") or (before[-1:] == " " and before.rstrip()[-1:].isalpha())
    if mark == "\u2014":
        parts = parts or before[-1:].isalpha()
    return 1 if parts and unit == "metres" else 0


def _without_compounds(text: str, found: list[Quantity]) -> list[Quantity]:
    """Mark numbers that only white space parts as malformed: "5 ft 10 in", "1 234"."""
    kept = list(found)
    for place in range(1, len(found)):
        before, after = found[place - 1], found[place]
        if before.kind != "label" and after.kind != "label" and not text[before.end : after.start].strip(" \t"):
            kept[place - 1] = before._replace(kind="malformed", value=None)
            kept[place] = after._replace(kind="malformed", value=None)
    return kept
