"""Has a vision-language model check references against the frames, so that no reply is lost (STRIDE, App. A.6.2).

An audit's folder holds `audit.json` (what was asked), `proposals.jsonl` (every reply as it came, with its verdict or
the reason why there is none) and `errors.jsonl` (requests without a reply).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Literal

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark, references_fingerprint
from probe4d.benchmarks.question import Question, questions_from
from probe4d.errors import InputError
from probe4d.evidence.rendering import Renderer
from probe4d.models.asking import Finished, ask_all, close_model
from probe4d.models.generation import Generation, refuse_keys
from probe4d.models.reply_log import ERRORS_FILE, ReplyLog
from probe4d.models.request import Model, Reply, Request
from probe4d.models.secrets import Redactor, without_secrets
from probe4d.review.audit_replies import audit_prompt, prompt_digest, read_audit_reply
from probe4d.review.decisions import Proposal
from probe4d.review.sheet import SHOWN
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.opening import open_named
from probe4d.runs.plan import Course, RunPlan
from probe4d.runs.prepared import Prepared, prepare
from probe4d.runs.requests import evidence_digest, rendered
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import digest
from probe4d.store.job_folder import hold_folder
from probe4d.store.logs import read_log
from probe4d.store.records import read_versioned

__all__ = ["Audit", "AuditReply", "audit_references", "read_audit"]

RECORD_FILE = "audit.json"
PROPOSALS_FILE = "proposals.jsonl"

_GENERATION = Generation(temperature=0.0, seed=42, max_tokens=4096)


class AuditReply(msgspec.Struct, frozen=True, kw_only=True):
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


class AuditError(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `errors.jsonl`: a question whose reference was not checked, and why."""

    question: str
    error: str


class _Record(msgspec.Struct, frozen=True, kw_only=True):
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


class Audit(msgspec.Struct, frozen=True, kw_only=True):
    """An audit in memory.

    Attributes:
        replies: What was replied, by the question's id.
        errors: Why a question got no reply, by its id.
        warnings: What was odd and did no harm, as sentences.
    """

    replies: dict[str, AuditReply]
    errors: dict[str, str] = {}
    warnings: tuple[str, ...] = ()

    @property
    def proposals(self) -> dict[str, Proposal]:
        """What it says of references, for a sheet; a reply without a verdict proposes nothing."""
        return {
            name: Proposal(verdict=one.verdict, reason=one.reason, text=one.replacement)
            for name, one in self.replies.items()
            if one.verdict is not None
        }


def audit_references(
    benchmark: Benchmark,
    out: Path | str,
    *,
    model: str | Model,
    scenes: Scenes | None = None,
    but: Collection[str] = (),
    evidence: EvidencePlan = SHOWN,
    generation: Generation = _GENERATION,
    base_url: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    course: Course | None = None,
    begun: Callable[[int, int], object] | None = None,
    done: Callable[[AuditReply], object] | None = None,
) -> Audit:
    """Have the references of open questions checked, or go on with that where an earlier call stopped.

    A reply without a verdict is kept and not asked for again. What the model proposes changes nothing until a person
    takes it in a sheet.

    Args:
        benchmark: The questions.
        out: Folder of the audit, new or that of the same audit.
        model: inspect-ai name of the model, or anything that answers requests.
        scenes: The scenes that pictures are taken from; without them it sees none.
        but: Ids of questions that are left out, such as those that people scored.
        evidence: What it is shown, where scenes are given.
        generation: Generation options; the seed draws the delimiters of the quoted references, too.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
        course: Requests at once, repetitions, time; null takes the usual ones.
        begun: Told how many references are checked, and how many of them were before.
        done: Told of each reply once it is on disk, in another thread.

    Raises:
        InputError: There is no open question, the model or the evidence cannot be had, or the folder holds something
            else.
        RunError: Asking came to an end before all was checked; what was checked is kept.
    """
    out, course, given = Path(out), course or Course(), dict(arguments or {})
    refuse_keys(given, generation)
    table = benchmark.table.filter((pl.col("format") == "text") & ~pl.col("id").is_in(list(but)))
    if not table.height:
        raise InputError(
            "holds no open question whose reference is to be checked.",
            path=benchmark.path,
            remedy="Give a benchmark with questions of the format text that nobody scored.",
        )
    shown = evidence if scenes is not None else EvidencePlan()
    questions = questions_from(table)
    prepared = prepare(Benchmark(table, benchmark.record), RunPlan(evidence=shown), scenes=scenes)
    record = _Record(
        benchmark=benchmark.fingerprint,
        references=references_fingerprint(benchmark.table),
        questions=digest([question.id for question in questions]),
        model=model if isinstance(model, str) else model.name,
        parameters=without_secrets({"base_url": base_url, **given} if base_url is not None else given),
        generation=generation,
        evidence=shown,
        prompt=prompt_digest(),
    )
    with ExitStack() as unasked, prepared.rendering(workers=course.workers) as renderer:
        if isinstance(model, str):  # before a folder is made, so that a wrong name leaves none
            model = open_named(model, RunPlan(base_url=base_url, arguments=given, generation=generation), course)
            unasked.callback(close_model, model)
        with hold_folder(out, RECORD_FILE, record, job="audit"):
            log = _log(out, base_url, done)
            remaining = [question for question in questions if question.id not in log.lines]
            if begun is not None:
                begun(len(questions), len(questions) - len(remaining))
            if remaining:
                unasked.pop_all()  # from here on asking closes it
                requests = _requests(prepared, remaining, generation.seed, renderer)
                ask_all(model, requests, log, answered=bool(log.lines))
            log.put_into_order([question.id for question in questions])
    return Audit(replies=log.lines, errors=log.errors)


