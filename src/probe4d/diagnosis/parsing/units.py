"""Units of lengths and angles as replies write them, and what each is worth in the unit asked for."""

from __future__ import annotations

import math
import re
from typing import Literal

__all__ = ["UNITS", "Unit", "other_unit_after", "unit_after"]

Unit = Literal["metres", "degrees"]

UNITS: tuple[Unit, ...] = ("metres", "degrees")

_FACTORS: dict[Unit, dict[str, float]] = {
    "metres": {
        r"m|(?i:met(?:er|re)s?|metern?|metros?|m\u00e8tres?|metri)|\u043c": 1.0,
        r"km|KM|(?i:kilomet(?:er|re)s?)": 1000.0,
        r"dm|(?i:decimet(?:er|re)s?)": 0.1,
        r"cm|CM|(?i:centimet(?:er|re)s?)": 0.01,
        r"mm|MM|(?i:millimet(?:er|re)s?)": 0.001,
        r"(?i:ft|foot|feet)": 0.3048,
        r"(?i:yds?|yards?)": 0.9144,
        r"(?i:inch(?:es)?)|in(?=\.?\s*$)": 0.0254,  # "in" within a sentence is no inch
        r"(?i:miles?)": 1609.344,
    },
    "degrees": {
        r"\u00b0|(?i:degrees?|degs?|grade?|gradi|degr\u00e9s?|grados?)": 1.0,
        r"(?i:rad|radians?)": math.degrees(1.0),
    },
}
_UNSPACED: dict[Unit, str] = {
    "metres": r"\u7c73|\u516c\u5c3a|\u30e1\u30fc\u30c8\u30eb|\ubbf8\ud130",
    "degrees": r"\u5ea6",
}
"""Units of scripts that put no space between words; all are worth 1."""

_GAP = r"[ \t]{0,3}(?:[-\u2010](?=[A-Za-z]))?"
_RATE = r"(?!\.[A-Za-z])(?![ \t]{0,2}(?:/|\^|(?:per|pro|every|each|squared?|cubed?)\b))"
_NO_UNIT_OF_LENGTH = r"(?![0-9\w^/\u00b0%$])"
_OF_TEMPERATURE = r"(?![ \t]{0,2}(?:[CFK]|celsius|fahrenheit|centigrade|kelvin)\b)"
_ENDS = {
    "metres": _NO_UNIT_OF_LENGTH + _RATE,
    "degrees": _NO_UNIT_OF_LENGTH + _RATE + rf"(?i:{_OF_TEMPERATURE})",
}


def _pattern(unit: Unit) -> re.Pattern[str]:
    spaced = "|".join(f"({names})" for names in _FACTORS[unit])
    return re.compile(rf"{_GAP}(?:(?:{spaced}){_ENDS[unit]}|({_UNSPACED[unit]})(?![/\u6bcf\u65b9]))")


_PATTERNS = {unit: _pattern(unit) for unit in UNITS}
_WORTH = {unit: (*_FACTORS[unit].values(), 1.0) for unit in UNITS}

_OTHER_UNIT = re.compile(
    r"[A-Za-z\u00b5%\u2030\u20ac\u00a3$]"  # a letter that touches a number makes a unit, perhaps of nothing: "12k"
    r"|[ \t]{0,3}[-\u2010]?(?:[%\u00b0]|(?:s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|ms|kmh|kph|mph|hz|kg"
    r"|g|tons?|tonnes?|px|pixels?|percent|per cent|points?|frames?|square|cubic|sq|units?|times|million|thousand"
    r"|hundred|billion|dollars?|k|m|km|cm|mm|met(?:er|re)s?|miles?|feet|ft|degrees?|rad|radians?)\b)",
    re.IGNORECASE,
)


def unit_after(text: str, place: int, unit: Unit) -> tuple[int, float] | None:
    """Find a unit of the right kind after a number.

    Returns:
        Where it ends, and what 1 of it is worth in the unit asked for; null where there is none.
    """
    hit = _PATTERNS[unit].match(text, place)
    return (hit.end(), _WORTH[unit][(hit.lastindex or 1) - 1]) if hit else None


def other_unit_after(text: str, place: int) -> bool:
    """Say whether a unit of another kind follows a number that no unit of the right kind follows."""
    return _OTHER_UNIT.match(text, place) is not None
