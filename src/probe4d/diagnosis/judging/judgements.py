"""Judgements on disk: a folder that says who judged what, and holds each verdict with the reply that it was read from.

`judge.json` is the record, `judgements.jsonl` has a line for each reply, `errors.jsonl` one for each request that got
none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from probe4d.errors import InputError
from probe4d.models.generation import Generation
from probe4d.models.reply_log import ERRORS_FILE
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.requests import request_key
from probe4d.store.logs import read_log
from probe4d.store.records import read_versioned

__all__ = [
    "JUDGEMENTS_FILE",
    "RECORD_FILE",
    "JudgeError",
    "JudgeRecord",
    "Judgement",
    "Judgements",
    "read_judgements",
]

RECORD_FILE = "judge.json"
JUDGEMENTS_FILE = "judgements.jsonl"


class JudgeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """Content of `judge.json`.

    Attributes:
        run: Name of the run whose answers are judged.
        benchmark: Fingerprint of the benchmark that it answers.
        model: Name of the judge, such as `openai/gpt-5.5`.
        parameters: What it was opened with (`base_url`, the provider's own arguments).
        generation: Generation options; their seed draws the delimiters of the quoted answers, too.
        rubric: Name of the rubric.
        highest: The best score by it; the worst is 0.
        evidence: What the judge is shown.
        prompt: Fingerprint of what all requests have in common (see `prompt_fingerprint`).
        references: SHA-256 of the references that the run's answers are held against (see `references_digest`); null
            where the rubric shows none.
        judge: Fingerprint of the judge: its name, arguments and generation options.
        version: Version of this layout.
    """

    run: str
    benchmark: str
    model: str
    parameters: dict[str, Any]
    generation: Generation
    rubric: str
    highest: int
    evidence: EvidencePlan
    prompt: str
    references: str | None = None
    judge: str
    version: int = 1


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `judgements.jsonl`.

    Attributes:
        question: Id of the question.
        variant: Name of the variant of the run's setting; null where it asks once.
        answer: SHA-256 of the answer that was judged, 64 hexadecimal digits.
        score: The verdict, on the scale of the rubric; null where the reply holds none.
        scores: The score of each aspect of the rubric.
        reason: Why, in the judge's words.
        fault: Why there is no score.
        text: The judge's reply as it came.
        finish_reason: Why generation ended, as the provider says.
        model: Name and version of the judge as the server says.
        evidence: Hash of what it was shown; null without evidence.
        prompt: SHA-256 of the text that it was sent.
        tokens: Tokens generated.
        input_tokens: Tokens read.
        seconds: Time of the call.
    """

    question: str
    variant: str | None = None
    answer: str
    score: float | None
    scores: dict[str, float] = {}
    reason: str | None = None
    fault: str | None = None
    text: str
    finish_reason: str | None = None
    model: str | None = None
    evidence: str | None = None
    prompt: str | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    seconds: float | None = None

    @property
    def key(self) -> str:
        """Key of the request that it answers."""
        return request_key(self.question, self.variant)


class JudgeError(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `errors.jsonl`: an answer that got no verdict, since the judge was not reached or could not be asked.

    Attributes:
        key: Id of the question, and the name of the variant behind a slash where there is one.
        error: Why.
    """

    key: str
    error: str


@dataclass(frozen=True)
class Judgements:
    """Judgements in memory.

    Attributes:
        record: Content of `judge.json`.
        by_key: Judgement by the key of its request.
        errors: Why an answer has none, by the same key.
        warnings: What was odd and did no harm, as sentences.
        path: Folder that they were read from.
    """

    record: JudgeRecord
    by_key: Mapping[str, Judgement]
    errors: Mapping[str, str]
    warnings: tuple[str, ...]
    path: Path


def read_judgements(path: Path | str) -> Judgements:
    """Read a folder of judgements, be they complete or not.

    Raises:
        InputError: The folder or its record is missing, a line is no record, a score lies outside the scale, or an
            answer is judged twice.
    """
    path = Path(path)
    remedy = "Give a folder that `probe4d judge run` wrote."
    if not (path / RECORD_FILE).is_file():
        what = f"has no {RECORD_FILE}." if path.is_dir() else "is no folder."
        raise InputError(what, path=path, remedy=remedy)
    record = read_versioned(path / RECORD_FILE, JudgeRecord, 1, what="a judge", remedy=remedy)
    warnings: list[str] = []
    by_key: dict[str, Judgement] = {}
    file = path / JUDGEMENTS_FILE
    for number, line in read_log(file, Judgement, warnings):
        fault = None
        if line.score is not None and not 0 <= line.score <= record.highest:
            fault = f"has the score {line.score}, and the scale is 0 to {record.highest}."
        elif line.key in by_key:
            fault = f"judges the answer to question {line.question} a second time."
        if fault is not None:
            raise InputError(fault, path=file, row=f"line {number}", remedy="Remove that line, or judge again.")
        by_key[line.key] = line
    errors = {line.key: line.error for _, line in read_log(path / ERRORS_FILE, JudgeError, warnings)}
    return Judgements(
        record,
        by_key,
        {key: error for key, error in errors.items() if key not in by_key},
        tuple(warnings),
        path,
    )
