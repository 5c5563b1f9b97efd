"""The part of a reply behind its thoughts, where what is read is free text."""

from __future__ import annotations

import re

__all__ = ["after_thoughts"]

_OPENED = re.compile(r"<think>", re.IGNORECASE)
_CLOSED = re.compile(r"</think>", re.IGNORECASE)


def after_thoughts(text: str) -> str:
    """What stands after the last `</think>`, without blanks at its ends (STRIDE, App. C.3).

    A thought that is opened after that and never closed is left out with all that follows, so that a reply which was
    cut while thinking leaves nothing.
    """
    closed = 0
    for tag in _CLOSED.finditer(text):
        closed = tag.end()
    behind = text[closed:]
    opened = _OPENED.search(behind)
    return (behind if opened is None else behind[: opened.start()]).strip()
