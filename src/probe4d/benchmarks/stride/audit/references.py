"""Checks references of open questions: which parts they have, each as a sentence, one after another (App. A.4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from probe4d.benchmarks.auditing.comparing import TOLERANCE, differences
from probe4d.benchmarks.stride.templates import Template
from probe4d.benchmarks.stride.thresholds import FEWEST_PARTS

__all__ = ["OWN_FACTS", "part_faults", "parts_told", "reference_faults"]

OWN_FACTS = ("reference_parts", "plain_reference", "verbalizer", "reference_review")
"""Facts of open questions alone."""

_PLAIN = "plain"
"""The verbaliser that leaves the sentences of the templates as they are."""

Row = Mapping[str, Any]


def parts_told(template: Template, facts: Row) -> tuple[dict[str, Row], list[str]]:
    """The parts that facts tell, by template, and what is wrong with which they are.

    Args:
        template: Template of the question.
        facts: Its facts.
    """
    parts = facts.get("reference_parts")
    told = {part["template"]: part for part in parts if _is_part(part)} if isinstance(parts, list) else {}
    told = {name: part for name, part in told.items() if name in template.parts}
    faults = []
    ordered = [name for name in template.parts if name in told]
    if not isinstance(parts, list) or len(told) != len(parts) or list(told) != ordered:
        faults.append("facts.reference_parts are not parts of the template, each once and in order")
    if len(told) < FEWEST_PARTS:
        faults.append(f"is composed of {len(told)} parts, and a reference needs {FEWEST_PARTS}")
    return told, faults


def part_faults(
    template: Template, part: Row, *, answer: Any, facts: Row, called: str | None, tolerance: float = TOLERANCE
) -> Iterator[str]:
    """What is wrong with a part.

    Args:
        template: Template of the part.
        part: The part as it is stored.
        answer: Its right answer.
        facts: The facts of that.
        called: What the question calls its target; null without one.
        tolerance: How far apart numbers may be.
    """
    sentence = template.statement.replace("{answer}", str(answer)).replace("{target}", called or "the target")
    whole = {
        "template": template.id,
        "answer": answer,
        "facts": dict(facts),
        "sentence": sentence[:1].upper() + sentence[1:],
    }
    yield from differences(f"facts.reference_parts, {template.id}", dict(part), whole, tolerance=tolerance)


def reference_faults(answer: str, facts: Row, parts: Mapping[str, Row], verbalizer: str) -> Iterator[str]:
    """See that the reference, or the one before a review, is its parts or what a verbaliser made of these.

    Args:
        answer: The reference.
        facts: Facts of the question.
        parts: Its parts, as `parts_told` gives them.
        verbalizer: Who worded references, as the record says.
    """
    reviewed = facts.get("reference_review")
    before: Any = answer
    if "reference_review" in facts:
        before, new = (reviewed.get(name) if isinstance(reviewed, dict) else None for name in ("old", "new"))
        yield from differences("facts.reference_review.new", new, answer)
    plain = " ".join(part["sentence"] for part in parts.values())
    worded_by = facts.get("verbalizer")
    if "verbalizer" not in facts and "plain_reference" not in facts:
        yield from differences("answer", before, plain)
        return
    yield from differences("facts.verbalizer", worded_by, verbalizer)
    yield from differences("facts.plain_reference", facts.get("plain_reference"), plain)
    if verbalizer == _PLAIN:
        yield f"facts.verbalizer: stored {worded_by!r}, and nobody worded references anew"


def _is_part(part: Any) -> bool:
    texts = [part.get(name) for name in ("template", "answer", "sentence")] if isinstance(part, dict) else [None]
    return all(isinstance(text, str) for text in texts)
