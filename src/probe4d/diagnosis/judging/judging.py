"""Asks a model to judge the free answers of a run, so that no verdict is ever lost (STRIDE, App. A.5, C.4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question, questions_from
from probe4d.diagnosis.judging.candidates import candidates_of, text_questions
from probe4d.diagnosis.judging.judgements import (
    JUDGEMENTS_FILE,
    RECORD_FILE,
    JudgeError,
    Judgement,
    Judgements,
    JudgeRecord,
    read_judgements,
)
from probe4d.diagnosis.judging.prompts import judge_prompt, prompt_fingerprint
from probe4d.diagnosis.judging.quoting import quoted
from probe4d.diagnosis.judging.rubrics import Rubric, rubric_named
from probe4d.diagnosis.judging.verdicts import read_verdict
from probe4d.errors import InputError
from probe4d.evidence.rendering import Renderer
from probe4d.models.asking import Finished, ask_all, close_model
from probe4d.models.generation import Generation, refuse_keys
from probe4d.models.reply_log import ERRORS_FILE, ReplyLog
from probe4d.models.request import Model, Reply, Request
from probe4d.models.secrets import without_secrets
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.exhibits import Exhibits, exhibits
from probe4d.runs.opening import open_named
from probe4d.runs.plan import Course, RunPlan
from probe4d.runs.prepared import prepare
from probe4d.runs.requests import evidence_digest, rendered, request_key
from probe4d.runs.run import Run
from probe4d.scenes.tables import Scenes
from probe4d.store.files import write_bytes
from probe4d.store.hashing import digest
from probe4d.store.job_folder import hold_folder

__all__ = ["MOST_FRAMES", "JudgePlan", "evidence_shown_by", "judge"]

MOST_FRAMES = 8
"""Frames that a judge is shown at most, as the paper has it of long clips (STRIDE, App. C.4)."""


class JudgePlan(msgspec.Struct, frozen=True, kw_only=True):
    """How answers are judged.

    Attributes:
        rubric: Name of a rubric (see `probe4d.diagnosis.judging.rubrics`).
        evidence: What the judge is shown; null takes what the run showed (see `evidence_shown_by`).
        generation: Generation options; the seed draws the delimiters of the quoted answers, too.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
    """

    rubric: str = "stride"
    evidence: EvidencePlan | None = None
    generation: Generation = Generation(temperature=0.0, seed=42, max_tokens=4096)
    base_url: str | None = None
    arguments: dict[str, Any] = {}


class _Candidate(NamedTuple):
    """An answer that is judged, by the key of its request."""

    key: str
    question: Question
    variant: str | None
    answer: str
    digest: str


def evidence_shown_by(run: Run, *, max_frames: int = MOST_FRAMES) -> EvidencePlan:
    """The evidence of a run, as its judge is shown it.

    These are the question's own frames in the run's view and size. A run that showed black, shuffled or other scenes'
    pictures is judged by the true ones, for what it should have said is true of these; one that showed nothing is
    judged without pictures. Frames beyond `max_frames` are thinned as runs do it.

    Raises:
        InputError: The run's record does not say what was shown, or it was LiDAR features, which no judge can read.
    """
    shown = run.record.evidence
    other = "Say what the judge is shown (--evidence none, cameras, birds-eye or one-camera)."
    if shown is None:
        raise InputError("does not say what its model was shown.", path=run.path or run.name, remedy=other)
    if shown.kind == "none":
        return EvidencePlan()
    if shown.view == "lidar":
        raise InputError("showed LiDAR features, which no judge can read.", path=run.path or run.name, remedy=other)
    return msgspec.structs.replace(shown, kind="own", max_frames=min(shown.max_frames, max_frames)).of_effect


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
            be had, or the folder holds other judgements.
        RunError: Asking came to an end before all was judged; what was judged is kept.
    """
    out, course, plan = Path(out), course or Course(), plan or JudgePlan()
    refuse_keys(plan.arguments, plan.generation)
    rubric = rubric_named(plan.rubric)
    shown_by = evidence_shown_by(run) if plan.evidence is None else plan.evidence
    candidates = _candidates(benchmark, run)
    record = _record(model, run, plan, rubric, shown_by)
    with ExitStack() as unasked, ExitStack() as stack:
        shown, renderer = _shown(benchmark, candidates, shown_by, scenes, course, stack)
        if isinstance(model, str):  # before a folder is made, so that a wrong name leaves none
            opening = RunPlan(base_url=plan.base_url, arguments=plan.arguments, generation=plan.generation)
            model = open_named(model, opening, course)
            unasked.callback(close_model, model)
        stack.enter_context(hold_folder(out, RECORD_FILE, record, job="judging"))
        log = _log(out, candidates, rubric, done)
        _refuse_other_answers(out, run, candidates, log.lines)
        remaining = [one for key, one in candidates.items() if key not in log.lines]
        if begun is not None:
            begun(len(candidates), len(candidates) - len(remaining))
        if remaining:
            unasked.pop_all()  # from here on asking closes it
            requests = _requests(remaining, shown, renderer, rubric, plan.generation.seed)
            ask_all(model, requests, log, answered=bool(log.lines))
        _put_into_order(out, candidates, log)
    return read_judgements(out)


