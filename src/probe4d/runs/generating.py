"""Has a model reply to the prompts of a suite's pipeline, so that no reply is ever lost or asked for twice.

A folder of replies holds `generation.json` (what was asked, of which dataset), a file a stage such as `contexts.jsonl`
(every reply as it came, with the digest of its prompt) and `errors.jsonl` (prompts without a reply, while there are
any).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from probe4d.benchmarks.generating import Generated, Picture, Prompt, Stage
from probe4d.errors import InputError, RunError
from probe4d.evidence.image import Image, image_of, jpeg_of
from probe4d.evidence.photographs import open_photograph
from probe4d.models.asking import Finished, ask_all
from probe4d.models.course import Course
from probe4d.models.generation import Generation, refuse_keys
from probe4d.models.hosted import open_model
from probe4d.models.local.reading_ahead import read_ahead
from probe4d.models.opening import Opening
from probe4d.models.reply_log import ReplyLog
from probe4d.models.request import Model, Reply, Request
from probe4d.models.secrets import Redactor, without_secrets
from probe4d.runs.requests import evidence_digest
from probe4d.store.files import inside
from probe4d.store.hashing import digest
from probe4d.store.job_folder import hold_folder
from probe4d.wording import counted

__all__ = ["RECORD_FILE", "GeneratedReply", "HostedGenerator", "Usage", "pictured_requests", "replies_file"]

RECORD_FILE = "generation.json"

_JPEG_QUALITY = 85
_WORKERS = 4
_PICTURES_HELD = 64
"""Most pictures that are read and not sent: those of two prompts of the longest sequences."""

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
    """A line of `errors.jsonl`: a prompt that got no reply, and why."""

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


class HostedGenerator:
    """A model that replies to prompts.

    Args:
        model: inspect-ai name of the model, such as `openai/gpt-5`.
        folder: Folder of the replies, new or that of the same generation.
        root: The dataset's folder, to which the files of pictures are relative.
        dataset: Fingerprint of the dataset's tables.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
        generation: Generation options.
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
        self._folder, self._root, self._dataset = Path(folder), root, dataset
        self._base_url = base_url
        self._arguments = dict(arguments or {})
        self._generation = generation or Generation()
        self._course = course or Course()
        self._allow_missing = allow_missing
        self._begun, self._done = begun, done
        refuse_keys(self._arguments, self._generation)

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
        record = _Record(
            model=self.name,
            parameters=without_secrets({"base_url": self._base_url, **self._arguments}),
            generation=self._generation,
            dataset=self._dataset,
        )
        opening = Opening(self._opened, at_once=not (self._folder / RECORD_FILE).exists())
        with opening, hold_folder(self._folder, RECORD_FILE, record, job="generation", other=_ANOTHER_FOLDER):
            log = _Log(self._folder, stage, prompts, self._done)
            remaining = [prompt for prompt in prompts if prompt.key not in log.lines]
            if self._begun is not None:
                self._begun(stage, len(prompts), len(prompts) - len(remaining))
            if remaining:
                self._ask(opening, remaining, log)
            log.put_into_order(sorted({*log.lines, *log.errors}))
        if log.errors and not self._allow_missing:
            raise self._unanswered(stage, log)
        self._count(log.lines[prompt.key] for prompt in prompts if prompt.key in log.lines)
        return {prompt.key: log.generated(prompt.key) for prompt in prompts}

    def redacted(self, text: str) -> str:
        """A text made of replies without keys: what JSON had escaped is seen only once it is read."""
        return self._redactor(text)

    @cached_property
    def _redactor(self) -> Redactor:
        return Redactor(addresses=() if self._base_url is None else (self._base_url,))

    def _count(self, lines: Iterable[GeneratedReply]) -> None:
        for line in lines:
            self.usage.replies += 1
            self.usage.input_tokens += line.input_tokens or 0
            self.usage.tokens += line.tokens or 0

    def _ask(self, opening: Opening, prompts: Sequence[Prompt], log: _Log) -> None:
        requests = pictured_requests(
            prompts, self._root, seed=self._generation.seed, workers=self._course.workers or _WORKERS
        )
        ask_all(opening.take(), requests, log, answered=bool(log.lines))

    def _opened(self) -> Model:
        return open_model(
            self.name,
            base_url=self._base_url,
            arguments=self._arguments,
            generation=self._generation,
            max_connections=self._course.connections(self.name),
            max_retries=self._course.max_retries,
            timeout_s=self._course.timeout_s,
        )

    def _unanswered(self, stage: Stage, log: _Log) -> RunError:
        key, why = next(iter(log.errors.items()))
        return RunError(
            f"{counted(len(log.errors), 'prompt')} of the stage {stage} got no reply, such as {key} ({why}). What was "
            f"answered is kept in {self._folder}; the same command asks for the others, and with --allow-missing it "
            "builds without them."
        )


class _Log(ReplyLog[GeneratedReply]):
    """The replies of a stage on disk.

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
            replies_file(stage),
            GeneratedReply,
            key_of=lambda line: line.key,
            line_of=self._line,
            error_of=lambda key, failure: UnansweredPrompt(stage=stage, key=key, error=failure),
            done=done,
        )
        for key, sha256 in self._digests.items():
            if key in self.lines and self.lines[key].prompt != sha256:
                raise InputError(
                    f"holds the reply to another prompt under the key {key}.",
                    path=folder / replies_file(stage),
                    remedy="Repeat the command that began it, with its seed, sequences and annotations, or take "
                    f"{_ANOTHER_FOLDER}.",
                )

    def generated(self, key: str) -> Generated:
        """What became of a prompt."""
        line = self.lines.get(key)
        if line is None:
            return Generated(text=None, failure=self.errors.get(key, "it was not asked"))
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


def replies_file(stage: Stage) -> str:
    """Name of the file of a stage's replies."""
    return f"{stage}.jsonl"


def pictured_requests(
    prompts: Sequence[Prompt], root: Path, *, seed: int | None, workers: int = _WORKERS
) -> Iterator[Request | Finished]:
    """Make a request of each prompt; pictures are read ahead of who takes them, in memory that is bounded.

    Args:
        prompts: The prompts.
        root: The dataset's folder, to which the files of pictures are relative.
        seed: Seed of the generation.
        workers: Threads that read pictures.

    Yields:
        A request, or the request as finished with its failure where a picture cannot be read.
    """

    def load(file: str, longest_side_px: int) -> Image | InputError:
        try:
            return _picture(root, Picture(file, longest_side_px))
        except InputError as error:
            return error

    shown = ((picture.file, picture.longest_side_px) for prompt in prompts for picture in prompt.pictures)
    loaded = read_ahead(load, shown, workers, held=_PICTURES_HELD)
    try:
        for prompt in prompts:
            pictures = [next(loaded) for _ in prompt.pictures]
            request = Request(key=prompt.key, text=prompt.text, seed=seed)
            fault = next((one for one in pictures if isinstance(one, InputError)), None)
            if fault is not None:
                yield Finished(request, None, str(fault))
            else:
                images = tuple(one for one in pictures if isinstance(one, Image))
                yield msgspec.structs.replace(request, images=images)
    finally:
        loaded.close()


def _picture(root: Path, picture: Picture) -> Image:
    box_px = (picture.longest_side_px, picture.longest_side_px)
    pixels = open_photograph(inside(root, picture.file), box_px, may_grow=False)
    return image_of(jpeg_of(pixels, _JPEG_QUALITY), "image/jpeg")
