"""Any model that inspect-ai can reach: hosted APIs, local servers, Hugging Face models in this process."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from probe4d.errors import InputError
from probe4d.evidence.image import Image
from probe4d.models.generation import Generation
from probe4d.models.request import ModelFailure, Reply, Request

if TYPE_CHECKING:
    from inspect_ai.model import Model as InspectModel

__all__ = ["HostedModel", "open_model"]


def open_model(
    name: str,
    *,
    base_url: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    generation: Generation | None = None,
    max_connections: int = 10,
    max_retries: int = 5,
    timeout_s: int = 600,
) -> HostedModel:
    """Open a model by its inspect-ai name, such as `openai/gpt-5` or `openai-api/local/llama`.

    Args:
        name: Provider and model.
        base_url: Address of the server, where it is not the provider's own.
        arguments: The provider's own arguments.
        generation: Generation options.
        max_connections: Most requests under way at once.
        max_retries: Repetitions of a request after passing faults, such as 429 and 503.
        timeout_s: Longest time for one request with its repetitions, seconds.

    Raises:
        InputError: inspect-ai or the provider's package is not installed, the provider is unknown, or its key
            is not in the environment.
    """
    try:
        from inspect_ai.model import GenerateConfig, get_model
    except ImportError as error:
        raise InputError(
            "asking models needs inspect-ai, which is not installed.", remedy="pip install 'probe4d[models]'"
        ) from error
    generation = generation or Generation()
    config = GenerateConfig(
        temperature=generation.temperature,
        top_p=generation.top_p,
        max_tokens=generation.max_tokens,
        seed=generation.seed,
        reasoning_effort=generation.reasoning_effort,
        extra_body=generation.extra_body or None,
        system_message=generation.system,
        max_connections=max_connections,
        max_retries=max_retries,
        timeout=timeout_s,
    )
    try:
        model = get_model(name, config=config, base_url=base_url, memoize=False, **(arguments or {}))
    except Exception as error:
        raise InputError(f"the model {name!r} cannot be opened ({error}).") from error
    return HostedModel(name, model, generation, max_connections)


class HostedModel:
    """A model behind inspect-ai; see `probe4d.models.request.Model`."""

    def __init__(self, name: str, model: InspectModel, generation: Generation, max_connections: int) -> None:
        self.name = name
        self.max_connections = max_connections
        self._model = model
        self._generation = generation

    async def reply(self, request: Request) -> Reply:
        """Answer a request through inspect-ai, with its retries.

        Raises:
            ModelFailure: The provider gave no reply.
        """
        from inspect_ai.model import ChatMessageUser, ContentImage, ContentText, GenerateConfig

        config = GenerateConfig(seed=request.seed, **request.hints)
        detail = self._generation.image_detail or "auto"
        content: list[ContentImage | ContentText] = [
            ContentImage(image=_data_uri(image), detail=detail) for image in request.images
        ]
        content.append(ContentText(text=request.text))
        try:
            output = await self._model.generate([ChatMessageUser(content=list(content))], config=config)
        except Exception as error:
            raise ModelFailure(f"{type(error).__name__}: {error}") from error
        message = output.choices[0].message
        return Reply(
            text=message.text,
            finish_reason=output.stop_reason,
            model=output.model or None,
            tokens=output.usage.output_tokens if output.usage else None,
            input_tokens=output.usage.input_tokens if output.usage else None,
            seconds=output.time,
        )

    async def close(self) -> None:
        """Close the provider's connections."""
        await self._model.api.aclose()


def _data_uri(image: Image) -> str:
    return f"data:{image.media_type};base64,{base64.b64encode(image.content).decode('ascii')}"
