"""A model behind inspect-ai, asked without its task loop: our own retries, and nothing kept of what was sent."""

from __future__ import annotations

import asyncio
import base64
import logging
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from typing import Any

from inspect_ai.event import ModelEvent
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageUser,
    Content,
    ContentImage,
    ContentReasoning,
    ContentText,
    GenerateConfig,
    Model,
    ModelOutput,
    ModelUsage,
)
from tenacity import RetryError

from probe4d.evidence.image import Image
from probe4d.models.failures import Fault, fault_of, one_line, too_long
from probe4d.models.generation import Generation
from probe4d.models.request import ModelFailure, Reply, Request
from probe4d.models.retrying import Retries
from probe4d.models.secrets import Redactor
from probe4d.wording import whole_characters

try:  # no public way keeps pictures out of the transcript
    from inspect_ai.model._model import use_model_event_sink
except ImportError:
    use_model_event_sink = None  # type: ignore[assignment]

__all__ = ["InspectModel", "generate_config"]

_LOG = logging.getLogger(__name__)

_IN_BATCHES = ("hf",)
"""Providers that count the padding of a batch as tokens, and call every end of a reply `stop`."""

_REFUSALS = ("model_length", "content_filter")
"""Ends of a reply by which inspect-ai words an error of the provider as if the model had said it."""


def generate_config(options: Mapping[str, Any]) -> GenerateConfig:
    """Generation options, under the names of `Generation`, as inspect-ai has them; null leaves one out."""
    names = {"system": "system_message"}
    given = {names.get(name, name): value for name, value in options.items() if value is not None and value != {}}
    return GenerateConfig(**{name: value for name, value in given.items() if name != "image_detail"})


class InspectModel:
    """A model behind inspect-ai; see `probe4d.models.request.Model`.

    Args:
        name: Name as given.
        model: The model, opened without retries of its own.
        generation: Generation options.
        max_connections: Most requests under way at once.
        retries: How passing faults are met.
        redact: Takes keys out of what is said.
        arguments: Names of the provider's own arguments that the model was opened with.
    """

    def __init__(
        self,
        name: str,
        model: Model,
        generation: Generation,
        max_connections: int,
        retries: Retries,
        redact: Redactor,
        arguments: Sequence[str] = (),
    ) -> None:
        if use_model_event_sink is None:
            _LOG.warning("This inspect-ai keeps every picture that is sent in memory until the end.")
        self.name = name
        self.max_connections = max_connections
        self._model = model
        self._detail = generation.image_detail or "auto"
        self._retries = retries
        self._redact = redact
        self._arguments = arguments
        self._read = False
        self._in_batches = name.partition("/")[0] in _IN_BATCHES
        self._streams = getattr(model.api, "stream", None) is True
        self._reached = False
        self._asked = False
        self._until_closed = ExitStack()

    async def reply(self, request: Request) -> Reply:
        """Answer a request, with repetitions after passing faults.

        Raises:
            ModelFailure: The provider gave no reply, refused the request, or was not there.
        """
        if not self._asked:
            self._asked = True
            self._until_closed.enter_context(_QUIET.warnings_of_odd_answers())
        messages = [ChatMessageUser(content=self._content(request))]
        config = generate_config({"seed": request.seed, **request.hints})
        end = time.monotonic() + self._retries.timeout_s
        for attempt in range(self._retries.most + 1):
            try:
                async with asyncio.timeout(end - time.monotonic()) as limit:
                    with _unrecorded():
                        output = await self._model.generate(list(messages), config=config)
                self._reached = True
                reply = self._reply(output)
                self._read = True
                return reply
            except ModelFailure:
                raise
            except Exception as error:
                if limit.expired():
                    raise ModelFailure(f"no answer within {self._retries.timeout_s:g} s.", of_server=True) from None
                await self._wait_or_fail(request, error, attempt, end)
        raise AssertionError("the last attempt replies or fails")

    async def close(self) -> None:
        """Close the provider's connections, or free the model in this process."""
        self._until_closed.close()
        await self._model.api.aclose()

    async def _wait_or_fail(self, request: Request, error: Exception, attempt: int, end: float) -> None:
        api = self._model.api
        address = getattr(api, "base_url", None)
        fault = fault_of(
            error,
            with_images=bool(request.images),
            address=address,
            key_names=api.api_key_vars,
            redact=self._redact,
        )
        self._reached = self._reached or not fault.unreachable
        passing = fault.passing or isinstance(error, RetryError)  # which inspect-ai raises for what passes
        if not passing or fault.hopeless or attempt == self._retries.most:
            raise self._final(fault) from error
        wait_s = self._retries.wait_s(request.key, attempt, fault.retry_after_s)
        if wait_s >= end - time.monotonic():
            what = f"{fault.failure} It may be asked again in {wait_s:,.1f} s, past the {self._retries.timeout_s:,g} s"
            raise ModelFailure(f"{what} that a request may take.", of_server=True) from error
        await asyncio.sleep(wait_s)

    def _final(self, fault: Fault) -> ModelFailure:
        if fault.unreachable and not self._reached:
            return ModelFailure(f"{fault.failure} Start the server, or check its address.", fatal=True)
        if fault.unreadable and self._arguments and not self._read:
            given = ", ".join(self._arguments)
            what = f"{fault.failure} Or the value of an argument (-M) is none that the provider takes: {given}."
            return ModelFailure(what, of_server=True)
        return fault.failure

    def _content(self, request: Request) -> list[Content]:
        pictures = [ContentImage(image=_data_uri(image), detail=self._detail) for image in request.images]
        return [*pictures, ContentText(text=request.text)]

    def _reply(self, output: ModelOutput) -> Reply:
        if not output.choices:
            raise ModelFailure("the server's answer holds no choice, and so no text.", of_server=True)
        choice = output.choices[0]
        if output.usage is None and output.response_id is None and choice.stop_reason in _REFUSALS:
            raise _refusal(choice.stop_reason, one_line(choice.message.text, self._redact))
        if self._streams and choice.stop_reason == "unknown":
            raise ModelFailure("the stream of the answer broke off.", of_server=True)
        usage = None if self._in_batches else output.usage
        return Reply(
            text=self._kept(choice.message.text),
            reasoning=self._kept(thoughts) if (thoughts := _reasoning(choice.message.content)) else None,
            finish_reason=None if self._in_batches else _finish_reason(choice),
            model=self._kept(output.model) if output.model else None,
            tokens=_count(usage.output_tokens) if usage else None,
            input_tokens=_count(_tokens_read(usage)) if usage else None,
            seconds=output.time,
        )

    def _kept(self, text: str) -> str:
        """A reply as it may be written: without keys, and half surrogates, which UTF-8 cannot hold, replaced."""
        return self._redact(whole_characters(text))


