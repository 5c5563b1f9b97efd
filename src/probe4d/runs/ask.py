"""Asks a model the questions of a benchmark, so that nothing that was answered is ever lost."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.models.asking import Finished, ask_all
from probe4d.models.course import Course
from probe4d.models.hosted import asked_in_batches
from probe4d.models.lidar_lm.answering_options import is_lidar_lm
from probe4d.models.opening import opening_of
from probe4d.models.request import Described, Foresighted, Model, Reply, Request
from probe4d.models.secrets import without_secrets
from probe4d.models.versions import versions_of
from probe4d.runs.exhibits import Exhibit
from probe4d.runs.journal import RunJournal, open_journal
from probe4d.runs.lidar_requests import FeatureReader
from probe4d.runs.opening import open_named, open_reader
from probe4d.runs.plan import RunPlan
from probe4d.runs.prepared import Prepared, prepare
from probe4d.runs.requests import evidence_digest, hints_of, request_key
from probe4d.runs.run import ANSWERS_FILE, RECORD_FILE, Answer, AnswerError, Run, RunRecord, read_run
from probe4d.runs.settings import Variant
from probe4d.scenes.tables import Scenes
from probe4d.store.hashing import digest

__all__ = ["ask"]


def ask(
    benchmark: Benchmark,
    out: Path | str,
    *,
    model: str | Model,
    plan: RunPlan | None = None,
    scenes: Scenes | None = None,
    features: Path | str | None = None,
    course: Course | None = None,
    begun: Callable[[int, int], None] | None = None,
    done: Callable[[Answer | AnswerError], None] | None = None,
) -> Run:
    """Ask a model, or go on asking it where an earlier call stopped.

    Args:
        benchmark: The questions.
        out: Run folder; one that holds the same run, unfinished, is continued.
        model: inspect-ai name of the model, such as `openai/gpt-5`; `lidar-lm:` and the folder of a checkpoint; or
            anything that answers requests as
            `probe4d.models.request.Model` says, such as what `probe4d.control_model` gives. One that is
            `Foresighted` is told of all requests first.
        plan: What is asked and how; null asks every question once, with nothing shown.
        scenes: The scenes that evidence is taken from.
        features: Folder of the LiDAR features that a LiDAR language model opened by its name is shown.
        course: Requests at once, repetitions, time; null takes the usual ones.
        begun: Told once, before the first request, how many calls the run takes and how many of them are answered.
        done: Told of each answer and error once it is on disk; never twice at once, and in another thread.

    Returns:
        The run as it lies on disk: the answers, the errors of questions without one, and what was left out.

    Raises:
        InputError: The model, setting, selection or evidence cannot be had, the model refuses what it would be asked,
            or the folder holds another run.
        RunError: Asking came to an end before all was asked; what was answered is kept.
    """
    out, course, plan = Path(out), course or Course(), plan or RunPlan()
    if isinstance(model, str) and is_lidar_lm(model):
        model = open_reader(model, plan, features=features, course=course)
    elif features is not None:
        raise InputError(
            "features are shown to LiDAR language models alone.", remedy="Give --model lidar-lm:CHECKPOINT with them."
        )
    reader = model if isinstance(model, FeatureReader) else None
    prepared = prepare(benchmark, plan, scenes=scenes, reader=reader)
    if not (out / ANSWERS_FILE).exists():
        prepared.refuse_unaskable()
    if isinstance(model, Foresighted):
        keys = [request_key(*key) for key in prepared.asked]
        model.check(keys, pictures=prepared.plan.evidence.kind != "none")
    if reader is not None:
        _refuse_broken(reader, prepared)
    record = _record(model, prepared, course)
    is_new = not (out / RECORD_FILE).exists()
    opening = opening_of(model, lambda name: open_named(name, prepared.plan, course), at_once=is_new)
    with opening, prepared.rendering(workers=course.workers) as renderer, open_journal(out, record) as journal:
        answered = {question for question, _ in journal.answered}
        journal.leave_out([one for one in prepared.left_out if one.question not in answered])
        remaining = [key for key in prepared.asked if key not in journal.answered]
        if begun is not None:
            begun(len(prepared.asked), len(prepared.asked) - len(remaining))
        if reader is not None:  # what shows the same features is decoded together, so that they are read once
            remaining.sort(key=lambda key: str(prepared.shown.of[key[0]].features))
        if remaining:
            requests = prepared.requests(remaining, renderer=renderer)
            ask_all(opening.take(), requests, _Writer(journal, prepared, done), answered=bool(answered))
        places = {key: place for place, key in enumerate(prepared.selected)}
        journal.finish(lambda key: places.get(key, len(places)))
    return read_run(out)


def _refuse_broken(reader: FeatureReader, prepared: Prepared) -> None:
    """Read the features of every scene that is shown, so that what is broken is told before anything is asked."""
    shown = {exhibit.features.scene for exhibit in prepared.shown.of.values() if exhibit.features is not None}
    if reader.features is not None:
        for scene in sorted(shown):
            reader.features.rows(scene)


def _record(model: str | Model, prepared: Prepared, course: Course) -> RunRecord:
    plan = prepared.plan
    hints = dict(hints_of(prepared.setting, plan.generation))
    opened_with: dict[str, Any] = {} if plan.base_url is None else {"base_url": plan.base_url}
    if isinstance(model, str) and asked_in_batches(model):
        opened_with["max_connections"] = course.connections(model)
    if isinstance(model, Described):
        opened_with |= model.made_from
    layout = prepared.setting.layout
    if isinstance(model, FeatureReader):
        drawing = model.drawing(is_contrasted=prepared.setting.contrast is not None)
        opened_with |= {**model.parameters, "sampling": drawing.pop("sampling")}
        hints = {name: value for name, value in drawing.items() if getattr(plan.generation, name, None) is None}
        layout = {"none": layout, "question": "ego", "paper": "ego-paper"}[model.ego_text]
    return RunRecord(
        model=model if isinstance(model, str) else model.name,
        setting=prepared.setting.name,
        layout=layout,
        wording=prepared.wording,
        parameters=without_secrets({**opened_with, **plan.arguments}),
        generation=plan.generation,
        hints=hints,
        evidence=plan.evidence,
        selection=plan.selection,
        preset=plan.preset,
        benchmark=prepared.benchmark,
        course={
            "max_connections": course.connections(model),
            "max_retries": course.max_retries,
            "timeout_s": course.timeout_s,
        },
        versions=versions_of(_reached_name(model)),
    )


def _reached_name(model: str | Model) -> str | None:
    """Name that says which packages take part; null where none but ours do."""
    if isinstance(model, str):
        return model
    return model.name if isinstance(model, FeatureReader) else None


class _Writer:
    """Turns finished requests into lines of the run."""

    def __init__(
        self, journal: RunJournal, prepared: Prepared, done: Callable[[Answer | AnswerError], None] | None
    ) -> None:
        self._journal = journal
        self._shown = prepared.shown
        self._asked = {request_key(*key): one for key, one in prepared.asked.items()}
        self._done = done

    def put(self, finished: Sequence[Finished]) -> None:
        """Write them down and return when they are on disk."""
        answers: list[Answer] = []
        errors: list[AnswerError] = []
        for request, reply, failure in finished:
            question, variant = self._asked[request.key]
            if reply is None:
                errors.append(AnswerError(question=question.id, variant=variant.name, error=failure or ""))
            else:
                answers.append(_answer(question.id, variant, request, reply, self._shown.of[question.id]))
        self._journal.put(answers, errors)
        lines: list[Answer | AnswerError] = [*answers, *errors]
        for line in lines:
            if self._done is not None:
                self._done(line)


def _answer(question: str, variant: Variant, request: Request, reply: Reply, exhibit: Exhibit) -> Answer:
    return Answer(
        question=question,
        variant=variant.name,
        text=reply.text,
        reasoning=reply.reasoning,
        finish_reason=reply.finish_reason,
        rotation=variant.rotation,
        model=reply.model,
        evidence=evidence_digest(request.images) if request.features is None else digest(request.features),
        evidence_frames=exhibit.frames,
        shown_scene=exhibit.shown_scene,
        shown_answer=exhibit.shown_answer,
        seed=request.seed,
        tokens=reply.tokens,
        input_tokens=reply.input_tokens,
        seconds=reply.seconds,
        first_logits=reply.first_logits,
    )