def read_audit(path: Path | str, benchmark: Benchmark) -> Audit:
    """Read the folder of an audit, be it complete or not.

    Raises:
        InputError: The folder or its record is missing, it is of another benchmark or other references, a line is no
            record, or a question is checked that the benchmark lacks.
    """
    path = Path(path)
    remedy = "Give a folder that `probe4d review audit` wrote."
    record = read_versioned(path / RECORD_FILE, _Record, 1, what="an audit", remedy=remedy)
    if record.benchmark != benchmark.fingerprint:
        raise InputError(
            f"checks another benchmark ({record.benchmark[:12]}…, not {benchmark.fingerprint[:12]}…).",
            path=path / RECORD_FILE,
            remedy="Give the benchmark that it was made of.",
        )
    if record.references != references_fingerprint(benchmark.table):
        raise InputError(
            "checks other references than the benchmark has now.",
            path=path / RECORD_FILE,
            remedy="Audit it again, into another folder; or give the benchmark as it was then.",
        )
    warnings: list[str] = []
    replies = {line.question: line for _, line in read_log(path / PROPOSALS_FILE, AuditReply, warnings)}
    errors = {line.question: line.error for _, line in read_log(path / ERRORS_FILE, AuditError, warnings)}
    known = set(benchmark.table["id"])
    for name in (*replies, *errors):
        if name not in known:
            raise InputError(f"checks question {name}, which the benchmark lacks.", path=path, remedy=remedy)
    return Audit(
        replies=replies,
        errors={name: error for name, error in errors.items() if name not in replies},
        warnings=tuple(warnings),
    )


def _log(folder: Path, base_url: str | None, done: Callable[[AuditReply], object] | None) -> ReplyLog[AuditReply]:
    redact = Redactor(addresses=() if base_url is None else (base_url,))
    return ReplyLog(
        folder,
        PROPOSALS_FILE,
        AuditReply,
        key_of=lambda line: line.question,
        line_of=lambda request, reply: _line(redact, request, reply),
        error_of=lambda key, failure: AuditError(question=key, error=failure),
        done=done,
    )


def _line(redact: Redactor, request: Request, reply: Reply) -> AuditReply:
    found = read_audit_reply(reply.text, finish_reason=reply.finish_reason)
    return AuditReply(
        question=request.key,
        verdict=found.verdict,
        reason=found.reason,
        replacement=redact(found.replacement),  # in JSON a key may have gone unseen
        fault=found.fault,
        text=reply.text,
        finish_reason=reply.finish_reason,
        model=reply.model,
        evidence=evidence_digest(request.images),
        tokens=reply.tokens,
        seconds=reply.seconds,
    )


def _requests(
    prepared: Prepared, questions: Sequence[Question], seed: int | None, renderer: Renderer | None
) -> Iterator[Request | Finished]:
    """A request for each question, its pictures rendered ahead; one whose pictures cannot be shown has failed."""
    left_out = {one.question: one.detail or one.reason for one in prepared.left_out}
    asked = []
    for question in questions:
        if (reason := left_out.get(question.id)) is None:
            asked.append((question, prepared.shown.of[question.id].pictures))
        else:
            yield Finished(Request(key=question.id, text=""), None, f"its evidence cannot be shown: {reason}")
    for question, images in rendered(asked, renderer):
        text = audit_prompt(question, seed=seed or 0, preamble=prepared.shown.of[question.id].preamble)
        request = Request(key=question.id, text=text, seed=seed)
        if isinstance(images, InputError):
            yield Finished(request, None, str(images))
        else:
            yield msgspec.structs.replace(request, images=images)