class _Nowhere:
    """Takes inspect-ai's record of each call, which would hold every picture, and keeps nothing."""

    def on_pending(self, event: ModelEvent) -> None:
        """Drop it."""

    def on_complete(self, event: ModelEvent) -> None:
        """Drop it."""


def _unrecorded() -> AbstractContextManager[None]:
    """Keep calls out of inspect-ai's transcript while the block runs, where its version can."""
    return nullcontext() if use_model_event_sink is None else use_model_event_sink(_Nowhere())


class _Quiet:
    """Silences a warning while any model is asked, and no longer: filters of warnings are the whole process's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._models = 0
        self._filters = ExitStack()

    @contextmanager
    def warnings_of_odd_answers(self) -> Iterator[None]:
        """Silence pydantic on answers that are not as the protocol says.

        They end as failures; the warning would print what the server sent.
        """
        with self._lock:
            if self._models == 0:
                self._filters.enter_context(warnings.catch_warnings())
                warnings.filterwarnings("ignore", "Pydantic serializer warnings")
            self._models += 1
        try:
            yield
        finally:
            with self._lock:
                self._models -= 1
                if self._models == 0:
                    self._filters.close()


_QUIET = _Quiet()


def _data_uri(image: Image) -> str:
    return f"data:{image.media_type};base64,{base64.b64encode(image.content).decode('ascii')}"


def _refusal(stop_reason: str, said: str) -> ModelFailure:
    if stop_reason == "model_length":
        return too_long(said)
    return ModelFailure(f"the provider refuses the question ({said}).", of_question=True)


def _finish_reason(choice: ChatCompletionChoice) -> str | None:
    """Why generation ended; `refusal` where the server marks the text as one, which inspect-ai calls `stop`."""
    content = choice.message.content
    if not isinstance(content, str) and any(isinstance(part, ContentText) and part.refusal for part in content):
        return "refusal"
    return None if choice.stop_reason == "unknown" else choice.stop_reason


def _reasoning(content: str | list[Content]) -> str | None:
    """Reasoning that came apart from the reply; of an encrypted one its summary."""
    if isinstance(content, str):
        return None
    parts = [part for part in content if isinstance(part, ContentReasoning)]
    thoughts = [part.summary or "" if part.redacted else part.reasoning for part in parts]
    return "\n".join(thoughts) if any(thoughts) else None


def _tokens_read(usage: ModelUsage) -> int:
    """All tokens read, those from the provider's cache and those put into it too."""
    return usage.input_tokens + (usage.input_tokens_cache_read or 0) + (usage.input_tokens_cache_write or 0)


def _count(tokens: int) -> int | None:
    """A number of tokens; null where it cannot be one."""
    return tokens if tokens >= 0 else None
