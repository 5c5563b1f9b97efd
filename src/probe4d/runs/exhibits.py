"""What each question shows: which pictures, and the lines of the prompt that list them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from probe4d.benchmarks.question import Question
from probe4d.evidence.pictures import Picture
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.run import LeftOut
from probe4d.scenes.tables import Scenes

__all__ = ["Exhibit", "Exhibits", "exhibits"]


@dataclass(frozen=True)
class Exhibit:
    """What one question shows.

    Attributes:
        pictures: In the order shown.
        preamble: Text before the question that lists the pictures; empty without.
        source: Scene shown, where it is not the question's own.
        source_answer: The reference answer that the question would have in that scene; null without one.
    """

    pictures: tuple[Picture, ...] = ()
    preamble: str = ""
    source: str | None = None
    source_answer: str | None = None


@dataclass(frozen=True)
class Exhibits:
    """What the questions of a run show.

    Attributes:
        of: Exhibit by question id.
        left_out: Questions that cannot be asked with this evidence.
    """

    of: dict[str, Exhibit]
    left_out: tuple[LeftOut, ...] = field(default=())


def exhibits(questions: Sequence[Question], plan: EvidencePlan, scenes: Scenes | None) -> Exhibits:
    """Choose what every question shows.

    Raises:
        InputError: The plan needs scenes, and there are none.
    """
    if plan.kind == "none":
        nothing = Exhibit()
        return Exhibits({question.id: nothing for question in questions})
    raise NotImplementedError(plan.kind)
