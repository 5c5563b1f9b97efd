"""`chain-of-thought`: reasoning first, then a line with the answer (NuScenes-SpatialQA, App. F)."""

from __future__ import annotations

import re

from probe4d.runs.settings.setting import Setting

__all__ = ["CHAIN_OF_THOUGHT", "ChainOfThought"]

_GAP = r"[ \t]{0,8}"  # bounded, so that no reply of blanks is searched for long
_LINE_START = rf"^{_GAP}(?:[>#\-+\u2022*|]{{1,6}}[ \t]{_GAP})?(?:\d{{1,2}}[.)]{_GAP})?"
_ANSWER = rf"[*_`]{{0,3}}(?:the[ \t]{_GAP})?(?:(?:final|correct)[ \t]{_GAP})?answer{_GAP}[*_`]{{0,3}}"
_MARKER = re.compile(
    # "Answer:", "**Final answer**:" or, as a heading over the answer, "## Answer" and "**Answer**".
    rf"{_LINE_START}{_ANSWER}{_GAP}(?:is{_GAP})?(?:[:\uff1a]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_EDGES = " \t\r\n*_`"


class ChainOfThought(Setting):
    """A setting whose replies reason before they answer."""

    def answer_part(self, text: str) -> str:
        """What follows the last line that begins with `Answer:`, in any case and Markdown; all where there is none.

        A marker that nothing follows, as where a reply says `Answer:` once more at its end, gives way to the one
        before it; if nothing follows any, the part is empty.
        """
        ends = [marker.end() for marker in _MARKER.finditer(text)]
        if not ends:
            return text
        return next(filter(None, (text[end:].strip(_EDGES) for end in reversed(ends))), "")


CHAIN_OF_THOUGHT = ChainOfThought("chain-of-thought", wording="chain-of-thought", hints={"max_tokens": 2048})
