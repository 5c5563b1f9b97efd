"""The strict parser of the LiDAR-Hallu release, rule for rule, for comparison with its published figures."""

from __future__ import annotations

import re
from collections.abc import Sequence

from probe4d.diagnosis.parsing.parsed import Parsed, unread

__all__ = ["parse_choice", "parse_yes_no"]

_YES_NO = re.compile(r"(yes|no)(?=$|[\s.!?,:;])", re.IGNORECASE)
_LEADING = re.compile(r"[(\[]?([a-d])(?=$|[\s)\].:-])", re.IGNORECASE)
_DECLARED = re.compile(r"(?:the\s+)?(?:option|answer|choice)\s*(?:is\b|:|-)\s*([a-d])\b", re.IGNORECASE)
_EDGES = " \t\r\n.,;:!?\"'`*()[]{}"


def parse_yes_no(text: str, options: Sequence[str], cut: bool) -> Parsed:
    """Accept a reply that starts with yes or no, ended by white space or `. ! ? , : ;` (paper, section IV)."""
    match = _YES_NO.match(text.strip())
    return Parsed("valid", match[1].capitalize()) if match else unread(text, cut)


def parse_choice(text: str, options: Sequence[str], cut: bool) -> Parsed:
    """Accept a leading letter, else a leading declaration, else exactly one option's text (paper, section IV).

    The release's false readings are kept: the article of "A bus ..." is option A.
    """
    stripped = text.strip()
    match = _LEADING.match(stripped) or _DECLARED.match(stripped)
    if match:
        letter = match[1].upper()
        return Parsed("valid", letter) if ord(letter) - ord("A") < len(options) else unread(text, cut)
    reply = _plain(stripped)
    named = [index for index, option in enumerate(options) if _plain(option) == reply]
    return Parsed("valid", chr(ord("A") + named[0])) if len(named) == 1 and reply else unread(text, cut)


def _plain(text: str) -> str:
    return " ".join(text.lower().strip(_EDGES).split())
