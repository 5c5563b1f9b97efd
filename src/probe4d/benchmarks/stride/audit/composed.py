"""Derives the references of open questions: the answers to their parts, one after another (App. A.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from probe4d.benchmarks.auditing.comparing import differences
from probe4d.benchmarks.stride.audit.batch import Batch, settled
from probe4d.benchmarks.stride.audit.derived import Derived
from probe4d.benchmarks.stride.audit.deriving import LABELS, derive
from probe4d.benchmarks.stride.audit.labelled import LabelsTold
from probe4d.benchmarks.stride.templates import TEMPLATES
from probe4d.benchmarks.stride.thresholds import FEWEST_PARTS

__all__ = ["PLAIN", "check_composed"]

PLAIN = "plain"
"""The verbaliser that leaves the sentences of the templates as they are."""

_OWN_FACTS = ("reference_parts", "plain_reference", "verbalizer", "reference_review")


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
        parts = question.facts.get("reference_parts")
        told = {part["template"]: part for part in parts if _is_part(part)} if isinstance(parts, list) else {}
        if not isinstance(parts, list) or len(told) != len(parts) or list(told) != _ordered(batch, told):
            batch.add(at, "facts.reference_parts are not parts of the template, each once and in order")
        if len(told) < FEWEST_PARTS:
            batch.add(at, f"is composed of {len(told)} parts, and a reference needs {FEWEST_PARTS}")
        for name, (perhaps, surely) in asked.items():
            if surely[at] and name not in told:
                batch.add(at, f"facts.reference_parts: {name} has an answer there and is left out")
            elif name in told and not perhaps[at]:
                batch.add(at, f"facts.reference_parts: {name} has no answer there, or one too near to a line")
            elif name in told:
                _check_part(batch, at, name, told[name], measured[name])
        for name in (name for name in told if name in LABELS):
            _check_label(batch, at, name, told[name], labels)
        _check_reference(batch, at, list(told.values()), verbalizer)


def _is_part(part: Any) -> bool:
    texts = [part.get(name) for name in ("template", "answer", "sentence")] if isinstance(part, dict) else [None]
    return all(isinstance(text, str) for text in texts)


def _ordered(batch: Batch, told: Mapping[str, Any]) -> list[str]:
    return [name for name in batch.template.parts if name in told]


def _check_part(batch: Batch, at: int, name: str, part: Mapping[str, Any], derived: Derived) -> None:
    right = derived.answers[at]
    facts = part.get("facts")
    expected = derived.facts_at(at)
    if isinstance(facts, dict):
        expected = settled(expected, facts)
    _compare_part(batch, at, name, part, {"answer": right, "facts": expected})


def _check_label(batch: Batch, at: int, name: str, part: Mapping[str, Any], labels: LabelsTold) -> None:
    value = part["answer"]
    if value not in TEMPLATES[name].options:
        batch.add(at, f"facts.reference_parts: {name} cannot be {value!r}")
    facts = labels.facts(name, int(batch.frame[at]), value)
    _compare_part(batch, at, name, part, {"answer": value, "facts": facts})
    labels.note(batch, at, name, value)


def _compare_part(batch: Batch, at: int, name: str, part: Mapping[str, Any], expected: dict[str, Any]) -> None:
    sentence = TEMPLATES[name].statement.replace("{answer}", str(expected["answer"]))
    sentence = sentence.replace("{target}", batch.called(at) or "the target")
    whole = {"template": name, **expected, "sentence": sentence[:1].upper() + sentence[1:]}
    for what in differences(f"facts.reference_parts, {name}", dict(part), whole):
        batch.add(at, what)


def _check_reference(batch: Batch, at: int, parts: list[dict[str, Any]], verbalizer: str) -> None:
    """See that the reference, or the one before a review, is its parts or what a verbaliser made of these."""
    question = batch.questions[at]
    answer, reviewed = question.fields["answer"], question.facts.get("reference_review")
    if reviewed is not None:
        old, new = (reviewed.get(name) if isinstance(reviewed, dict) else None for name in ("old", "new"))
        batch.differ(at, "facts.reference_review.new", new, answer)
        answer = old
    plain = " ".join(part["sentence"] for part in parts)
    batch.differ(at, "margin", question.fields["margin"], None)
    batch.check_facts(at, {name: value for name, value in question.facts.items() if name in _OWN_FACTS})
    worded_by = question.facts.get("verbalizer")
    if worded_by is None:
        batch.differ(at, "answer", answer, plain)
    else:
        batch.differ(at, "facts.verbalizer", worded_by, verbalizer)
        batch.differ(at, "facts.plain_reference", question.facts.get("plain_reference"), plain)
        if verbalizer == PLAIN:
            batch.add(at, f"facts.verbalizer: stored {worded_by!r}, and nobody worded references anew")
