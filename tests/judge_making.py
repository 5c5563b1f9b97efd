"""Benchmarks of free-text questions, runs that answer them, and verdicts."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from making import benchmark_of, question
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.runs.evidence_plan import EvidencePlan
from probe4d.runs.run import Answer, AnswerError, Run, RunRecord, read_run, write_run

MODEL = "openai-api/fake/judge"


def text_benchmark(
    references: Sequence[str], path: Path | None = None, *, fields: Mapping[int, Mapping[str, Any]] | None = None
) -> Benchmark:
    """A benchmark of questions of free text, two a scene; `fields` overrides fields of some of them."""
    questions = []
    for place, reference in enumerate(references):
        values = {
            "suite": "lidar-hallu",
            "family": "spatial-perception",
            "template": "SP-7",
            "format": "text",
            "scene": f"scene-{place // 2:03d}",
            "question": f"What does object {place} do?",
            "prompt": f"What does object {place} do?",
            "answer": reference,
        }
        questions.append(question(place, **values | dict((fields or {}).get(place, {}))))
    return benchmark_of(questions, path)


def run_on_disk(
    benchmark: Benchmark, path: Path, answers: Sequence[str | Mapping[str, Any] | None], **record: Any
) -> Run:
    """A run that answers a benchmark's questions in order: with a text, with fields of an answer, an error, or not."""
    lines, errors = [], []
    for identity, answer in zip(benchmark.table["id"], answers, strict=True):
        if answer is None:
            continue
        fields = {"text": answer} if isinstance(answer, str) else dict(answer)
        if "error" in fields:
            errors.append(AnswerError(question=identity, error=fields["error"]))
        else:
            lines.append(Answer(question=identity, **{"finish_reason": "stop"} | fields))
    about = {"model": "made", "benchmark": benchmark.fingerprint, "evidence": EvidencePlan()} | record
    write_run(path, RunRecord(**about), lines, errors)
    return read_run(path)


def verdict(score: float, reason: str = "as it is", **more: Any) -> str:
    """A judge's reply."""
    return json.dumps({"score": score, "reason": reason, **more})
