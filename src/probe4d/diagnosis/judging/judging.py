"""Asks a model to judge the free answers of a run, so that no verdict is ever lost (STRIDE, App. A.5, C.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.diagnosis.judging.candidates import references_digest
from probe4d.diagnosis.judging.judgements import (
    JUDGEMENTS_FILE,
    RECORD_FILE,
    JudgeError,
    Judgement,
    Judgements,
    JudgeRecord,
    read_judgements,
)
from probe4d.diagnosis.judging.plan import JudgePlan
from probe4d.diagnosis.judging.prepared import Candidate, PreparedJudging, prepare_judging
from probe4d.diagnosis.judging.prompts import prompt_fingerprint
from probe4d.diagnosis.judging.verdicts import read_verdict
from probe4d.errors import InputError
from probe4d.models.asking import ask_all
from probe4d.models.course import Course
from probe4d.models.opening import opening_of
from probe4d.models.reply_log import ReplyLog
from probe4d.models.request import Model, Reply, Request
from probe4d.models.secrets import Redactor, without_secrets
from probe4d.runs.opening import open_named
from probe4d.runs.plan import RunPlan
from probe4d.runs.requests import evidence_digest
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import digest
from probe4d.store.job_folder import hold_folder

__all__ = ["judge"]


def judge(
    benchmark: Benchmark,
    run: Run,
    out: Path | str,
    *,
    model: str | Model,
    plan: JudgePlan | None = None,
    scenes: Scenes | None = None,
    course: Course | None = None,
    begun: Callable[[int, int], object] | None = None,
    done: Callable[[Judgement], object] | None = None,
) -> Judgements:
    """Have the answers of a run to questions of free text judged, or go on with that where an earlier call stopped.

    The judge sees the question, what the run showed, the reference where the rubric has it, and the answer behind its
    thoughts, quoted. Answers that are empty, cut, refused or missing are not sent (see `candidates_of`). A reply that
    holds no verdict leaves its answer unscored and is not asked for again.

    Args:
        benchmark: The questions.
        run: Who answered them; of its variants the first is judged.
        out: Folder of the judgements, new or that of the same judging; it may have been begun before the run was
            finished.
        model: inspect-ai name of the judge, or anything that answers requests.
        plan: How they are judged; null judges by the usual rubric with the run's own evidence.
        scenes: The scenes that pictures are taken from.
        course: Requests at once, repetitions, time; null takes the usual ones.
        begun: Told how many answers are judged, and how many of them were before.
        done: Told of each judgement once it is on disk; never twice at once, and in another thread.

    Returns:
        The judgements as they lie on disk.

    Raises:
        InputError: The run does not fit the benchmark or has no answer to judge, the judge, rubric or evidence cannot
            be had, or the folder holds other judgements or such by other references.
        RunError: Asking came to an end before all was judged; what was judged is kept.
    """
    out, course = Path(out), course or Course()
    prepared = prepare_judging(benchmark, run, plan, scenes=scenes)
    record = _record(model, benchmark, run, prepared)
    candidates = prepared.candidates
    opening = opening_of(model, lambda name: open_named(name, _opening(prepared.plan), course))
    with (
        opening,
        prepared.rendering(workers=course.workers) as renderer,
        hold_folder(out, RECORD_FILE, record, job="judging"),
    ):
        log = _log(out, prepared, done)
        _refuse_other_answers(out, run, candidates, log.lines)
        remaining = [one for key, one in candidates.items() if key not in log.lines]
        if begun is not None:
            begun(len(candidates), len(candidates) - len(remaining))
        if remaining:
            ask_all(opening.take(), prepared.requests(remaining, renderer=renderer), log, answered=bool(log.lines))
        log.put_into_order(candidates)
    return read_judgements(out)


def _opening(plan: JudgePlan) -> RunPlan:
    """What opening the judge takes from its plan."""
    return RunPlan(base_url=plan.base_url, arguments=plan.arguments, generation=plan.generation)


def _record(model: str | Model, benchmark: Benchmark, run: Run, prepared: PreparedJudging) -> JudgeRecord:
    plan, rubric = prepared.plan, prepared.rubric
    name = model if isinstance(model, str) else model.name
    opened_with: dict[str, Any] = {} if plan.base_url is None else {"base_url": plan.base_url}
    arguments = without_secrets(dict(plan.arguments))
    return JudgeRecord(
        run=run.name,
        benchmark=run.record.benchmark,
        model=name,
        parameters=without_secrets(opened_with) | arguments,
        generation=plan.generation,
        rubric=rubric.name,
        highest=rubric.highest,
        evidence=prepared.evidence,
        prompt=prompt_fingerprint(rubric),
        references=references_digest(run, benchmark) if rubric.shows_reference else None,
        judge=digest([name, arguments, plan.generation]),
    )


def _log(folder: Path, prepared: PreparedJudging, done: Callable[[Judgement], object] | None) -> ReplyLog[Judgement]:
    base_url = prepared.plan.base_url
    redact = Redactor(addresses=() if base_url is None else (base_url,))
    return ReplyLog(
        folder,
        JUDGEMENTS_FILE,
        Judgement,
        key_of=lambda line: line.key,
        line_of=lambda request, reply: _judgement(prepared, redact, request, reply),
        error_of=lambda key, failure: JudgeError(key=key, error=failure),
        done=done,
    )


def _judgement(prepared: PreparedJudging, redact: Redactor, request: Request, reply: Reply) -> Judgement:
    candidate = prepared.candidates[request.key]
    verdict = read_verdict(reply.text, prepared.rubric, finish_reason=reply.finish_reason)
    return Judgement(
        question=candidate.question.id,
        variant=candidate.variant,
        answer=candidate.digest,
        score=verdict.score,
        scores=verdict.scores,
        reason=None if verdict.reason is None else redact(verdict.reason),  # in JSON a key may have gone unseen
        fault=verdict.fault,
        text=reply.text,
        finish_reason=reply.finish_reason,
        model=reply.model,
        evidence=evidence_digest(request.images),
        prompt=digest(request.text),
        tokens=reply.tokens,
        input_tokens=reply.input_tokens,
        seconds=reply.seconds,
    )


def _refuse_other_answers(
    folder: Path, run: Run, candidates: Mapping[str, Candidate], lines: Mapping[str, Judgement]
) -> None:
    for key, line in lines.items():
        if key not in candidates or line.answer != candidates[key].digest:
            raise InputError(
                f"judges another answer to question {line.question} than {run.name} holds now.",
                path=folder / JUDGEMENTS_FILE,
                remedy="Judge into another folder.",
            )
