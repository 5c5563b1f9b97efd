"""Lets a model word the references of open questions anew, so that no reply is lost and none says more than it may.

A folder of references holds `verbalizing.json` (what was asked), `replies.jsonl` (every reply as it came, with the text
that it holds or the reason why there is none) and `errors.jsonl` (requests without a reply).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from probe4d.benchmarks.question import Question
from probe4d.errors import RunError
from probe4d.models.asking import ask_all
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.models.hosted_job import HostedModel, hosted_job
from probe4d.models.reply_log import ReplyLog
from probe4d.models.request import Reply, Request
from probe4d.store.hashing import digest
from probe4d.wording import counted

__all__ = ["MOST_ATTEMPTS", "HostedVerbalizer", "ReferenceReply", "reference_fault", "verbalizing_prompt"]

REPLIES_FILE = "replies.jsonl"
RECORD_FILE = "verbalizing.json"

MOST_ATTEMPTS = 3
"""How often a model is asked for one reference before its plain text stays."""

_PROMPT = (
    "Put the statements below together as one answer to the question, in two to five plain sentences. Keep what every "
    "statement says, with its numbers and directions as they stand, and add nothing. Reply with the answer alone.\n"
    "Question: {question}\nStatements: {statements}"
)
_AGAIN = "\nYour last reply {fault}."

_ANOTHER_FOLDER = "another folder for the replies (--verbalized)"

_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_SIDE = re.compile(r"\b(?:left|right|front|rear|behind|opposite|none|no)\b", re.IGNORECASE)
_AFTER = "</think>"


class ReferenceReply(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `replies.jsonl`.

    Attributes:
        question: Id of the question.
        attempt: Which request for it this answered, from 1.
        text: The reply as it came.
        reference: The text in it; null where it cannot be taken.
        fault: Why not, as what follows "your last reply".
        model: Name and version of the model as the server says.
        tokens: Tokens generated.
        seconds: Time of the call.
    """

    question: str
    attempt: int
    text: str
    reference: str | None
    fault: str | None
    model: str | None = None
    tokens: int | None = None
    seconds: float | None = None

    @property
    def is_last(self) -> bool:
        """Whether its question is not asked about again."""
        return self.reference is not None or self.attempt >= MOST_ATTEMPTS


class UnansweredReference(msgspec.Struct, frozen=True, kw_only=True):
    """A line of `errors.jsonl`: a request that got no reply, and why."""

    question: str
    error: str


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    model: str
    parameters: dict[str, Any]
    generation: Generation
    prompt: str
    references: str
    version: int = 1


