"""What a model is sent and what comes back."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Protocol, runtime_checkable

import msgspec

from probe4d.errors import RunError
from probe4d.evidence.image import Image

__all__ = [
    "Contrast",
    "Described",
    "FeatureRows",
    "Foresighted",
    "KeptLogit",
    "Model",
    "ModelFailure",
    "Reply",
    "Request",
]


class FeatureRows(msgspec.Struct, frozen=True):
    """LiDAR features that a request shows, by name: the model looks them up in its folder of features.

    Attributes:
        scene: Scene whose features are shown.
        frames: Its key frames, in the order shown; a frame is a row of the scene's features.
    """

    scene: str
    frames: tuple[int, ...]


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """Temporal-shuffle contrastive decoding of a request (LiDAR-Hallu, section V-B, equation 9).

    Attributes:
        alpha: Weight of the difference between the logits of the two branches.
        order: Row j of the second branch is row `order[j]` of the first.
    """

    alpha: float
    order: tuple[int, ...]


class KeptLogit(msgspec.Struct, frozen=True, kw_only=True):
    """What both branches gave one token as the first of an answer.

    Attributes:
        token: The token's number.
        text: The token as text.
        label: The option's label that the token begins, or null.
        clean: Its logit with the frames in order.
        shuffled: Its logit with the frames shuffled; null without contrast.
    """

    token: int
    text: str
    label: str | None
    clean: float
    shuffled: float | None


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """One call of a model.

    Attributes:
        key: Names the request in logs; unique among those asked together.
        text: Text of the user's message.
        images: Pictures put before the text, in order.
        features: LiDAR features put before the text; only a LiDAR language model takes any.
        contrast: How a LiDAR language model decodes with temporal contrast; null decodes plainly.
        ego_text: How the ego vehicle moves, for a LiDAR language model, which has a place of its own for it.
        labels: Labels of the answers that the question offers, whose logits are kept where a model keeps any.
        seed: Seed of the generation; null leaves it to the provider.
        hints: Generation options that this request needs, over those of the model.
    """

    key: str
    text: str
    images: tuple[Image, ...] = ()
    features: FeatureRows | None = None
    contrast: Contrast | None = None
    ego_text: str | None = None
    labels: tuple[str, ...] = ()
    seed: int | None = None
    hints: Mapping[str, Any] = {}


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a model answered.

    Attributes:
        text: The reply as it came, but for keys, which are replaced by `[redacted]`.
        reasoning: Reasoning that the provider returned apart from the reply.
        finish_reason: Why generation ended, as inspect-ai names it: `stop`, `max_tokens`, `content_filter`, …;
            `refusal` where the server marks the text as the refusal of an answer
        model: Name and version of the model as the server says; null where it says nothing.
        tokens: Tokens generated.
        input_tokens: Tokens read.
        seconds: Time of the call that succeeded.
        first_logits: Logits of the first token, where they were to be kept.
    """

    text: str
    reasoning: str | None = None
    finish_reason: str | None = None
    model: str | None = None
    tokens: int | None = None
    input_tokens: int | None = None
    seconds: float | None = None
    first_logits: tuple[KeptLogit, ...] = ()


class ModelFailure(RunError):
    """A request got no reply; the text says why, in one line and without secrets.

    Args:
        what: The reason.
        fatal: Whether every other request would fail alike, as with a wrong key, so that asking should end.
        of_server: Whether the reason may lie with the server rather than with this request, so that asking should
            end where many requests in a row fail so.
        of_question: Whether the reason is known to lie with this request (too long, too large, refused for what it
            says), so that it tells nothing of the others.
    """

    def __init__(self, what: str, *, fatal: bool = False, of_server: bool = False, of_question: bool = False) -> None:
        super().__init__(what)
        self.fatal = fatal
        self.of_server = of_server
        self.of_question = of_question


class Model(Protocol):
    """Who can be asked."""

    @property
    def name(self) -> str:
        """Name as given, such as `openai/gpt-5`."""

    @property
    def max_connections(self) -> int:
        """How many requests may be under way at once."""

    async def reply(self, request: Request) -> Reply:
        """Answer a request.

        Raises:
            ModelFailure: There is no reply.
        """

    async def close(self) -> None:
        """Give connections back."""


@runtime_checkable
class Described(Protocol):
    """A model of which its name does not say everything."""

    @property
    def made_from(self) -> Mapping[str, Any]:
        """What else tells it from others of its name, for the parameters of the run's record."""


@runtime_checkable
class Foresighted(Protocol):
    """A model that knows beforehand what it cannot be asked, so that no run of it need begin."""

    def check(self, keys: Collection[str], *, pictures: bool) -> None:
        """Refuse requests that it has no reply to.

        Args:
            keys: Keys of all requests.
            pictures: Whether they come with pictures.

        Raises:
            InputError: It cannot be asked these.
        """
