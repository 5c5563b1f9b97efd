"""Has a model reply to the prompts of a suite's pipeline, so that no reply is ever lost or asked for twice.

A folder of replies holds `generation.json` (what was asked, of which dataset) and a file or two a stage, such as
`contexts.jsonl` (every reply as it came, with the digest of its prompt) and `contexts-errors.jsonl` (prompts without a
reply, while there are any).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import msgspec

from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.errors import InputError, RunError
from probe4d.models.asking import ask_all
from probe4d.models.course import Course
from probe4d.models.generation import Generation
from probe4d.models.hosted_job import HostedModel, hosted_job
from probe4d.models.opening import Opening
from probe4d.models.reply_log import ReplyLog
from probe4d.models.request import Reply, Request
from probe4d.models.secrets import Redactor
from probe4d.runs.pictured_prompts import pictured_requests
from probe4d.runs.requests import evidence_digest
from probe4d.store.hashing import digest
from probe4d.store.job_folder import refuse_other_job
from probe4d.store.records import read_versioned
from probe4d.version import __version__
from probe4d.wording import counted

__all__ = [
    "RECORD_FILE",
    "USUAL_GENERATION",
    "GeneratedReply",
    "HostedGenerator",
    "Usage",
]

RECORD_FILE = "generation.json"

USUAL_GENERATION = Generation(max_tokens=4096)
"""How a model generates where nobody says otherwise, in Python and on the command line; thoughts are among the tokens.
"""

_REPAIRS: frozenset[Stage] = frozenset({"context-repairs", "repairs"})
_JOB = "generation"
_ANOTHER_FOLDER = "another folder for the replies (--generated)"


class GeneratedReply(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a stage's file.

    Attributes:
        key: Of the prompt.
        prompt: Digest of the prompt: its text, and which pictures of which size it shows.
        text: The reply as it came.
        finish_reason: Why it ended.
        model: Name and version of the model as the server says.
        evidence: SHA-256 over the digests of the pictures that were sent; null without any.
        tokens: Tokens generated.
        input_tokens: Tokens read.
        seconds: Time of the call.
    """

    key: str
    prompt: str
    text: str
    finish_reason: str | None = None
    model: str | None = None
    evidence: str | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    seconds: float | None = None


class UnansweredPrompt(msgspec.Struct, frozen=True, kw_only=True):
    """A line of a stage's file of errors: a prompt that got no reply, and why."""

    stage: Stage
    key: str
    error: str


class Usage(msgspec.Struct, kw_only=True):
    """What replies came to, those of earlier calls among them: their number, and tokens read and generated."""

    replies: int = 0
    input_tokens: int = 0
    tokens: int = 0


class _Record(msgspec.Struct, frozen=True, kw_only=True):
    model: str
    parameters: dict[str, Any]
    generation: Generation
    dataset: str
    version: int = 1
    probe4d: str | None = None  # who began it; null of a folder that is older than the field


class HostedGenerator:
    """A model that replies to prompts.

    Args:
        model: inspect-ai name of the model, such as `openai/gpt-5`.
        folder: Folder of the replies, new or that of the same generation.
        root: The dataset's folder, to which the files of pictures are relative.
        dataset: Fingerprint of the dataset's tables.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
        generation: Generation options; null takes `USUAL_GENERATION`.
        course: Requests at once, repetitions, time; null takes the usual ones.
        allow_missing: Whether what got no reply is given as that, instead of ending in an error.
        begun: Told the stage, the number of its prompts, and how many replies to them were there before.
        done: Told of each reply once it is on disk, in another thread.

    Attributes:
        usage: What the replies came to that were given so far.
    """

    def __init__(
        self,
        model: str,
        folder: Path | str,
        *,
        root: Path,
        dataset: str,
        base_url: str | None = None,
        arguments: Mapping[str, Any] | None = None,
        generation: Generation | None = None,
        course: Course | None = None,
        allow_missing: bool = False,
        begun: Callable[[Stage, int, int], object] | None = None,
        done: Callable[[GeneratedReply], object] | None = None,
    ) -> None:
        self.name = model
        self.usage = Usage()
        self._folder, self._root = Path(folder), root
        self._model = HostedModel(
            name=model,
            base_url=base_url,
            arguments=dict(arguments or {}),
            generation=USUAL_GENERATION if generation is None else generation,
        )
        self._record = _Record(
            model=model,
            parameters=self._model.parameters,
            generation=self._model.generation,
            dataset=dataset,
            probe4d=__version__,
        )
        self._course = course or Course()
        self._allow_missing = allow_missing
        self._begun, self._done = begun, done

    def replies(self, stage: Stage, prompts: Sequence[Prompt]) -> dict[str, Generated]:
        """Ask for replies to the prompts of a stage, or go on with that where an earlier call stopped.

        Args:
            stage: The stage.
            prompts: Its prompts, of different keys.

        Returns:
            What became of each prompt, by its key.

        Raises:
            InputError: The folder holds something else or replies to other prompts, or the model cannot be had.
            RunError: There are prompts without a reply, and none may be missing; what was answered is kept.
        """
        with hosted_job(
            self._model, self._course, self._folder, RECORD_FILE, self._record, job=_JOB, other=_ANOTHER_FOLDER
        ) as opening:
            _forget_errors(self._folder, after=stage)
            log = _Log(self._folder, stage, prompts, self._done)
            remaining = [prompt for prompt in prompts if not log.answers(prompt.key)]
            if self._begun is not None:
                self._begun(stage, len(prompts), len(prompts) - len(remaining))
            if remaining:
                self._ask(opening, remaining, log)
            log.put_into_order(sorted({*log.lines, *log.errors}))
        if log.errors and not self._allow_missing:
            raise self._unanswered(stage, log)
        self._count(log.lines[prompt.key] for prompt in prompts if log.answers(prompt.key))
        return {prompt.key: log.generated(prompt.key) for prompt in prompts}

    def kept(self, stage: Stage, prompts: Sequence[Prompt]) -> dict[str, Generated]:
        """Give the replies of earlier calls; nothing is asked or written.

        Args:
            stage: The stage.
            prompts: Its prompts, of different keys.

        Returns:
            The replies by the keys of their prompts; none of a prompt that was not replied to.

        Raises:
            InputError: The folder holds another generation, or replies to other prompts.
        """
        if not (self._folder / RECORD_FILE).exists():
            return {}
        refuse_other_job(self._folder, RECORD_FILE, self._record, job=_JOB, other=_ANOTHER_FOLDER)
        log = _Log(self._folder, stage, prompts, None)
        return {prompt.key: log.generated(prompt.key) for prompt in prompts if log.answers(prompt.key)}

    def redacted(self, text: str) -> str:
        """A text made of replies without keys: what JSON had escaped is seen only once it is read."""
        return self._redactor(text)

    @cached_property
    def _redactor(self) -> Redactor:
        return Redactor(addresses=() if self._model.base_url is None else (self._model.base_url,))

    def _count(self, lines: Iterable[GeneratedReply]) -> None:
        for line in lines:
            self.usage.replies += 1
            self.usage.input_tokens += line.input_tokens or 0
            self.usage.tokens += line.tokens or 0

    def _ask(self, opening: Opening, prompts: Sequence[Prompt], log: _Log) -> None:
        requests = pictured_requests(
            prompts, self._root, seed=self._model.generation.seed, workers=self._course.workers
        )
        ask_all(opening.take(), requests, log, answered=bool(log.lines))

    def _unanswered(self, stage: Stage, log: _Log) -> RunError:
        key, why = next(iter(log.errors.items()))
        return RunError(
            f"{counted(len(log.errors), 'prompt')} of the stage {stage} got no reply, such as {key} ({why}). What was "
            f"answered is kept in {self._folder}; the same command asks for the others, and with --allow-missing it "
            "builds without them."
        )


