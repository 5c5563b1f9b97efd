"""Derives the references of open questions: the answers to their parts, one after another (App. A.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probe4d.benchmarks.stride.audit.batch import Batch, settled
from probe4d.benchmarks.stride.audit.deriving import LABELS, derive
from probe4d.benchmarks.stride.audit.labelled import LabelsTold
from probe4d.benchmarks.stride.audit.references import OWN_FACTS, part_faults, parts_told, reference_faults
from probe4d.benchmarks.stride.templates import TEMPLATES

__all__ = ["check_composed"]


def check_composed(batch: Batch, labels: LabelsTold, *, verbalizer: str) -> None:
    """Check open questions: which parts they have, each answer with its facts, and the reference.

    Args:
        batch: The questions.
        labels: Takes in what parts tell of labels, which is not derived.
        verbalizer: Who worded references, as the record says.
    """
    measured = {
        name: derive(name, batch.drive, batch.frame, batch.target)
        for name in batch.template.parts
        if name not in LABELS
    }
    asked = {name: derived.is_asked() for name, derived in measured.items()}
    for at, question in enumerate(batch.questions):
        told, faults = parts_told(batch.template, question.facts)
        for what in faults:
            batch.add(at, what)
        for name, (perhaps, surely) in asked.items():
            if surely[at] and name not in told:
                batch.add(at, f"facts.reference_parts: {name} has an answer there and is left out")
            elif name in told and not perhaps[at]:
                batch.add(at, f"facts.reference_parts: {name} has no answer there, or one too near to a line")
            elif name in told:
                facts, stored = measured[name].facts_at(at), told[name].get("facts")
                expected = settled(facts, stored) if isinstance(stored, dict) else facts
                _compare_part(batch, at, name, told[name], answer=measured[name].answers[at], facts=expected)
        for name in (name for name in told if name in LABELS):
            _check_label(batch, at, name, told[name], labels)
        for what in reference_faults(question.fields["answer"], question.facts, told, verbalizer):
            batch.add(at, what)
        batch.differ(at, "margin", question.fields["margin"], None)
        batch.check_facts(at, {name: value for name, value in question.facts.items() if name in OWN_FACTS})


def _check_label(batch: Batch, at: int, name: str, part: Mapping[str, Any], labels: LabelsTold) -> None:
    value = part["answer"]
    if value not in TEMPLATES[name].options:
        batch.add(at, f"facts.reference_parts: {name} cannot be {value!r}")
    facts = labels.facts(name, int(batch.frame[at]), value)
    _compare_part(batch, at, name, part, answer=value, facts=facts)
    labels.note(batch, at, name, value)


def _compare_part(
    batch: Batch, at: int, name: str, part: Mapping[str, Any], *, answer: str | None, facts: Mapping[str, Any]
) -> None:
    for what in part_faults(TEMPLATES[name], part, answer=answer, facts=facts, called=batch.called(at)):
        batch.add(at, what)
