"""Generation options, as the command line and run records have them."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

__all__ = ["Generation"]


class Generation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a model generates; null leaves an option to the provider.

    Attributes:
        temperature: Sampling temperature.
        top_p: Nucleus of sampling.
        max_tokens: Most tokens of a reply.
        seed: Seed; a setting that repeats counts up from it.
        reasoning_effort: How much a reasoning model thinks.
        image_detail: Detail at which pictures are read.
        extra_body: Further fields of the request's JSON body.
        system: System message.
    """

    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    reasoning_effort: Literal["none", "minimal", "low", "medium", "high", "xhigh", "max"] | None = None
    image_detail: Literal["auto", "low", "high", "original"] | None = None
    extra_body: dict[str, Any] = {}
    system: str | None = None
