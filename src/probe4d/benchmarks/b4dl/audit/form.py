"""Checks what can be said of a generated question without measuring: the form of its task, and where it is asked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

import msgspec

from probe4d.benchmarks.auditing.comparing import differences
from probe4d.benchmarks.b4dl.audit.facts import Facts, is_of_objects
from probe4d.benchmarks.b4dl.audit.words import frames_in, named_classes
from probe4d.benchmarks.b4dl.tasks import DESCRIBE, TASKS, VOCABULARY

__all__ = [
    "Fault",
    "Parameters",
    "Row",
    "as_stored",
    "interval_of",
    "of_answer",
    "of_drafting",
    "of_facts",
    "of_frames",
    "of_template",
    "without_marks",
]

Row = Mapping[str, Any]

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
_INTERVAL = re.compile(r"(\d{1,9})-(\d{1,9})")
_AROUND = " \t\n.,:;!\"'*_`()[]\u201c\u201d\u2018\u2019"
_DESCRIPTION = re.compile(r"description ([1-9]\d*)")
_FEWEST_FRAMES, _MOST_FRAMES, _STRIDE = 3, 10, 2
_RELEASED_FRAMES, _RELEASED_WINDOWS, _RELEASED_SPAN = 5, 6, 10
_NO_CLASSES = ("animal", "stroller", "wheelchair", "debris", "construction", "suv")
"""Classes of the list that the annotated ones lack (Table 7; LiDAR-Hallu, Sec. III-A)."""


class Fault(NamedTuple):
    """Something wrong with a question: what, without a full stop, and the name of the check."""

    what: str
    rule: str


class Parameters(msgspec.Struct, frozen=True):
    """The parameters of the build that decide what may be there, as `benchmark.json` has them."""

    tasks: tuple[str, ...]
    generator: str
    grounded: str
    windows: str
    sequences_per_scene: int
    reference_channel: str


def of_template(row: Row, parameters: Parameters) -> Iterator[Fault]:
    """Check that a question is of a task and a template; of others nothing more can be said."""
    if row["family"] not in parameters.tasks:
        yield Fault(f"is of the task {row['family']!r}, which benchmark.json does not name", "tasks")
    if _TEMPLATES.get((row["family"], row["template"])) != row["format"]:
        of = f"family {row['family']!r} in format {row['format']!r}"
        yield Fault(f"{row['template']!r} is no template of {of}", "template")


def of_frames(row: Row, key_frames: int) -> Iterator[Fault]:
    """Check the key frames that a question asks about and shows."""
    frames = row["frames"]
    if None in frames or not _FEWEST_FRAMES <= len(frames) <= _MOST_FRAMES or _steps(frames) != {_STRIDE}:
        yield Fault(f"frames {frames} are no sequence of every other key frame", "frames")
    elif frames[0] < 0 or frames[-1] >= key_frames:
        yield Fault(f"frames {frames} lie outside the scene's {key_frames} key frames", "frames")
    if row["keyframes"] != key_frames:
        yield Fault(f"keyframes: stored {row['keyframes']}, derived {key_frames}", "keyframes")
    if row["evidence"]["frames"] != frames or row["evidence"]["views"]:
        yield Fault(f"shows {row['evidence']} and asks about all views of frames {frames}", "evidence")


def of_facts(row: Row, facts: Facts, parameters: Parameters, key_frames: int) -> Iterator[Fault]:
    """Check where facts say that a question is from, and what became of its answer."""
    if (facts.start, facts.end) != (row["frames"][0], row["frames"][-1]):
        yield Fault(f"facts name frames {facts.start} to {facts.end}, the question has {row['frames']}", "facts")
    scene, _, number = facts.sequence.rpartition("/")
    if scene != row["scene"] or not number.isdecimal() or int(number) >= parameters.sequences_per_scene:
        yield Fault(f"the sequence {facts.sequence!r} is none of {row['scene']}", "facts")
    elif parameters.windows == "released":
        windows = _released_windows(key_frames)
        if int(number) >= len(windows) or windows[int(number)] != list(row["frames"]):
            yield Fault(f"frames {row['frames']} are not those of released window {number}", "windows")
    if facts.generator != parameters.generator:
        yield Fault(f"was written by {facts.generator!r}, and benchmark.json names {parameters.generator!r}", "facts")
    if facts.verdict not in _VERDICTS:
        yield Fault(f"the verdict is {facts.verdict!r}", "verdict")
    if facts.corrected is (facts.generated_answer is None):
        yield Fault("does not say which answer was corrected", "facts")
    if not facts.why.strip():
        yield Fault("does not say why the verdict is so", "facts")
    became = "correct" if facts.corrected else "keep"
    if facts.verdict == "contradicted" and parameters.grounded != became:
        yield Fault(
            f"facts.corrected is {facts.corrected}, and benchmark.json says {parameters.grounded!r}", "grounded"
        )
    if facts.corrected and facts.verdict != "contradicted":
        yield Fault(f"was corrected, and its verdict is {facts.verdict!r}", "grounded")


def of_answer(row: Row, facts: Facts) -> Iterator[Fault]:
    """Check that the answer is of the form of its template, and what was corrected likewise."""
    yield from (Fault(what, "answer") for what in _wrong_answer(row, row["answer"], facts))
    if facts.generated_answer is None:
        return
    generated = as_stored(row["template"], facts.generated_answer)
    yield from (Fault(f"generated: {what}", "grounded") for what in _wrong_answer(row, generated, facts))
    if generated == row["answer"]:
        yield Fault(f"the answer {row['answer']!r} was corrected to itself", "grounded")


def of_drafting(row: Row, facts: Facts) -> Iterator[Fault]:
    """Check the fields that follow from template, words and verdict."""
    named = named_classes(row["question"])
    if row["family"] == "description":
        if row["question"] != DESCRIBE:
            yield Fault(f"question: stored {row['question']!r}, derived {DESCRIBE!r}", "question")
        entities = list(row["entities"]) if _is_description(row["entities"]) else ["description 1 to 5"]
    else:
        entities = [name for name in named if name not in _NO_CLASSES]
    on_objects = facts.is_decided and is_of_objects(facts.measured)
    expected = {
        "relation": facts.claim,
        "rule": "generated",
        "entities": entities,
        "options": list(VOCABULARY) if row["template"] == "existence-class" else [],
        "context": _context(row, facts.claim, named),
        "needs": ["boxes"] if on_objects else [],
        "channel": None,
        "margin": None,
        "lidar_points": None,
        "features": [],
        "links": [],
        "prompt": None,
    }
    for name, value in expected.items():
        yield from (Fault(what, name) for what in differences(name, row[name], value))


def interval_of(answer: str) -> tuple[int, int] | None:
    """The key frames of an answer as a question holds it; null where it is no interval."""
    found = _INTERVAL.fullmatch(answer)
    return (int(found[1]), int(found[2])) if found else None


def _steps(frames: list[int]) -> set[int]:
    return {after - before for before, after in pairwise(frames)}


def _released_windows(key_frames: int) -> list[list[int]]:
    """The windows of five frames, cut at the end of the scene; short and repeated ones are left out."""
    last = max(key_frames - _RELEASED_SPAN, 0)
    starts = dict.fromkeys(number * last // (_RELEASED_WINDOWS - 1) for number in range(_RELEASED_WINDOWS))
    whole = [list(range(start, start + _STRIDE * _RELEASED_FRAMES, _STRIDE)) for start in starts]
    cut = [[frame for frame in frames if frame < key_frames] for frames in whole]
    return [frames for frames in cut if len(frames) >= _FEWEST_FRAMES]


def _wrong_answer(row: Row, answer: str, facts: Facts) -> Iterator[str]:
    if not row["question"] or not answer.strip():
        yield "the answer or the question has no text"
    elif row["format"] == "yes-no" and answer not in ("Yes", "No"):
        yield f"the answer is {answer!r}, neither Yes nor No"
    elif row["template"] == "existence-class" and answer not in VOCABULARY:
        yield f"the answer {answer!r} is no class of the list"
    elif row["format"] == "interval":
        start, end = interval_of(answer) or (1, 0)
        if not facts.start <= start <= end <= facts.end:
            yield f"the answer {answer!r} is no range of frames {facts.start} to {facts.end}"


def without_marks(answer: str) -> str:
    """An answer without the marks and blanks around it."""
    return answer.strip(_AROUND)


def as_stored(template: str, generated: str) -> str:
    """A generated answer as a question of its template would hold it, if it has the form of one."""
    bare = without_marks(generated)
    if template == "time-grounding":
        frames = frames_in(bare) or tuple(map(int, re.findall(r"\d+", bare)))
        return f"{frames[0]}-{frames[-1]}" if 0 < len(frames) <= 2 else bare
    if template == "existence-class":
        named = named_classes(bare)
        return named[0] if len(named) == 1 else bare
    return bare.capitalize() if template in ("existence-presence", "binary") else generated


def _is_description(entities: list[str]) -> bool:
    found = _DESCRIPTION.fullmatch(entities[0] or "") if len(entities) == 1 else None
    return found is not None and int(found[1]) <= TASKS["description"].pairs


def _context(row: Row, claim: str | None, named: tuple[str, ...]) -> str:
    match row["format"]:
        case "yes-no":
            return " ".join([*([claim] if claim else []), *sorted(named)])
        case "interval":
            return f"{len(row['frames'])} frames"
        case _:
            return ""
