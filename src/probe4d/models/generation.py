"""Generation options, as the command line and run records have them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from probe4d.errors import InputError
from probe4d.models.secrets import Redactor, refuse_secrets

__all__ = ["Generation", "ImageDetail", "ReasoningEffort", "refuse_keys"]

_HOTTEST = 2.0
"""The highest temperature that OpenAI's and Google's APIs take; no provider takes a higher one."""


_OWN_FIELDS = {
    **dict.fromkeys(("messages", "prompt", "input", "contents"), "The question is put there."),
    **dict.fromkeys(("system", "instructions", "system_instruction"), "Give it as system (--system)."),
    **dict.fromkeys(
        ("max_tokens", "max_completion_tokens", "max_output_tokens"), "Give it as max_tokens (--max-tokens)."
    ),
    **dict.fromkeys(("n", "best_of"), "An answer is one reply; the setting repeat:N asks N times."),
    **dict.fromkeys(("stream", "stream_options"), "The provider's code reads the reply as it asked for it."),
    "model": "Give it as the model (--model).",
    "temperature": "Give it as temperature (--temperature).",
    "top_p": "Give it as top_p (--top-p).",
    "seed": "Give it as seed (--seed).",
    "reasoning_effort": "Give it as reasoning_effort (--reasoning-effort).",
}
"""Fields of a request's body that the question or an option of its own fills, and what to do instead.

Set a second time they would be sent in place of what the run's records say.
"""

_EXTRA_BODY = "extra_body (--extra-body)"
"""The option as Python and as the command line have it."""

ReasoningEffort = Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"]
ImageDetail = Literal["auto", "low", "high", "original"]


class Generation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a model generates; null leaves an option to the provider.

    Attributes:
        temperature: Sampling temperature.
        top_p: Nucleus of sampling.
        max_tokens: Most tokens of a reply.
        seed: Seed; a setting that repeats counts up from it.
        reasoning_effort: How much a reasoning model thinks.
        image_detail: Detail at which pictures are read.
        extra_body: Further fields of the request's JSON body, none that the question or another option fills.
        system: System message.

    Raises:
        InputError: A number is out of its range, or `extra_body` holds what the request itself says.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: ReasoningEffort | None = None
    image_detail: ImageDetail | None = None
    extra_body: dict[str, Any] = {}
    system: str | None = None

    def __post_init__(self) -> None:
        """Refuse numbers that no provider takes, and fields that would replace others."""
        if self.temperature is not None and not 0 <= self.temperature <= _HOTTEST:
            raise InputError(f"the temperature must be 0 to {_HOTTEST}, not {self.temperature}.")
        if self.top_p is not None and not 0 < self.top_p <= 1:
            raise InputError(f"top_p must be above 0 and at most 1, not {self.top_p}.")
        if self.max_tokens is not None and self.max_tokens < 1:
            raise InputError(f"max_tokens must be at least 1, not {self.max_tokens}.")
        for name in self.extra_body:
            if (instead := _OWN_FIELDS.get(name)) is not None:
                raise InputError(f"extra_body holds {name!r}, which each request says itself.", remedy=instead)


def refuse_keys(arguments: Mapping[str, Any], generation: Generation) -> None:
    """Refuse options that would put a key into records.

    Args:
        arguments: The provider's own arguments; a key in their values is recorded as `[redacted]`.
        generation: Generation options, which are recorded as they are.

    Raises:
        InputError: An option is named as keys are, or a generation option holds one.
    """
    refuse_secrets(arguments)
    refuse_secrets(generation.extra_body, of=_EXTRA_BODY)
    redact = Redactor()
    for option, value in ((_EXTRA_BODY, generation.extra_body), ("system (--system)", generation.system)):
        text = json.dumps(value, default=str)
        if redact(text) != text:
            raise InputError(
                f"{option} holds a key, which would stand in the run's records.",
                remedy="Leave it out; the provider reads its key from the environment (or .env).",
            )
