"""What a setting is: how a question is worded, how often it is asked, and what of a reply is the answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from probe4d.benchmarks.question import Question

__all__ = ["Setting", "Variant"]


class Variant(NamedTuple):
    """One way in which a question is asked.

    Attributes:
        name: Name in the answer log; null where a question is asked once.
        rotation: The options are shown rotated: letter i stands before option (i + rotation) mod n.
        seed_offset: Added to the seed of the generation; null leaves the seed as it is.
    """

    name: str | None = None
    rotation: int = 0
    seed_offset: int | None = None


@dataclass(frozen=True)
class Setting:
    """A setting; see `probe4d.runs.settings` for those that exist.

    Attributes:
        name: Name on the command line and in `run.json`.
        wording: Which of the suite's prompts words the questions.
        layout: What `RunRecord.layout` says: `ego` where the ego-motion text stands before the question.
        hints: Generation options that the setting needs, where the user gives none.
    """

    name: str
    wording: str = "default"
    layout: str = "plain"
    hints: Mapping[str, Any] = field(default_factory=dict)

    def variants(self, question: Question) -> tuple[Variant, ...]:
        """The ways in which a question is asked, the first of which gives the run's own figures.

        They depend on the question's format and number of options alone.
        """
        return (Variant(),)

    def answer_part(self, text: str) -> str:
        """The part of a reply that is the answer."""
        return text
