"""What a model proposes for references, on disk (STRIDE, App. A.6.2).

The folder of an audit holds `audit.json` (what was asked), `proposals.jsonl` (every reply as it came, with its verdict
or the reason why there is none) and `errors.jsonl` (requests without a reply).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import msgspec

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.fingerprints import REFERENCED_BY, references_fingerprint
from probe4d.errors import InputError
from probe4d.models.generation import Generation
from probe4d.models.reply_log import ERRORS_FILE
from probe4d.review.decisions import Proposal
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.store.logs import read_log
from probe4d.store.records import read_versioned

__all__ = [
    "PROPOSALS_FILE",
    "RECORD_FILE",
    "ProposalError",
    "ProposalReply",
    "Proposals",
    "ProposalsRecord",
    "read_proposals",
]

RECORD_FILE = "audit.json"
PROPOSALS_FILE = "proposals.jsonl"


class ProposalReply(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `proposals.jsonl`.

    Attributes:
        question: Id of the question.
        verdict: Whether its reference agrees with the frames; null where the reply does not say.
        reason: Why not, a name of `OF_REFERENCES`.
        replacement: The reference proposed; empty unless it is inconsistent.
        fault: Why there is no verdict.
        text: The reply as it came.
        finish_reason: Why generation ended, as the provider says.
        model: Name and version of the model as the server says.
        evidence: Hash of what it was shown; null without evidence.
        tokens: Tokens generated.
        seconds: Time of the call.
    """

    question: str
    verdict: Literal["consistent", "inconsistent"] | None
    reason: str | None = None
    replacement: str = ""
    fault: str | None = None
    text: str
    finish_reason: str | None = None
    model: str | None = None
    evidence: str | None = None
    tokens: int | None = None
    seconds: float | None = None


class ProposalError(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `errors.jsonl`: a question whose reference was not checked, and why."""

    question: str
    error: str


class ProposalsRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Content of `audit.json`.

    Attributes:
        benchmark: Fingerprint of the benchmark.
        references: SHA-256 of all its references of free text (see `references_fingerprint`).
        questions: SHA-256 of the ids of the questions whose references are checked.
        model: Name of the model.
        parameters: What it was opened with.
        generation: Generation options; their seed draws the delimiters of the quoted references, too.
        evidence: What it is shown.
        prompt: SHA-256 of what all requests have in common.
        version: Version of this layout.
    """

    benchmark: str
    references: str
    questions: str
    model: str
    parameters: dict[str, Any]
    generation: Generation
    evidence: EvidencePlan
    prompt: str
    version: int = 1


class Proposals(msgspec.Struct, frozen=True, kw_only=True):
    """What a model proposes for references, in memory.

    Attributes:
        replies: What was replied, by the question's id.
        errors: Why a question got no reply, by its id.
        warnings: What was odd and did no harm, as sentences.
    """

    replies: dict[str, ProposalReply]
    errors: dict[str, str] = {}
    warnings: tuple[str, ...] = ()

    @property
    def by_question(self) -> dict[str, Proposal]:
        """What a sheet shows of them, by the question's id; a reply without a verdict proposes nothing."""
        return {
            name: Proposal(verdict=one.verdict, reason=one.reason, text=one.replacement)
            for name, one in self.replies.items()
            if one.verdict is not None
        }


def read_proposals(path: Path | str, benchmark: Benchmark) -> Proposals:
    """Read the folder of an audit, be it complete or not.

    Raises:
        InputError: The folder or its record is missing, it is of another benchmark or other references, a line is no
            record, or a question is checked that the benchmark lacks.
    """
    path = Path(path)
    remedy = "Give a folder that `probe4d review audit` wrote."
    record = read_versioned(path / RECORD_FILE, ProposalsRecord, 1, what="an audit", remedy=remedy)
    if record.benchmark != benchmark.fingerprint:
        raise InputError(
            f"checks another benchmark ({record.benchmark[:12]}…, not {benchmark.fingerprint[:12]}…).",
            path=path / RECORD_FILE,
            remedy="Give the benchmark that it was made of.",
        )
    if record.references != references_fingerprint(benchmark.columns(*REFERENCED_BY)):
        raise InputError(
            "checks other references than the benchmark has now.",
            path=path / RECORD_FILE,
            remedy="Audit it again, into another folder; or give the benchmark as it was then.",
        )
    warnings: list[str] = []
    replies = {line.question: line for _, line in read_log(path / PROPOSALS_FILE, ProposalReply, warnings)}
    errors = {line.question: line.error for _, line in read_log(path / ERRORS_FILE, ProposalError, warnings)}
    known = set(benchmark.columns("id")["id"])
    for name in (*replies, *errors):
        if name not in known:
            raise InputError(f"checks question {name}, which the benchmark lacks.", path=path, remedy=remedy)
    return Proposals(
        replies=replies,
        errors={name: error for name, error in errors.items() if name not in replies},
        warnings=tuple(warnings),
    )
