"""A run on disk: the answers of one model under one setting to the questions of one benchmark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.errors import InputError
from probe4d.models.generation import Generation
from probe4d.models.request import KeptLogit
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.selection import Selection, selected_of
from probe4d.store.files import write_bytes
from probe4d.store.folders import refuse_full, whole_folder
from probe4d.store.logs import read_log

__all__ = [
    "ANSWERS_FILE",
    "ANSWER_SCHEMA",
    "ERRORS_FILE",
    "LEFT_OUT_FILE",
    "RECORD_FILE",
    "Answer",
    "AnswerError",
    "AnswerKey",
    "LeftOut",
    "Run",
    "RunRecord",
    "asked_of",
    "check_run",
    "read_run",
    "refuse_used",
    "write_run",
]

RECORD_FILE = "run.json"
ANSWERS_FILE = "answers.jsonl"
ERRORS_FILE = "errors.jsonl"
LEFT_OUT_FILE = "left_out.jsonl"

AnswerKey = tuple[str, str | None]
"""Question id and name of the variant: what is asked once in a run."""


class RunRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Content of `run.json`.

    Attributes:
        model: Name of the model asked.
        setting: Name of the setting, such as `default` or `anti-position`.
        layout: Prompt layout; runs of one layout put the same text before a model apart from the setting: `plain`,
            `ego`, or `ego-paper` with the ego-motion text of the B4DL paper.
        wording: Digest of the prompts' texts, as far as they do not depend on what could be shown; null where it is
            not known.
        parameters: What the model was opened with (`base_url`, the provider's own arguments), or what an import
            knows of the generation; in `hf/` also `max_connections`, the size of its batches.
        generation: Generation options; null where they are not known.
        hints: Generation options that the setting gave, or that a LiDAR language model drew by, where those leave the
            choice.
        evidence: What the model was shown; null where that is not known.
        selection: Which questions were asked; null means all.
        preset: Name of the preset that options came from; those of the user stand before it.
        benchmark: Fingerprint of the benchmark.
        course: Requests at once, repetitions and time allowed when the run began; they change no answers.
        versions: Versions of what took part when the run began.
    """

    model: str
    setting: str = "default"
    layout: str = "plain"
    wording: str | None = None
    parameters: dict[str, Any] = {}
    generation: Generation | None = None
    hints: dict[str, Any] = {}
    evidence: EvidencePlan | None = None
    selection: Selection | None = None
    preset: str | None = None
    benchmark: str
    course: dict[str, int] = {}
    versions: dict[str, str] = {}


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `answers.jsonl`.

    Attributes:
        question: Id of the question.
        variant: Name of the variant of a setting that asks more than once; null for one answer a question.
        text: The model's reply as it came, but for what a key or an unpaired surrogate in it is replaced by.
        reasoning: Reasoning that the provider returned apart from the reply.
        finish_reason: Why generation ended, as the provider says (`stop`, `length`, …).
        rotation: How far the options were rotated: letter i stood before option (i + rotation) mod n.
        model: Name and version of the model as the server says.
        evidence: Hash of what the model was shown; null without evidence.
        evidence_frames: Key frames that were shown, in the order shown; null where nothing was, or where
            that is not known.
        shown_scene: Scene that was shown, where it is not the question's own.
        shown_answer: What the reference answer would be in that scene; null where the question has none there.
        seed: Seed of the generation.
        tokens: Tokens generated.
        input_tokens: Tokens read.
        seconds: Time of the call.
        first_logits: Logits of the first token, where a LiDAR language model kept them.
    """

    question: str
    variant: str | None = None
    text: str
    reasoning: str | None = None
    finish_reason: str | None = None
    rotation: int = 0
    model: str | None = None
    evidence: str | None = None
    evidence_frames: tuple[int, ...] | None = None
    shown_scene: str | None = None
    shown_answer: str | None = None
    seed: int | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    seconds: float | None = None
    first_logits: tuple[KeptLogit, ...] = ()


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `left_out.jsonl`: a selected question that was not asked, and why.

    Attributes:
        question: Id of the question.
        reason: Why it was not asked, alike for all that were not asked for the same reason.
        detail: What it was for this question, such as the file that is missing; null where the reason says it all.
    """

    question: str
    reason: str
    detail: str | None = None


