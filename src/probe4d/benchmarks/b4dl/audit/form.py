"""Checks what can be said of a generated question without measuring: the form of its task, and where it is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from probe4d.benchmarks.b4dl.tasks import SUITE_NAME, VOCABULARY

__all__ = ["Fault", "faults_of"]

Row = dict[str, Any]

_TEMPLATES = {
    ("existence", "existence-presence"): "yes-no",
    ("existence", "existence-class"): "text",
    ("binary", "binary"): "yes-no",
    ("time-grounding", "time-grounding"): "interval",
    ("description", "description"): "text",
    ("temporal-understanding", "temporal-understanding"): "text",
    ("comprehensive", "comprehensive"): "text",
}
"""The format of each family and template."""

_VERDICTS = ("supported", "contradicted", "undecided")
_INTERVAL = re.compile(r"(\d+)-(\d+)")
_MOST_FRAMES, _STRIDE = 10, 2


class Fault(NamedTuple):
    """Something wrong with a question: what, without a full stop, and the name of the check."""

    what: str
    rule: str


class _Facts(msgspec.Struct):
    """What the facts of every generated question hold."""

    sequence: str
    start: int
    end: int
    generator: str
    verdict: str
    corrected: bool = False
    generated_answer: str | None = None


def faults_of(row: Row, *, key_frames: int, generator: str) -> Iterator[Fault]:
    """Check a question.

    Args:
        row: The question, a value for each column, and its `derived_id`.
        key_frames: Number of key frames of its scene.
        generator: Name of the model that wrote the answers.
    """
    if row["id"] != row["derived_id"]:
        yield Fault(f"the id should be {row['derived_id']}", "identity")
    if row["suite"] != SUITE_NAME:
        yield Fault(f"the suite is {row['suite']!r}", "suite")
    kind = _TEMPLATES.get((row["family"], row["template"]))
    if kind != row["format"]:
        of = f"family {row['family']!r} in format {row['format']!r}"
        yield Fault(f"{row['template']!r} is no template of {of}", "template")
        return
    yield from _of_frames(row, key_frames)
    try:
        facts = msgspec.json.decode(row["facts"], type=_Facts)
    except msgspec.MsgspecError as error:
        yield Fault(f"facts do not fit ({error})", "facts")
        return
    yield from _of_facts(row, facts, generator)
    yield from _of_answer(row, facts)


def _of_frames(row: Row, key_frames: int) -> Iterator[Fault]:
    frames = row["frames"]
    steps = {after - before for before, after in pairwise(frames)}
    if not 1 < len(frames) <= _MOST_FRAMES or steps != {_STRIDE}:
        yield Fault(f"frames {frames} are no sequence of every other key frame", "frames")
    elif frames[0] < 0 or frames[-1] >= key_frames:
        yield Fault(f"frames {frames} lie outside the scene's {key_frames} key frames", "frames")
    if row["keyframes"] != key_frames:
        yield Fault(f"keyframes: stored {row['keyframes']}, derived {key_frames}", "keyframes")
    if row["evidence"]["frames"] != frames:
        yield Fault(f"shows frames {row['evidence']['frames']} and asks about {frames}", "evidence")


def _of_facts(row: Row, facts: _Facts, generator: str) -> Iterator[Fault]:
    if row["frames"] and (facts.start, facts.end) != (row["frames"][0], row["frames"][-1]):
        yield Fault(f"facts name frames {facts.start} to {facts.end}, the question has {row['frames']}", "facts")
    if facts.sequence.rpartition("/")[0] != row["scene"]:
        yield Fault(f"the sequence {facts.sequence!r} is none of {row['scene']}", "facts")
    if facts.generator != generator:
        yield Fault(f"was written by {facts.generator!r}, and benchmark.json names {generator!r}", "facts")
    if facts.verdict not in _VERDICTS:
        yield Fault(f"the verdict is {facts.verdict!r}", "verdict")
    if facts.corrected is (facts.generated_answer is None):
        yield Fault("does not say which answer was corrected", "facts")


def _of_answer(row: Row, facts: _Facts) -> Iterator[Fault]:
    answer = row["answer"]
    if not row["question"] or not answer.strip():
        yield Fault("the answer or the question has no text", "answer")
    elif row["format"] == "yes-no" and answer not in ("Yes", "No"):
        yield Fault(f"the answer is {answer!r}, neither Yes nor No", "answer")
    elif row["template"] == "existence-class" and (answer not in VOCABULARY or tuple(row["options"]) != VOCABULARY):
        yield Fault(f"the answer {answer!r} or the options are not classes of the list", "answer")
    elif row["format"] == "interval":
        found = _INTERVAL.fullmatch(answer)
        start, end = (int(found[1]), int(found[2])) if found else (1, 0)
        if not facts.start <= start <= end <= facts.end:
            yield Fault(f"the answer {answer!r} is no range of frames {facts.start} to {facts.end}", "answer")
