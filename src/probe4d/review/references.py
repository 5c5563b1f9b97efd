"""What becomes of the references of open questions: scored answers replace or correct them (STRIDE, App. A.6.2)."""

from __future__ import annotations

from typing import Literal

import msgspec

from probe4d.review.decisions import ItemDecision

__all__ = ["Revised", "Source", "revised_text"]

_BEST = 10
_LEAST_CORRECTED = 7
"""Score from which the answer shown is good enough to be corrected; below, the reference is revised without it."""

Source = Literal["model answer", "corrected answer", "revised reference", "audit"]
_Unchanged = Literal["good as it is", "waits for a text", "consistent by the audit", "proposal refused", "not reviewed"]


class Revised(msgspec.Struct, frozen=True):
    """A new reference.

    Attributes:
        text: The text.
        source: Where it is from.
    """

    text: str
    source: Source


def revised_text(decision: ItemDecision | None) -> Revised | _Unchanged:
    """The new reference of an open question, or why it keeps its old one.

    Of an answer of a model that the sheet showed: at 10 it replaces the reference as it is; at 7 to 9 the corrected
    text given does; below, the revised text given. Of a score of the reference itself: at 10 it stays, below the text
    given replaces it. Without a score the proposal of an audit counts, where a person took it.

    Args:
        decision: What was decided; null where the question was not in the sheet, or nobody looked at it.
    """
    if decision is None:
        return "not reviewed"
    if decision.score is not None:
        return _scored(decision, decision.score)
    proposal = decision.proposal
    if proposal is None:
        return "not reviewed"
    if proposal.verdict == "consistent":
        return "consistent by the audit"
    if proposal.decision is None:
        return "not reviewed"
    if proposal.decision == "refuse":
        return "proposal refused"
    text = proposal.text.strip()
    return Revised(text, "audit") if text else "waits for a text"


def _scored(decision: ItemDecision, score: int) -> Revised | _Unchanged:
    shown, text = decision.shown_answer, decision.text.strip()
    if score == _BEST:
        return "good as it is" if shown is None else Revised(shown, "model answer")
    if not text:
        return "waits for a text"
    return Revised(text, "corrected answer" if shown is not None and score >= _LEAST_CORRECTED else "revised reference")
