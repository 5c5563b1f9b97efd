"""What takes an answer back that a reply gave before, in replies whose prose may turn without a change of mind."""

from __future__ import annotations

import re

from probe4d.diagnosis.parsing import doubts

__all__ = ["withdrawn"]

_MISTAKEN = re.compile(
    r"\b(?:wrong|incorrect\w*|mistaken?|not sure|unsure|reconsider|ignore (?:that|this))\b", re.IGNORECASE
)


def withdrawn(reply: str, place: int) -> bool:
    """Say whether what follows a place in a reply withdraws, corrects or doubts what it said before."""
    patterns = (doubts.CORRECTION, doubts.WITHDRAWAL, _MISTAKEN)
    return any(pattern.search(reply, place) is not None for pattern in patterns)
