"""How a suite has texts generated without knowing by whom: prompts in, replies out, each kept under its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, Protocol

import msgspec

__all__ = ["Generated", "Generator", "Picture", "Prompt", "Stage"]

Stage = Literal["contexts", "context-repairs", "pairs", "repairs"]
"""What a prompt is of, in the order in which stages follow one another: descriptions of pictures, such that were cut
off, asked for again, question-answer pairs, and such that had faults, asked for again.
"""


class Picture(msgspec.Struct, frozen=True):
    """A camera image that a prompt shows.

    Attributes:
        file: Relative to the dataset's folder.
        longest_side_px: It is sent no larger than this; its aspect is kept.
    """

    file: str
    longest_side_px: int


class Prompt(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be replied to.

    Attributes:
        key: Names it among those of its stage, such as `scene-0061/2/front` or `scene-0061/2/existence`.
        text: The whole text.
        pictures: Shown before the text, in order.
    """

    key: str
    text: str
    pictures: tuple[Picture, ...] = ()


class Generated(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a prompt.

    Attributes:
        text: The reply as it came; null where there is none.
        finish_reason: Why it ended, such as `stop` or `max_tokens`.
        failure: Why there is no reply.
    """

    text: str | None
    finish_reason: str | None = None
    failure: str | None = None


class Generator(Protocol):
    """Replies to prompts; a reply once given is given again."""

    @property
    def name(self) -> str:
        """What the record calls it."""

    def replies(self, stage: Stage, prompts: Sequence[Prompt]) -> Mapping[str, Generated]:
        """What became of each prompt, by its key."""

    def redacted(self, text: str) -> str:
        """A text read out of a reply, without keys that the reply had hidden, as by escapes of JSON."""