class AnswerError(msgspec.Struct, frozen=True, kw_only=True):
    """One line of `errors.jsonl`: a question that got no answer, and why."""

    question: str
    variant: str | None = None
    error: str


ANSWER_SCHEMA: dict[str, pl.DataType] = {
    "question": pl.String(),
    "variant": pl.String(),
    "text": pl.String(),
    "reasoning": pl.String(),
    "finish_reason": pl.String(),
    "rotation": pl.Int64(),
    "model": pl.String(),
    "evidence": pl.String(),
    "evidence_frames": pl.List(pl.Int64()),
    "shown_scene": pl.String(),
    "shown_answer": pl.String(),
    "seed": pl.Int64(),
    "tokens": pl.Int64(),
    "input_tokens": pl.Int64(),
    "seconds": pl.Float64(),
    "first_logits": pl.List(
        pl.Struct(
            {
                "token": pl.Int64(),
                "text": pl.String(),
                "label": pl.String(),
                "clean": pl.Float64(),
                "shuffled": pl.Float64(),
            }
        )
    ),
    "error": pl.String(),
}
"""Columns of `Run.answers`; `error` is null for an answer, and then `text` is not.

`first_logits` is null where none were kept.
"""


@dataclass(frozen=True)
class Run:
    """A run in memory.

    Attributes:
        name: Name of its folder.
        record: Content of `run.json`.
        answers: One row for each answer or error, with the columns of `ANSWER_SCHEMA`.
        left_out: Selected questions that were not asked, with the reason.
        warnings: What was odd and did no harm, such as a half-written last line, as sentences.
        path: Folder it was read from; null if it was not.
    """

    name: str
    record: RunRecord
    answers: pl.DataFrame
    left_out: tuple[LeftOut, ...] = ()
    warnings: tuple[str, ...] = ()
    path: Path | None = None


def refuse_used(path: Path) -> None:
    """Refuse a folder that a run cannot be written to whole, before any work is done.

    Raises:
        InputError: It is a file, holds a run, or holds anything else.
    """
    if (path / RECORD_FILE).exists():
        raise InputError("holds a run already.", path=path, remedy="Choose another folder, or remove this one.")
    refuse_full(path, "is not empty and holds no run.")


def write_run(
    path: Path | str,
    record: RunRecord,
    answers: Sequence[Answer],
    errors: Sequence[AnswerError] = (),
    left_out: Sequence[LeftOut] = (),
) -> None:
    """Write a whole run folder at once, as imports do: it appears complete under its name, or not at all.

    Raises:
        InputError: The folder is in use or cannot be made.
    """
    path = Path(path)
    refuse_used(path)
    encode = msgspec.json.Encoder().encode_lines
    with whole_folder(path) as temporary:
        write_bytes(temporary / ANSWERS_FILE, encode(answers))
        for name, lines in ((ERRORS_FILE, errors), (LEFT_OUT_FILE, left_out)):
            if lines:
                write_bytes(temporary / name, encode(lines))
        write_bytes(temporary / RECORD_FILE, msgspec.json.format(msgspec.json.encode(record), indent=2) + b"\n")


