"""A benchmark whose answers are words of a vocabulary, intervals, and what no harness scores; replies to it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from export_making import CARD, HOSTILE

import making
from making import with_id_of_content
from probe4d.benchmarks.benchmark import Benchmark, SourceDataset
from probe4d.benchmarks.question import Format, Question

CLASSES = ("car", "truck", "bus", "traffic cone", "pedestrian", "debris")
FAMILIES: dict[Format, str] = {
    "text": "existence",
    "interval": "time-grounding",
    "yes-no": "binary",
    "number": "distance",
    "waypoints": "planning",
}


class Said(NamedTuple):
    """A reply to a question, and whether it is right and can be read; of intervals their overlap, both ends inside."""

    text: str
    read: bool
    worth: float


def grounded(number: int, kind: Format, answer: str, **fields: object) -> Question:
    """A question of this format, whose text tries to break out of every file."""
    given = {
        "suite": "b4dl",
        "family": FAMILIES[kind],
        "template": kind,
        "format": kind,
        "scene": f"scene-{number % 3}",
        "frames": tuple(range(40)),
        "entities": (str(number),),
        "question": f"{number}: what of {HOSTILE[number % len(HOSTILE)]}?",
        "answer": answer,
    }
    return with_id_of_content(making.question(number, **given | fields))


SOURCE = SourceDataset(name="d", version="v", fingerprint=None, licence="its own", split="all", scenes=3)


def benchmark_of_all(questions: list[Question], path: Path, source: SourceDataset = SOURCE) -> Benchmark:
    return making.benchmark_of(questions, path, card=CARD, suite="b4dl", version="1.0", source=source)


def replied(path: Path) -> tuple[Benchmark, dict[str, Said]]:
    """Questions for words, intervals and yes or no, and a reply to each that is right, wrong or cannot be read."""
    words = {
        "truck": [Said("TRUCK.", True, 1), Said("It is a bus.", True, 0), Said("a car or a truck", False, 0)],
        "traffic cone": [Said("Traffic-Cones", True, 1), Said("**debris**", True, 0), Said("not a car", False, 0)],
        "car": [Said("The nearest object is a car.", True, 1), Said("van", False, 0), Said("I cannot tell.", False, 0)],
    }
    intervals = {
        "3-9": [
            Said("from frame 003 to frame 009.", True, 1),
            Said("It happens between frame 3 and frame 12.", True, 0.7),
            Said("Answer: frames 5-7", True, 3 / 7),
            Said("from frame 020 to frame 030", True, 0),
            Said("from frame 009 to frame 003", False, 0),
            Said("It does not happen from frame 3 to frame 9.", False, 0),
        ],
        "5-5": [Said("in frame 005", True, 1), Said("[5, 6]", True, 0.5), Said("somewhere", False, 0)],
    }
    yes_no = {"Yes": [Said("Yes.", True, 1), Said("No.", True, 0), Said("Perhaps.", False, 0)]}
    said: dict[str, Said] = {}
    questions: list[Question] = []
    of_formats: dict[Format, dict[str, list[Said]]] = {"text": words, "interval": intervals, "yes-no": yes_no}
    for kind, answers in of_formats.items():
        for answer, replies in answers.items():
            for reply in replies:
                options = {"options": CLASSES} if kind == "text" else {}
                questions.append(grounded(len(questions), kind, answer, **options))
                said[questions[-1].id] = reply
    return benchmark_of_all(questions, path), said
