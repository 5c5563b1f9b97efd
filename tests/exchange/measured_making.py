"""A benchmark whose answers are numbers in metres and in degrees, and replies to it."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from export_making import CARD

import making
from making import with_id_of_content
from probe4d.benchmarks.benchmark import Benchmark, SourceDataset
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.spatial_qa.templates import TEMPLATES

SOURCE = SourceDataset(name="d", version="v", fingerprint=None, licence="its own", split="all", scenes=3)


class Measured(NamedTuple):
    """A reply to a question for a number, what is read in it, and whether that is near enough to the truth."""

    text: str
    value: float | None
    right: bool


SAID = {
    ("distance", "metres", "12.5"): [
        Measured("The distance is about 12.5 meters.", 12.5, True),
        Measured("9.375 m", 9.375, True),  # 75 %
        Measured("15.7", 15.7, False),
        Measured("twelve metres", 12.0, True),
        Measured("Answer: -12.5 m", -12.5, False),
        Measured("between 10 and 14 m", None, False),
        Measured("1,234 m", None, False),
        Measured("I cannot tell.", None, False),
    ],
    ("length", "metres", "1250"): [
        Measured("1,250.0 m", 1250.0, True),
        Measured("1.2 km", 1200.0, True),
        Measured("It is 4 m long, or 5 m.", None, False),
    ],
    ("bearing", "degrees", "179"): [
        Measured("-179\N{DEGREE SIGN}", -179.0, False),  # 2 degrees off the shorter way round
        Measured("The bearing is 170 degrees.", 170.0, True),
        Measured("181 degrees", 181.0, True),
        Measured("45 degrees to the left", None, False),
    ],
    ("bearing", "degrees", "-180"): [
        Measured("180 degrees", 180.0, False),
        Measured("minus twenty degrees", -20.0, False),
        Measured("somewhere behind", None, False),
    ],
}


def measured(number: int, template: str, unit: str | None, answer: str) -> Question:
    """A question for a number; the names of its objects hold its number, so that no two ask the same."""
    names = [f"object {number}a", f"object {number}b"]
    text = TEMPLATES[template].text.format(camera="CAM_FRONT", object_1=names[0], object_2=names[1], object=names[0])
    return with_id_of_content(
        making.question(
            number,
            suite="spatial-qa",
            family="quantitative" if template != "length" else "sizes",
            template=template,
            format="number",
            scene=f"scene-{number % 3}",
            frames=(3,),
            entities=(str(number),),
            question=text,
            options=(),
            answer=answer,
            facts={} if unit is None else {"unit": unit},
        )
    )


def benchmark_of_numbers(questions: list[Question], path: Path) -> Benchmark:
    return making.benchmark_of(questions, path, card=CARD, suite="spatial-qa", version="1.0", source=SOURCE)


def replied_numbers(path: Path) -> tuple[Benchmark, dict[str, Measured]]:
    """Questions for numbers, and a reply to each that is right, wrong or cannot be read."""
    asked = [(key, reply) for key, replies in SAID.items() for reply in replies]
    questions = [measured(number, *key) for number, (key, _) in enumerate(asked)]
    said = {question.id: reply for question, (_, reply) in zip(questions, asked, strict=True)}
    return benchmark_of_numbers(questions, path), said
