"""Checks what can be said of a question without its dataset: the form that its template gives it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from probe4d.benchmarks.question import LETTERS
from probe4d.benchmarks.stride.audit.waypoints import ANSWER_DECIMALS, positions_in
from probe4d.benchmarks.stride.templates import Template
from probe4d.benchmarks.stride.thresholds import HISTORY_FRAMES

__all__ = ["CHECKED_ELSEWHERE", "Fault", "facts_of", "faults_of"]

CHECKED_ELSEWHERE = ("tags", "challenge", "ego_motion", "estimated")
"""Facts that say why a question was taken, what it tells of the past, and whether it rests on estimates."""

Row = dict[str, Any]


class Fault(NamedTuple):
    """Something wrong with a question.

    Attributes:
        what: What it is, without a full stop.
        rule: Name of the check; null is the question's own rule.
        settles: Whether nothing more can be said of the question.
    """

    what: str
    rule: str | None = None
    settles: bool = False


def facts_of(row: Row) -> Row | Fault:
    """The facts of a question, or that it has none that can be read."""
    try:
        return msgspec.json.decode(row["facts"], type=dict[str, Any])
    except msgspec.MsgspecError as error:
        return Fault(f"facts: are no JSON object ({error})", "facts", settles=True)


def faults_of(
    row: Row, facts: Row, derived_id: str, key_frames: int, templates: Mapping[str, Template]
) -> Iterator[Fault]:
    """Check a question.

    Args:
        row: The question, a value for each column.
        facts: Its facts.
        derived_id: The identity that its fields give it.
        key_frames: Number of key frames of its scene.
        templates: The templates of the edition by id.

    Yields:
        What is wrong, the last one first settling where one settles.
    """
    if row["id"] != derived_id:
        yield Fault(f"the id should be {derived_id}", "identity")
    if row["suite"] != "stride":
        yield Fault(f"the suite is {row['suite']!r}", "suite")
    template = templates.get(row["template"])
    if template is None or (row["family"], row["format"]) != (template.family, template.format):
        what = f"{row['template']!r} is no template of family {row['family']!r} in format {row['format']!r}"
        yield Fault(what, "template", settles=True)
        return
    settling = _unusable(row, template, key_frames)
    if settling is not None:
        yield settling
        return
    yield from _fixed(row, template, key_frames)
    yield from _shown(row, template, key_frames)
    yield from _curated(facts)
    if facts.get("estimated", False) is not template.is_estimated:
        told = facts.get("estimated")
        yield Fault(f"facts.estimated: stored {told!r}, derived {template.is_estimated!r}", "estimated")


def _is_right_letter(row: Row) -> bool:
    """Whether the answer is the letter of one of the options."""
    return len(row["answer"]) == 1 and row["answer"] in LETTERS[: len(row["options"])]


def _unusable(row: Row, template: Template, key_frames: int) -> Fault | None:
    """What keeps a question from being measured."""
    frames, options = row["frames"], row["options"]
    if len(frames) != 1 or frames[0] is None:
        return Fault(f"asks about key frames {frames}, and should about one", settles=True)
    if not HISTORY_FRAMES <= frames[0] < key_frames - template.future_frames:
        needs = f"{HISTORY_FRAMES} before it and {template.future_frames} after it"
        return Fault(f"key frame {frames[0]} of {key_frames} does not have {needs}", settles=True)
    texts = [(option or "").strip().lower() for option in options]
    if len(texts) != template.option_count or len(set(texts)) != len(texts) or "" in texts:
        return Fault(f"the options are not {template.option_count} different ones: {options!r}", "options", True)
    if template.options and set(options) != set(template.options):
        return Fault(f"the options are not those of {template.id}: {options!r}", "options", settles=True)
    if template.format == "choice" and not _is_right_letter(row):
        return Fault(f"the answer is {row['answer']!r}", "answer", settles=True)
    if template.format == "waypoints" and positions_in(row["answer"], ANSWER_DECIMALS) is None:
        return Fault(f"the answer is no list of positions: {row['answer']!r}", "answer", settles=True)
    if not row["answer"].strip() or not row["question"]:
        return Fault("the answer or the question has no text", "answer", settles=True)
    return None


def _fixed(row: Row, template: Template, key_frames: int) -> Iterator[Fault]:
    """Fields that follow from template and options."""
    expected = {
        "relation": template.relation,
        "rule": template.relation,
        "needs": list(template.needs),
        "features": row["options"],
        "channel": None,
        "prompt": None,
        "keyframes": key_frames,
    }
    for name, value in expected.items():
        if row[name] != value:
            yield Fault(f"{name}: stored {row[name]!r}, derived {value!r}", template.relation)
    if row["margin"] is not None and not math.isfinite(row["margin"]):
        yield Fault(f"margin: stored {row['margin']}, which is no distance")


def _shown(row: Row, template: Template, key_frames: int) -> Iterator[Fault]:
    """What a model gets to see: the clip up to the query frame, and nothing later but where all of a scene is."""
    (query,) = row["frames"]
    evidence = row["evidence"]
    frames, views = evidence["frames"] or [], evidence["views"]
    shows_later = template.shows_scene and template.future_frames > 0
    first = 0 if template.shows_scene else query - HISTORY_FRAMES
    expected = list(range(first, key_frames if shows_later else query + 1))
    later = [frame for frame in frames if frame is not None and frame > query]
    if later and not shows_later:
        yield Fault(f"shows key frames {later}, which are later than the query frame {query}", "future-leak")
    elif frames != expected:
        yield Fault(f"evidence: stored key frames {frames}, derived {expected}", "evidence")
    if views:
        yield Fault(f"evidence: stored views {views}, and all are shown", "evidence")


def _curated(facts: Row) -> Iterator[Fault]:
    """Why the question was taken: only the form, for that is not derived again."""
    tags, challenge = facts.get("tags"), facts.get("challenge")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags) or len({*tags}) != len(tags):
        yield Fault(f"facts.tags: stored {tags!r}, which are no tags")
    is_score = isinstance(challenge, int | float) and not isinstance(challenge, bool) and 0 <= challenge < math.inf
    if not is_score:
        yield Fault(f"facts.challenge: stored {challenge!r}, which is no score")
