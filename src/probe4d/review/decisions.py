"""The decisions of one person on a sheet, as the page downloads them."""

from __future__ import annotations

from collections.abc import Container, Iterable
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.review.reasons import OF_ITEMS, OF_REFERENCES
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.store.records import read_versioned

__all__ = ["Decisions", "ItemDecision", "Mode", "Proposal", "TemplateDecision", "read_decisions"]

Mode = Literal["review", "answer"]

Score = Annotated[int, msgspec.Meta(ge=0, le=10)]


class Proposal(msgspec.Struct, frozen=True, kw_only=True):
    """What an audit proposed for a reference, and whether it is taken.

    Attributes:
        verdict: What the audit says of the reference.
        reason: A name of `OF_REFERENCES`; null where it is consistent.
        text: The replacement that it proposes.
        decision: Whether a person takes it; null where nobody decided.
    """

    verdict: Literal["consistent", "inconsistent"]
    reason: str | None = None
    text: str = ""
    decision: Literal["take", "refuse"] | None = None


class ItemDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided on a question, or answered to it.

    Attributes:
        verdict: Whether a template that all questions are like could be kept.
        reason: Why not, a name of `OF_ITEMS`.
        note: What there is to say of it.
        score: How good the answer shown is, 0 to 10; of the reference where no answer is shown.
        text: A corrected or revised reference.
        reference: The reference of an open question that the sheet showed; null of other questions.
        shown_answer: The model's answer that the sheet showed; null without.
        proposal: What an audit proposed; null without.
        answer: The person's own answer: a letter, `Yes`, `No`, or `CANNOT_TELL`.
    """

    verdict: Literal["keep", "reject"] | None = None
    reason: str | None = None
    note: str = ""
    score: Score | None = None
    text: str = ""
    reference: str | None = None
    shown_answer: str | None = None
    proposal: Proposal | None = None
    answer: str | None = None


class TemplateDecision(msgspec.Struct, frozen=True, kw_only=True):
    """What was decided on a whole template, whatever its questions say.

    Attributes:
        verdict: Whether it stays; null leaves that to the questions.
        reason: Why not, a name of `OF_ITEMS`.
        note: What there is to say of it.
    """

    verdict: Literal["keep", "remove"] | None = None
    reason: str | None = None
    note: str = ""


class Decisions(msgspec.Struct, frozen=True, kw_only=True):
    """Content of a decisions file.

    Attributes:
        sheet: Identity of the sheet.
        benchmark: Fingerprint of the benchmark.
        mode: Whether questions were reviewed or answered.
        reviewer: Name of the person.
        answers_of: Run whose answers the sheet showed, with the name of its model; null without.
        evidence: What the sheet showed with each question.
        asked: Ids of the sheet's questions, in its order.
        templates: Decisions on whole templates, by name.
        items: Decisions on questions, by id.
        version: Version of this layout.
    """

    sheet: str
    benchmark: str
    mode: Mode
    reviewer: str = ""
    answers_of: str | None = None
    evidence: EvidencePlan = EvidencePlan()
    asked: tuple[str, ...]
    templates: dict[str, TemplateDecision] = {}
    items: dict[str, ItemDecision] = {}
    version: int = 1


def read_decisions(path: Path | str, benchmark: Benchmark, *, mode: Mode) -> Decisions:
    """Read a decisions file and see that it is of this benchmark.

    Args:
        path: The file that the page downloaded.
        benchmark: The benchmark that the sheet was made of.
        mode: What the file is to hold.

    Raises:
        InputError: The file cannot be read, is of another benchmark or mode, or names a question, template or reason
            that there is not.
    """
    path = Path(path)
    remedy = "Give the file that the page of `probe4d review` downloads."
    found = read_versioned(path, Decisions, 1, what="decisions on a benchmark", remedy=remedy)
    if found.benchmark != benchmark.fingerprint:
        raise InputError(
            f"decides on another benchmark ({found.benchmark[:12]}…, not {benchmark.fingerprint[:12]}…).",
            path=path,
            remedy="Give the benchmark that the sheet was made of.",
        )
    if found.mode != mode:
        held = {"review": "decisions on questions", "answer": "answers to questions"}
        verb = {"review": "probe4d review apply", "answer": "probe4d review run"}
        raise InputError(
            f"holds {held[found.mode]}, not {held[mode]}.", path=path, remedy=f"Give it to `{verb[found.mode]}`."
        )
    _refuse_unknown(found, benchmark, path)
    return found


def _refuse_unknown(decisions: Decisions, benchmark: Benchmark, path: Path) -> None:
    """Refuse names that nothing goes by."""
    known = benchmark.columns("id", "template")
    ids, templates = set(known["id"]), set(known["template"].unique())
    _refuse(path, "question", [*decisions.asked, *decisions.items], ids)
    _refuse(path, "template", decisions.templates, templates)
    given = [one.reason for one in decisions.items.values()] + [one.reason for one in decisions.templates.values()]
    _refuse(path, "reason", filter(None, given), OF_ITEMS)
    proposals = [one.proposal for one in decisions.items.values() if one.proposal is not None]
    _refuse(path, "reason of an audit", [one.reason for one in proposals if one.reason], OF_REFERENCES)


def _refuse(path: Path, what: str, named: Iterable[str], known: Container[str]) -> None:
    for name in named:
        if name not in known:
            raise InputError(f"names the {what} {name!r}, which there is not.", path=path, remedy="Do not edit it.")
