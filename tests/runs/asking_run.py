"""A run of 500 questions against a scripted server, in a process that can be killed."""

from __future__ import annotations

import os
from pathlib import Path

from probe4d.benchmarks.benchmark import Benchmark, BenchmarkRecord, SourceDataset, counts_of, fingerprint
from probe4d.benchmarks.question import Question, to_table
from probe4d.runs.ask import ask

QUESTIONS = 500
MODEL = "openai-api/fake/model"


def benchmark_of(number: int = QUESTIONS) -> Benchmark:
    """Questions whose prompts differ."""
    questions = [
        Question(
            id=f"{place:016x}",
            suite="lidar-hallu",
            family="existence",
            template="t",
            format="yes-no",
            scene="a",
            keyframes=3,
            question=f"Is it {place}?",
            prompt=f"Is it {place}?",
            answer="Yes",
            rule="r",
            order=place,
        )
        for place in range(number)
    ]
    table = to_table(questions)
    record = BenchmarkRecord(
        suite="lidar-hallu",
        version="1",
        seed=None,
        parameters={},
        counts=counts_of(table),
        exclusions={},
        shortfalls=[],
        source=SourceDataset(name="d", version="v", fingerprint=None, licence="none", split="all", scenes=1),
        fingerprint=fingerprint(table),
        probe4d="0",
    )
    return Benchmark(table, record)


def run(out: Path, base_url: str, max_connections: int) -> None:
    """Ask, and exit with 1 after an error, as the command does; `python -m` would import anew each time."""
    os.environ["FAKE_API_KEY"] = "fake-key-that-no-file-may-hold"
    ask(benchmark_of(), out, model=MODEL, base_url=base_url, max_connections=max_connections)
