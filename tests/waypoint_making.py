"""Questions for future and past waypoints, and answerers of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

import making
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.tables import Diagnosis
from probe4d.runs.run import Run

SCENES = 12
SPACING_S = 0.5
TEMPLATES = {"future": "TRJ-5", "past": "TRJ-6"}


def waypoint_question(place: int, direction: str, points: Sequence[tuple[float, float]], **facts: Any) -> Question:
    """A question for these waypoints, of one of some scenes."""
    told = {"waypoints_m": [list(point) for point in points], "spacing_s": SPACING_S, "direction": direction}
    return making.with_id_of_content(
        making.question(
            place,
            format="waypoints",
            family="trajectory",
            template=TEMPLATES[direction],
            relation=f"{direction}-waypoints",
            scene=f"scene-{place // 2 % SCENES:02d}",
            frames=(0, 1, 2, 3, 4),
            question=f"Where {place}?",
            answer=json.dumps([[round(x, 2), round(y, 2)] for x, y in points]),
            facts=told | facts,
        )
    )


def driven(place: int, steps: int = 5) -> Question:
    """A question about a gentle bend to the left, at a speed of its own, forwards and backwards in turn."""
    direction = ("future", "past")[place % 2]
    speed = 1.0 + 0.37 * place
    times = SPACING_S * np.arange(1, steps + 1)
    times = times if direction == "future" else -times[::-1]
    points = [(speed * time, 0.05 * speed * time**2) for time in times.tolist()]
    return waypoint_question(place, direction, points, speed_mps=speed)


QUESTIONS = [driven(place) for place in range(48)]
BENCHMARK = making.benchmark_of(QUESTIONS)


def answering(name: str, text: Callable[[int, Question], str], **record: Any) -> Run:
    """A run with one reply to every question."""
    rows = [{"question": asked.id, "text": text(place, asked)} for place, asked in enumerate(QUESTIONS)]
    return making.run_of(name, BENCHMARK, rows, **record)


def moved(by: float) -> Callable[[int, Question], str]:
    """Answer the truth moved to the front by so many metres."""
    return lambda _, asked: json.dumps([[x + by, y] for x, y in json.loads(asked.answer)])


def unread_every(every: int, answer: Callable[[int, Question], str]) -> Callable[[int, Question], str]:
    """Answer nothing that can be read to one question in so many of each direction."""
    return lambda place, asked: "straight on" if place // 2 % every == 0 else answer(place, asked)


def figure(diagnosis: Diagnosis, run: str, metric: str, relation: str) -> dict[str, Any]:
    """The one figure of waypoints."""
    rows = diagnosis.figures.filter(run=run, metric=metric, relation=relation, format="waypoints")
    assert rows.height == 1, (run, metric, relation, rows.height)
    return rows.row(0, named=True)
