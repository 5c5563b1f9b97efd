"""Questions of one template in one scene: what is derived together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from probe4d.benchmarks.auditing.comparing import TOLERANCE, differences
from probe4d.benchmarks.auditing.findings import Findings
from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.stride.audit.derived import Derived, OneOf
from probe4d.benchmarks.stride.audit.form import CHECKED_ELSEWHERE
from probe4d.benchmarks.stride.audit.measuring import NO_ROW, Drive, Flags, Rows
from probe4d.benchmarks.stride.templates import Template

__all__ = ["Batch", "Question", "settled"]


@dataclass(frozen=True)
class Question:
    """A question as it is stored.

    Attributes:
        place: Its row in the benchmark.
        fields: A value for each column.
        facts: Its facts.
    """

    place: int
    fields: dict[str, Any]
    facts: dict[str, Any]

    @property
    def chosen(self) -> str:
        """Text of the option that is said to be right, or the answer itself."""
        options: list[str] = self.fields["options"]
        answer: str = self.fields["answer"]
        return options[LETTERS.index(answer)] if options else answer


@dataclass(frozen=True)
class Batch:
    """Questions of one template in one scene, n of them.

    Attributes:
        template: The template.
        drive: The scene.
        questions: The questions.
        target: Rows of their targets, `NO_ROW` where the template has none, shape (n,).
        findings: Takes in what is wrong.
    """

    template: Template
    drive: Drive
    questions: Sequence[Question]
    target: Rows
    findings: Findings

    @cached_property
    def frame(self) -> Rows:
        """Query frames, shape (n,)."""
        return np.array([question.fields["frames"][0] for question in self.questions], dtype=np.int64)

    def called(self, at: int) -> str | None:
        """What a question calls its target; null without one."""
        row = int(self.target[at])
        return None if row == NO_ROW else f"the {self.drive.words[row]} in the red box"

    def kept(self, where: Flags) -> Batch:
        """Some of the questions."""
        questions = [question for question, keep in zip(self.questions, where.tolist(), strict=True) if keep]
        return Batch(self.template, self.drive, questions, self.target[where], self.findings)

    def add(self, at: int, what: str, *, rule: str | None = None) -> None:
        """Add a finding about a question; without a rule that of its template."""
        self.findings.add(self.questions[at].place, what, rule=rule or self.template.relation)

    def differ(
        self, at: int, name: str, stored: Any, derived: Any, *, rule: str | None = None, tolerance: float = TOLERANCE
    ) -> None:
        """Add a finding for each difference of a value."""
        for what in differences(name, stored, derived, tolerance=tolerance):
            self.add(at, what, rule=rule)

    def check(self, derived: Derived) -> None:
        """Compare answers, margins and facts with what was derived."""
        self.check_answers(derived)
        for at, (question, margins) in enumerate(zip(self.questions, derived.margins(), strict=True)):
            unit, facts = question.facts.get("margin_unit"), derived.facts_at(at)
            fitting = [margin for margin in margins if margin.unit == unit] or margins
            self.differ(at, "margin", question.fields["margin"], fitting[0].distance if fitting else None)
            self.check_facts(at, facts | ({"margin_unit": fitting[0].unit} if fitting else {}))

    def check_answers(self, derived: Derived) -> None:
        """Compare answers, and see that none is too near to a line to be asked for."""
        may_be_asked, _ = derived.is_asked()
        for at, question in enumerate(self.questions):
            right = derived.answers[at]
            if right is None:
                self.add(at, f"answer: stored {question.chosen!r}, and the question has none there")
            elif question.chosen != right:
                self.add(at, f"answer: stored {question.chosen!r}, derived {right!r}")
            elif not may_be_asked[at]:
                self.add(at, "lies nearer to a line at which the answer changes than its least margin")

    def check_facts(self, at: int, derived: dict[str, Any]) -> None:
        """Compare facts, but for those about the target and others that are checked elsewhere."""
        about_target = ("objects", "target") if self.template.has_target else ()
        left_out = (*CHECKED_ELSEWHERE, *about_target)
        told = {name: value for name, value in self.questions[at].facts.items() if name not in left_out}
        self.differ(at, "facts", told, settled(derived, told))


def settled(derived: dict[str, Any], stored: dict[str, Any]) -> dict[str, Any]:
    """Derived facts, and where one can be any of several, that which is stored, if it is among them."""
    return {name: _settled(value, stored.get(name)) for name, value in derived.items()}


def _settled(value: Any, stored: Any) -> Any:
    if not isinstance(value, OneOf):
        return value
    fitting = [each for each in value.values if not list(differences("", stored, each))]
    return (fitting or list(value.values))[0]