class HostedVerbalizer:
    """A model that words references anew.

    Args:
        model: inspect-ai name of the model, such as `openai/gpt-5`.
        folder: Folder of the references, new or that of the same questions.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
        generation: Generation options.
        course: Requests at once, repetitions, time; null takes the usual ones.
        begun: Told the number of references, and how many were there before.
        done: Told of the last reply about each question once it is on disk, in another thread.
    """

    def __init__(
        self,
        model: str,
        folder: Path | str,
        *,
        base_url: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        generation: Generation | None = None,
        course: Course | None = None,
        begun: Callable[[int, int], object] | None = None,
        done: Callable[[ReferenceReply], object] | None = None,
    ) -> None:
        self.name = model
        self._folder = Path(folder)
        self._model = HostedModel(
            name=model,
            base_url=base_url,
            arguments=dict(arguments or {}),
            generation=generation or Generation(temperature=0, max_tokens=1024),
        )
        self._course = course or Course()
        self._begun, self._done = begun, done

    def texts(self, questions: Sequence[Question]) -> dict[str, str]:
        """Ask for a new wording of each reference, or go on with that where an earlier call stopped.

        Args:
            questions: Open questions, whose answers are the plain references.

        Returns:
            References by question id; none of a question whose replies all said something else or nothing.

        Raises:
            InputError: The folder holds something else, or the model cannot be had.
            RunError: There are questions without a reply; what was answered is kept.
        """
        record = _Record(
            model=self.name,
            parameters=self._model.parameters,
            generation=self._model.generation,
            prompt=digest([_PROMPT, _AGAIN]),
            references=digest([[question.id, question.answer] for question in questions]),
        )
        with hosted_job(
            self._model, self._course, self._folder, RECORD_FILE, record, job="verbalizing", other=_ANOTHER_FOLDER
        ) as opening:
            log = _Log(self._folder, questions, self._done)
            if self._begun is not None:
                self._begun(len(questions), len(questions) - len(log.unfinished()))
            for _ in range(MOST_ATTEMPTS):
                if not (unfinished := log.unfinished()):
                    break
                ask_all(opening.take(), self._requests(unfinished, log), log, answered=bool(log.lines))
        if unanswered := log.unfinished():
            why = log.errors.get(unanswered[0].id, "it was not asked")
            raise RunError(
                f"{counted(len(unanswered), 'reference')} got no reply, such as {unanswered[0].id} ({why}). What "
                f"was answered is kept in {self._folder}; the same command asks for the others."
            )
        return {name: line.reference for name, line in log.lines.items() if line.reference is not None}

    def _requests(self, questions: Sequence[Question], log: _Log) -> Iterator[Request]:
        for question in questions:
            last = log.lines.get(question.id)
            text = verbalizing_prompt(question) + ("" if last is None else _AGAIN.format(fault=last.fault))
            yield Request(key=question.id, text=text, seed=self._model.generation.seed)


class _Log(ReplyLog[ReferenceReply]):
    """The replies on disk, and what of them is still to be asked."""

    def __init__(
        self, folder: Path, questions: Sequence[Question], done: Callable[[ReferenceReply], object] | None
    ) -> None:
        self._questions = {question.id: question for question in questions}
        super().__init__(
            folder,
            REPLIES_FILE,
            ReferenceReply,
            key_of=lambda reply: reply.question,
            line_of=lambda request, reply: self._line(request.key, reply),
            error_of=lambda question, failure: UnansweredReference(question=question, error=failure),
            done=lambda reply: done(reply) if done is not None and reply.is_last else None,
        )

    def unfinished(self) -> list[Question]:
        """Questions that are still to be asked about."""
        return [
            question
            for name, question in self._questions.items()
            if name not in self.lines or not self.lines[name].is_last
        ]

    def _line(self, name: str, reply: Reply) -> ReferenceReply:
        text = " ".join(reply.text.rpartition(_AFTER)[2].split())
        fault = "was cut off" if reply.finish_reason == "max_tokens" else reference_fault(text, self._questions[name])
        before = self.lines.get(name)
        return ReferenceReply(
            question=name,
            attempt=1 if before is None else before.attempt + 1,
            text=reply.text,
            reference=text if fault is None else None,
            fault=fault,
            model=reply.model,
            tokens=reply.tokens,
            seconds=reply.seconds,
        )


def verbalizing_prompt(question: Question) -> str:
    """What is asked about an open question and its plain reference (App. A.4 of STRIDE)."""
    return _PROMPT.format(question=question.question, statements=question.answer)


def reference_fault(text: str, question: Question) -> str | None:
    """What a new wording says that its statements do not, or leaves out; null where it can be taken.

    Numbers have to be the same; sides and negations have to occur among the statements. What else a model adds in words
    is for a reviewer to see.
    """
    if not text:
        return "holds no text"
    numbers, stated = set(_NUMBER.findall(text)), set(_NUMBER.findall(question.answer))
    if added := sorted(numbers - stated):
        return f"has the number {added[0]}, which no statement has"
    if missing := sorted(stated - numbers):
        return f"leaves out the number {missing[0]}"
    sides, told = ({word.lower() for word in _SIDE.findall(words)} for words in (text, question.answer))
    if added := sorted(sides - told):
        return f"has the word {added[0]!r}, which no statement has"
    return None
