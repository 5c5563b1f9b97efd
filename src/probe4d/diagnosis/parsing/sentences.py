"""The sentence around a place in a reply, of bounded length, so that no reply is slow to read."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import NamedTuple

from probe4d.diagnosis.parsing.number_contexts import SENTENCE_END

__all__ = ["Around", "Sentences"]

_LONGEST = 300
"""Characters of a sentence on either side of a place that are looked at."""


class Around(NamedTuple):
    """What stands around a place in its sentence.

    Attributes:
        before: The sentence up to the place.
        after: The rest of it, without what ends it.
        asked: Whether it is a question.
    """

    before: str
    after: str
    asked: bool


class Sentences:
    """The sentences of a reply."""

    def __init__(self, reply: str) -> None:
        self._reply = reply
        ends = list(SENTENCE_END.finditer(reply))
        self._starts = [0, *(hit.end() for hit in ends)]
        self._ends = [hit.start() for hit in ends]
        self._asked = [hit[0] in "?\uff1f" for hit in ends]

    def around(self, start: int, end: int) -> Around:
        """What stands before and after a place, from its first character to the one behind its last."""
        opening = self._starts[bisect_right(self._starts, start) - 1]
        ended = bisect_left(self._ends, end)
        closing = self._ends[ended] if ended < len(self._ends) else len(self._reply)
        return Around(
            self._reply[max(opening, start - _LONGEST) : start],
            self._reply[end : min(closing, end + _LONGEST)],
            ended < len(self._ends) and self._asked[ended],
        )
