"""Questions for a number of three templates and two units, and answerers of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from diagnosis_making import driving_benchmark, question

from making import benchmark_of
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.tables import Diagnosis

UNITS = {"gap": "metres", "width": "metres", "bearing": "degrees"}
SHORT = {"metres": "m", "degrees": "degrees"}
SCENES = 6


def number(identity: int, template: str, answer: float, scene: str, **fields: Any) -> Question:
    """A question for a number."""
    values = {"facts": {"unit": UNITS[template]}, "family": "quantities", "template": template, "format": "number"}
    return question(identity, repr(answer), scene=scene, question=f"{template}?", **(values | fields))


def numbers(seed: int, per_template: int) -> list[Question]:
    """Questions of all templates in some scenes."""
    rng = np.random.default_rng(seed)
    made = []
    for place in range(per_template):
        for shift, template in enumerate(UNITS):
            answer = float(rng.uniform(-180, 180) if template == "bearing" else rng.uniform(0.5, 60))
            scene = f"scene-{int(rng.integers(SCENES)):04d}"
            made.append(number(1000 + 3 * place + shift, template, round(answer, 2), scene))
    return made


LABELLED = driving_benchmark(5, scenes=SCENES, per_family=20).questions
BENCHMARK = benchmark_of([*LABELLED, *numbers(7, 20)])
NUMBERS_ALONE = benchmark_of(numbers(7, 20))


def said(factor: float, *, unread_every: int = 0) -> Callable[[Question], str]:
    """Answer numbers with a multiple of the truth and its unit, every so many not at all, and anything else rightly."""
    asked_numbers: list[str] = []

    def answer(asked: Question) -> str:
        if asked.format != "number":
            return asked.answer
        asked_numbers.append(asked.id)
        if unread_every and len(asked_numbers) % unread_every == 0:
            return "between 3 and 4 m"
        return f"It is {factor * float(asked.answer)!r} {SHORT[asked.facts['unit']]}."

    return answer


def figure(diagnosis: Diagnosis, run: str, metric: str, relation: str = "all", family: str = "all") -> dict[str, Any]:
    """The one figure of numbers."""
    rows = diagnosis.figures.filter(run=run, metric=metric, family=family, format="number", relation=relation)
    assert rows.height == 1, (run, metric, relation, rows.height)
    return rows.row(0, named=True)