class _Log(ReplyLog[GeneratedReply]):
    """The replies of a stage on disk.

    Repairs, of contexts and of pairs, follow from how first replies are read, which may differ from one version of
    Probe4D to the next: one that answers another prompt is asked for again.

    Raises:
        InputError: A line of the file is no record, or answers another prompt of its key.
    """

    def __init__(
        self,
        folder: Path,
        stage: Stage,
        prompts: Sequence[Prompt],
        done: Callable[[GeneratedReply], object] | None,
    ) -> None:
        self._digests = {prompt.key: digest([prompt.text, prompt.pictures]) for prompt in prompts}
        super().__init__(
            folder,
            _replies_file(stage),
            GeneratedReply,
            key_of=lambda line: line.key,
            line_of=self._line,
            error_of=lambda key, failure: UnansweredPrompt(stage=stage, key=key, error=failure),
            done=done,
            errors_file=_errors_file(stage),
        )
        stale = [key for key in self._digests if key in self.lines and not self.answers(key)]
        if stale and stage not in _REPAIRS:
            raise _other_prompt(folder, stage, stale[0])

    def answers(self, key: str) -> bool:
        """Whether a prompt has its reply."""
        return key in self.lines and self.lines[key].prompt == self._digests[key]

    def generated(self, key: str) -> Generated:
        """What became of a prompt."""
        if not self.answers(key):
            return Generated(text=None, failure=self.errors.get(key, "it was not asked"))
        line = self.lines[key]
        return Generated(text=line.text, finish_reason=line.finish_reason)

    def _line(self, request: Request, reply: Reply) -> GeneratedReply:
        return GeneratedReply(
            key=request.key,
            prompt=self._digests[request.key],
            text=reply.text,
            finish_reason=reply.finish_reason,
            model=reply.model,
            evidence=evidence_digest(request.images),
            tokens=reply.tokens,
            input_tokens=reply.input_tokens,
            seconds=reply.seconds,
        )


def _replies_file(stage: Stage) -> str:
    """Name of the file of a stage's replies."""
    return f"{stage}.jsonl"


def _errors_file(stage: Stage) -> str:
    return f"{stage}-errors.jsonl"


def _forget_errors(folder: Path, *, after: Stage) -> None:
    """Take away the errors of later stages, whose prompts follow from the replies of this one."""
    stages: tuple[Stage, ...] = get_args(Stage)
    for stage in stages[stages.index(after) + 1 :]:
        (folder / _errors_file(stage)).unlink(missing_ok=True)


def _other_prompt(folder: Path, stage: Stage, key: str) -> InputError:
    """Why a reply cannot be taken: another version of Probe4D may word prompts otherwise."""
    begun_by = read_versioned(folder / RECORD_FILE, _Record, 1, what=f"a {_JOB}").probe4d
    what = f"holds the reply to another prompt under the key {key}"
    if begun_by == __version__:
        remedy = "Repeat the command that began it, with its seed, sequences and annotations"
    else:
        what += f", begun by Probe4D {begun_by or 'of an earlier version'}, and this is {__version__}"
        remedy = "Go on with that version, or with the seed, sequences and annotations of the command that began it"
    return InputError(f"{what}.", path=folder / _replies_file(stage), remedy=f"{remedy}, or take {_ANOTHER_FOLDER}.")
