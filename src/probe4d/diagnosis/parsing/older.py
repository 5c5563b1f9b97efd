"""The first parser of the LiDAR-Hallu release, since corrected, to show how many records the correction changed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from probe4d.diagnosis.parsing.parsed import Parsed, unread

__all__ = ["parse_choice", "parse_yes_no"]

_YES_NO = re.compile(r"(yes|no)(?=$| )")
_LONE = re.compile(r"\b[a-d]\b")
_EDGES = " \t\r\n.,;:!?\"'`*()[]{}"


def parse_yes_no(text: str, options: Sequence[str], cut: bool) -> Parsed:
    """Accept yes or no alone, or followed by a space, after punctuation is trimmed from both ends."""
    match = _YES_NO.match(text.lower().strip(_EDGES))
    return Parsed("valid", match[1].capitalize()) if match else unread(text, cut)


def parse_choice(text: str, options: Sequence[str], cut: bool) -> Parsed:
    """Accept any reply that starts with one of the letters, else a lone letter, else one option's text within it."""
    reply = text.lower().strip(_EDGES)
    letters = "abcd"[: len(options)]
    if reply and reply[0] in letters:
        return Parsed("valid", reply[0].upper())
    lone = [letter for letter in _LONE.findall(reply) if letter in letters]
    if len(lone) == 1:
        return Parsed("valid", lone[0].upper())
    named = [index for index, option in enumerate(options) if option and option.lower() in reply]
    return Parsed("valid", chr(ord("A") + named[0])) if len(named) == 1 else unread(text, cut)
