"""A run of 500 questions against a scripted server, in a process that can be killed."""

from __future__ import annotations

import os
from pathlib import Path

import making
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.models.course import Course
from probe4d.runs.ask import ask
from probe4d.runs.plan import RunPlan

QUESTIONS = 500
MODEL = "openai-api/fake/model"


def benchmark_of(number: int = QUESTIONS) -> Benchmark:
    """Questions whose prompts differ."""
    prompts = [f"Is it {place}?" for place in range(number)]
    asked = [making.question(n, suite="lidar-hallu", question=text, prompt=text) for n, text in enumerate(prompts)]
    return making.benchmark_of(asked)


def run(out: Path, base_url: str, max_connections: int) -> None:
    """Ask, and exit with 1 after an error, as the command does; `python -m` would import anew each time."""
    os.environ["FAKE_API_KEY"] = "fake-key-that-no-file-may-hold"
    ask(
        benchmark_of(),
        out,
        model=MODEL,
        plan=RunPlan(base_url=base_url),
        course=Course(max_connections=max_connections),
    )
