"""Checks what can be said of a question of Waymo's data without that data: the form that its template gives it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.stride.templates import Template
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES

__all__ = ["form_faults", "reference_faults"]

Row = dict[str, Any]


def form_faults(row: Row, facts: Row, template: Template, key_frames: int) -> Iterator[tuple[str, str]]:
    """What is wrong with the fields of a question: name of the check, and a sentence without a full stop."""
    expected = {
        "family": template.family,
        "format": template.format,
        "relation": template.relation,
        "rule": template.relation,
        "needs": list(template.needs),
        "features": row["options"],
        "channel": None,
        "keyframes": key_frames,
    }
    for name, value in expected.items():
        if row[name] != value:
            yield "template", f"{name}: stored {row[name]!r}, derived {value!r}"
    if facts.get("estimated", False) != template.is_estimated:
        yield "estimated", f"facts.estimated: stored {facts.get('estimated')!r}, derived {template.is_estimated!r}"
    if len(row["frames"]) != 1 or not HISTORY_FRAMES <= row["frames"][0] < key_frames - template.future_frames:
        yield "frames", f"asks about key frames {row['frames']} of {key_frames}"
        return
    (query,) = row["frames"]
    first = 0 if template.shows_scene else query - HISTORY_FRAMES
    if row["evidence"]["frames"] != list(range(first, query + 1)):
        yield "evidence", f"shows key frames {row['evidence']['frames']}, and the query frame is {query}"
    if len(row["options"]) != template.option_count or len({*row["options"]}) != template.option_count:
        yield "options", f"the options are not {template.option_count} different ones: {row['options']!r}"
    elif template.options and {*row["options"]} != {*template.options}:
        yield "options", f"the options are not those of {template.id}: {row['options']!r}"
    if template.format == "choice" and row["answer"] not in tuple(LETTERS[: len(row["options"])]):
        yield "answer", f"the answer is {row['answer']!r}"


def reference_faults(
    row: Row, facts: Row, template: Template, answers: dict[tuple[Any, ...], str], templates: dict[str, Template]
) -> Iterator[str]:
    """What is wrong with the reference of an open question.

    Args:
        row: The question.
        facts: Its facts.
        template: Its template.
        answers: Answers of choice questions by template, scene, frame, and entities (none for those without a target).
        templates: All templates.
    """
    parts = facts.get("reference_parts")
    names = [part.get("template") for part in parts] if isinstance(parts, list) else []
    if not isinstance(parts, list) or names != [name for name in template.parts if name in names]:
        yield "facts.reference_parts are not parts of the template, each once and in order"
        return
    called = facts["objects"][0]["label"] if template.has_target else "the target"
    sentences = []
    for part in parts:
        about = tuple(row["entities"]) if templates[part["template"]].has_target else ()
        known = answers.get((part["template"], row["scene"], row["frames"][0], about))
        if known is not None and known != part["answer"]:
            yield f"its part {part['template']} says {part['answer']!r}, the question {known!r}"
        said = templates[part["template"]].statement.replace("{answer}", part["answer"]).replace("{target}", called)
        sentences.append(said[:1].upper() + said[1:])
    plain = facts.get("plain_reference", row["answer"])
    if plain != " ".join(sentences):
        yield f"the reference is not what its parts say: stored {plain!r}, derived {' '.join(sentences)!r}"
