"""Makes small benchmarks and runs for the tests of diagnosis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np

import making
from making import benchmark_of, with_id_of_content
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import LETTERS, Question
from probe4d.runs.run import Run
from probe4d.runs.settings import Variant, setting_named

CLASSES = ("car", "truck", "bus", "pedestrian", "bicycle", "barrier")
SECTORS = ("front", "left", "back", "right")
COMMON = {"car": 0.9, "truck": 0.6, "bus": 0.2, "pedestrian": 0.8, "bicycle": 0.3, "barrier": 0.1}


def question(number: int, answer: str, *, scene: str = "s0", **fields: Any) -> Question:
    """One question; `number` keeps ids apart, everything else has a default."""
    features = tuple(option.lower() for option in fields.get("options", ()))
    made = making.question(number, **{"scene": scene, "answer": answer, "features": features} | fields)
    numbered = with_id_of_content(msgspec.structs.replace(made, frames=(number,), entities=()))
    return msgspec.structs.replace(made, id=numbered.id)


def driving_benchmark(seed: int, *, scenes: int, per_family: int) -> Benchmark:
    """Families whose answers text partly gives away: existence by class, position by sector, nearest by class."""
    rng = np.random.default_rng(seed)
    names = [f"scene-{number:04d}" for number in range(scenes)]
    questions: list[Question] = []
    for number in range(per_family):
        scene, label = str(rng.choice(names)), str(rng.choice(CLASSES))
        frame = int(rng.integers(40))
        present = "Yes" if rng.random() < COMMON[label] else "No"
        text = f"Does {label} exist in frame {frame:03d}?"
        questions.append(
            question(number, present, scene=scene, entities=(label,), frames=(frame,), question=text, context=label)
        )
        sector = str(rng.choice(SECTORS))
        there = "Yes" if rng.random() < (0.6 if sector in ("front", "back") else 0.4) else "No"
        questions.append(
            question(
                number,
                there,
                scene=scene,
                family="position",
                relation=sector,
                entities=(label,),
                frames=(frame,),
                question=f"In frame {frame:03d}, is the nearest {label} at the {sector}?",
                context=f"{label}|{sector}",
                margin=float(rng.random() * 22.5),
                lidar_points=int(rng.integers(1, 200)),
            )
        )
        offered = [str(name) for name in rng.choice(CLASSES, size=4, replace=False)]
        weights = np.array([COMMON[name] for name in offered]) ** 2
        nearest = LETTERS[int(rng.choice(4, p=weights / weights.sum()))]
        text = f"In frame {frame:03d}, what is closest?"
        questions.append(
            question(
                number,
                nearest,
                scene=scene,
                family="distance",
                frames=(frame,),
                options=tuple(offered),
                question=text,
            )
        )
    return benchmark_of(questions)


def run_of(name: str, benchmark: Benchmark, answer: Callable[[Question], str], *, layout: str = "plain") -> Run:
    """A run in memory that answers every question."""
    rows = [{"question": asked.id, "text": answer(asked)} for asked in benchmark.questions]
    return making.run_of(name, benchmark, rows, layout=layout)


def oracle(asked: Question) -> str:
    return asked.answer


def random_answerer(seed: int) -> Callable[[Question], str]:
    rng = np.random.default_rng(seed)

    def answer(asked: Question) -> str:
        return (
            str(rng.choice(["Yes", "No"]))
            if asked.format == "yes-no"
            else LETTERS[int(rng.integers(len(asked.options)))]
        )

    return answer


def mixture(seed: int, share: float) -> Callable[[Question], str]:
    """Right with this probability, else guessing."""
    rng, guess = np.random.default_rng(seed), random_answerer(seed + 1)
    return lambda asked: asked.answer if rng.random() < share else guess(asked)


def varied_run(
    name: str, benchmark: Benchmark, reply: Callable[[Question, Variant], str], *, setting: str, **record: Any
) -> Run:
    """A run in memory that answers every question in every variant of a setting."""
    how = setting_named(setting)
    rows = [
        {"question": asked.id, "variant": way.name, "rotation": way.rotation, "text": reply(asked, way)}
        for asked in benchmark.questions
        for way in how.variants(asked)
    ]
    return making.run_of(name, benchmark, rows, setting=setting, **record)


def letter_shown(asked: Question, letter: str, variant: Variant) -> str:
    """The letter that stands before an option where a variant rotates the options."""
    return LETTERS[(LETTERS.index(letter) - variant.rotation) % len(asked.options)]
