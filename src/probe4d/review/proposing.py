"""Has a vision-language model check references against the frames, so that no reply is lost (STRIDE, App. A.6.2)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.fingerprints import REFERENCED_BY, references_fingerprint
from probe4d.models.asking import ask_all
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.models.opening import opening_of
from probe4d.models.reply_log import ReplyLog
from probe4d.models.request import Model, Reply, Request
from probe4d.models.secrets import Redactor, without_secrets
from probe4d.review.preparing import OF_PROPOSALS, prepare_proposals
from probe4d.review.proposal_replies import prompt_digest, read_proposal_reply
from probe4d.review.proposals import (
    PROPOSALS_FILE,
    RECORD_FILE,
    ProposalError,
    ProposalReply,
    Proposals,
    ProposalsRecord,
)
from probe4d.review.sheet import SHOWN
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.opening import open_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.requests import evidence_digest
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import digest
from probe4d.store.job_folder import hold_folder

__all__ = ["propose_references"]


def propose_references(
    benchmark: Benchmark,
    out: Path | str,
    *,
    model: str | Model,
    scenes: Scenes | None = None,
    but: Collection[str] = (),
    evidence: EvidencePlan = SHOWN,
    generation: Generation = OF_PROPOSALS,
    base_url: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    course: Course | None = None,
    begun: Callable[[int, int], object] | None = None,
    done: Callable[[ProposalReply], object] | None = None,
) -> Proposals:
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
    prepared = prepare_proposals(
        benchmark, scenes=scenes, but=but, evidence=evidence, generation=generation, arguments=given
    )
    questions = prepared.questions
    record = ProposalsRecord(
        benchmark=benchmark.fingerprint,
        references=references_fingerprint(benchmark.columns(*REFERENCED_BY)),
        questions=digest([question.id for question in questions]),
        model=model if isinstance(model, str) else model.name,
        parameters=without_secrets({"base_url": base_url, **given} if base_url is not None else given),
        generation=generation,
        evidence=prepared.evidence,
        prompt=prompt_digest(),
    )
    opened_with = RunPlan(base_url=base_url, arguments=given, generation=generation)
    opening = opening_of(model, lambda name: open_named(name, opened_with, course))
    with (
        opening,
        prepared.pictured.rendering(workers=course.workers) as renderer,
        hold_folder(out, RECORD_FILE, record, job="audit"),
    ):
        log = _log(out, base_url, done)
        remaining = [question for question in questions if question.id not in log.lines]
        if begun is not None:
            begun(len(questions), len(questions) - len(remaining))
        if remaining:
            requests = prepared.requests(remaining, renderer=renderer)
            ask_all(opening.take(), requests, log, answered=bool(log.lines))
        log.put_into_order([question.id for question in questions])
    return Proposals(replies=log.lines, errors=log.errors)


def _log(folder: Path, base_url: str | None, done: Callable[[ProposalReply], object] | None) -> ReplyLog[ProposalReply]:
    redact = Redactor(addresses=() if base_url is None else (base_url,))
    return ReplyLog(
        folder,
        PROPOSALS_FILE,
        ProposalReply,
        key_of=lambda line: line.question,
        line_of=lambda request, reply: _line(redact, request, reply),
        error_of=lambda key, failure: ProposalError(question=key, error=failure),
        done=done,
    )


def _line(redact: Redactor, request: Request, reply: Reply) -> ProposalReply:
    found = read_proposal_reply(reply.text, finish_reason=reply.finish_reason)
    return ProposalReply(
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