def read_run(path: Path | str) -> Run:
    """Read a run folder.

    Of the errors of a question and variant the last one counts, and none where it was answered, or where nothing of
    the question was answered and it was left out later, so that it is no longer asked.

    Raises:
        InputError: The folder or a file is missing, a line is no record, or a question is answered twice.
    """
    path = Path(path)
    if not (path / RECORD_FILE).is_file():
        what = f"has no {RECORD_FILE}." if path.is_dir() else "is no folder."
        raise InputError(what, path=path, remedy="Give a run folder, as `probe4d ask` and `probe4d import` write it.")
    try:
        record = msgspec.json.decode((path / RECORD_FILE).read_bytes(), type=RunRecord)
    except msgspec.DecodeError as error:
        raise InputError(f"is damaged ({error}).", path=path / RECORD_FILE, remedy="Import or ask again.") from error
    warnings: list[str] = []
    answers = read_log(path / ANSWERS_FILE, Answer, warnings)
    errors = read_log(path / ERRORS_FILE, AnswerError, warnings)
    rows: dict[AnswerKey, dict[str, Any]] = {}
    for number, answer in answers:
        key = (answer.question, answer.variant)
        if key in rows:
            raise InputError(
                f"answers question {answer.question} a second time.",
                path=path / ANSWERS_FILE,
                row=f"line {number}",
                remedy="Keep one of the two lines.",
            )
        logits = [msgspec.structs.asdict(logit) for logit in answer.first_logits]
        rows[key] = {**msgspec.structs.asdict(answer), "first_logits": logits or None, "error": None}
    left_out = read_log(path / LEFT_OUT_FILE, LeftOut, warnings)
    unasked = {one.question for _, one in left_out} - {question for question, _ in rows}
    failures = {(failure.question, failure.variant): failure for _, failure in errors}
    for key, failure in failures.items():
        if key not in rows and failure.question not in unasked:
            rows[key] = dict.fromkeys(ANSWER_SCHEMA) | msgspec.structs.asdict(failure)
    columns = {name: [row[name] for row in rows.values()] for name in ANSWER_SCHEMA}
    return Run(
        path.resolve().name,
        record,
        pl.DataFrame(columns, schema=ANSWER_SCHEMA),
        tuple(one for _, one in left_out),
        tuple(warnings),
        path,
    )


def asked_of(run: Run, benchmark: Benchmark) -> pl.DataFrame:
    """The questions of a benchmark that a run was asked, in benchmark order.

    That is its selection without what it left out; what it left out and yet answered, as where its evidence was
    lost later, was asked.

    Returns:
        The columns `probe4d.runs.selection.CHOSEN_BY`.
    """
    questions = selected_of(benchmark, run.record.selection)
    if not run.left_out:
        return questions
    left_out = pl.Series([one.question for one in run.left_out], dtype=pl.String)
    answered = run.answers.filter(run.answers["error"].is_null())["question"]
    without = left_out.filter(~left_out.is_in(answered.implode()))
    return questions.filter(~pl.col("id").is_in(without.implode()))


def check_run(run: Run, benchmark: Benchmark, *, allow_missing: bool = False) -> tuple[str, ...]:
    """Check that a run answers this benchmark, and say what is missing of what it was asked.

    Returns:
        Ids of the questions asked without an answer, in benchmark order.

    Raises:
        InputError: The run belongs to another benchmark, answers a question that is not in it or that it was not
            asked, or leaves questions out while `allow_missing` is false.
    """
    where = run.path or run.name
    if run.record.benchmark != benchmark.fingerprint:
        raise InputError(
            f"answers another benchmark ({run.record.benchmark[:12]}…, not {benchmark.fingerprint[:12]}…).",
            path=where,
            remedy="Give the benchmark that this run was asked.",
        )
    asked = asked_of(run, benchmark)
    for questions, fault in (
        (benchmark.columns("id"), "that this benchmark lacks"),
        (asked, "outside the selection in its record"),
    ):
        strangers = run.answers.join(questions.select("id"), left_on="question", right_on="id", how="anti")
        if strangers.height:
            raise InputError(
                f"answers questions {fault} ({strangers.height:,}, first {strangers['question'][0]}).",
                path=where,
                remedy="Remove those answers, or give the benchmark that they belong to.",
            )
    missing = asked.join(run.answers, left_on="id", right_on="question", how="anti", maintain_order="left")["id"]
    if missing.len() and not allow_missing:
        raise InputError(
            f"leaves {missing.len():,} of {asked.height:,} questions without an answer, first {missing[0]}.",
            path=where,
            remedy="Finish the run, or count them as wrong (allow_missing=True, --allow-missing).",
        )
    return tuple(missing)