def _candidates(benchmark: Benchmark, run: Run) -> dict[str, _Candidate]:
    """What is judged, by the key of its request, in benchmark order."""
    rows = candidates_of(run, benchmark).filter(pl.col("unfit").is_null())
    if not rows.height:
        raise InputError(
            "holds no answer that could be judged: those to questions of the format text are empty, cut or missing.",
            path=run.path or run.name,
            remedy="Finish the run, or give another.",
        )
    texts = text_questions(benchmark).join(rows, left_on="id", right_on="question", how="semi", maintain_order="left")
    questions = {question.id: question for question in questions_from(texts)}
    found = {}
    for identity, variant, answer, answer_digest, _ in rows.iter_rows():
        key = request_key(identity, variant)
        found[key] = _Candidate(key, questions[identity], variant, answer, answer_digest)
    return found


def _record(model: str | Model, run: Run, plan: JudgePlan, rubric: Rubric, evidence: EvidencePlan) -> JudgeRecord:
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
        evidence=evidence,
        prompt=prompt_fingerprint(rubric),
        judge=digest([name, arguments, plan.generation]),
    )


def _shown(
    benchmark: Benchmark,
    candidates: Mapping[str, _Candidate],
    plan: EvidencePlan,
    scenes: Scenes | None,
    course: Course,
    stack: ExitStack,
) -> tuple[Exhibits, Renderer | None]:
    """What is shown with each question, chosen as runs choose it, and who renders it; nobody where nothing is."""
    asked = {one.question.id: one.question for one in candidates.values()}
    if plan.kind == "none":
        return exhibits(list(asked.values()), plan, None), None
    judged = benchmark.table.filter(pl.col("id").is_in(list(asked)))
    prepared = prepare(Benchmark(judged, benchmark.record), RunPlan(evidence=plan), scenes=scenes)
    return prepared.shown, stack.enter_context(prepared.rendering(workers=course.workers))


def _log(
    folder: Path,
    candidates: Mapping[str, _Candidate],
    rubric: Rubric,
    done: Callable[[Judgement], object] | None,
) -> ReplyLog[Judgement]:
    return ReplyLog(
        folder,
        JUDGEMENTS_FILE,
        Judgement,
        key_of=lambda line: line.key,
        line_of=lambda request, reply: _judgement(candidates[request.key], rubric, request, reply),
        error_of=lambda key, failure: JudgeError(key=key, error=failure),
        done=done,
    )


def _judgement(candidate: _Candidate, rubric: Rubric, request: Request, reply: Reply) -> Judgement:
    verdict = read_verdict(reply.text, rubric, finish_reason=reply.finish_reason)
    return Judgement(
        question=candidate.question.id,
        variant=candidate.variant,
        answer=candidate.digest,
        score=verdict.score,
        scores=verdict.scores,
        reason=verdict.reason,
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
    folder: Path, run: Run, candidates: Mapping[str, _Candidate], lines: Mapping[str, Judgement]
) -> None:
    for key, line in lines.items():
        if key not in candidates or line.answer != candidates[key].digest:
            raise InputError(
                f"judges another answer to question {line.question} than {run.name} holds now.",
                path=folder / JUDGEMENTS_FILE,
                remedy="Judge into another folder.",
            )


def _requests(
    candidates: list[_Candidate], shown: Exhibits, renderer: Renderer | None, rubric: Rubric, seed: int | None
) -> Iterator[Request | Finished]:
    """A request for each answer, its pictures rendered ahead of the calls."""
    left_out = {one.question: one.detail or one.reason for one in shown.left_out}
    for one in candidates:
        if (reason := left_out.get(one.question.id)) is not None:
            yield Finished(Request(key=one.key, text=""), None, f"its evidence cannot be shown: {reason}")
    pictured = ((one, shown.of[one.question.id].pictures) for one in candidates if one.question.id in shown.of)
    for one, images in rendered(pictured, renderer):
        quotation = quoted(one.answer, seed=seed or 0, key=one.key)
        preamble = shown.of[one.question.id].preamble
        text = judge_prompt(one.question, quotation, rubric, preamble=preamble)
        request = Request(key=one.key, text=text, seed=seed)
        if isinstance(images, InputError):
            yield Finished(request, None, str(images))
        else:
            yield msgspec.structs.replace(request, images=images)


def _put_into_order(folder: Path, candidates: Mapping[str, _Candidate], log: ReplyLog[Judgement]) -> None:
    """Put the files into the benchmark's order, so that equal judgings have equal files; of errors the last stays."""
    encode = msgspec.json.Encoder().encode_lines
    write_bytes(folder / JUDGEMENTS_FILE, encode([log.lines[key] for key in candidates if key in log.lines]))
    errors = [JudgeError(key=key, error=log.errors[key]) for key in candidates if key in log.errors]
    if errors:
        write_bytes(folder / ERRORS_FILE, encode(errors))
    else:
        (folder / ERRORS_FILE).unlink(missing_ok=True)
