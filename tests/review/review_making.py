"""A benchmark to be reviewed, with texts that would like to be markup, and decisions on it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from making import benchmark_of, question
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question

HOSTILE = "</script><img src=x onerror=alert(1)>\u2028{{ 7 * 7 }}"
SECRET = "the ninth of never"
"""Stands in every reference and in the facts, and in nothing else."""


def choice(place: int, template: str, **fields: Any) -> Question:
    values = {
        "suite": "stride",
        "family": "spatial-perception",
        "template": template,
        "relation": template.lower(),
        "options": (f"left {HOSTILE}", "right", "ahead"),
        "answer": "B",
        "scene": f"scene-{place % 4}",
        "frames": (4,),
        "facts": {"told": SECRET},
        "question": f"Where is object {place}? {HOSTILE}",
    }
    return question(place, **values | fields)


def text(place: int, template: str = "SP-7", **fields: Any) -> Question:
    values = {"format": "text", "options": (), "answer": f"Old reference {place}: {SECRET}."}
    return choice(place, template, **values | fields)


def questions() -> list[Question]:
    """Twelve of SP-2 and of SP-3, five open ones linked with the first, two that are answered Yes or No."""
    made = [choice(n, "SP-2", order=n) for n in range(12)]
    made += [choice(n, "SP-3", order=n) for n in range(12, 24)]
    made += [text(n, links=(f"{n - 24:016x}", f"{n - 12:016x}"), order=n) for n in range(24, 29)]
    asked = {"options": (), "format": "yes-no", "answer": "Yes"}
    return made + [choice(n, "SP-6", order=n, **asked) for n in range(29, 31)]


def review_benchmark(path: Path | None = None) -> Benchmark:
    return benchmark_of(questions(), path, card="---\nsize: 1\n---\n\n# STRIDE: 31 questions\n\nAs built.\n")


def identity(place: int) -> str:
    return f"{place:016x}"


def decisions_file(path: Path, of: Benchmark, *, mode: str = "review", **fields: Any) -> Path:
    """A file as the page saves it; keys of items are places."""
    references = dict(of.table.filter(format="text").select("id", "answer").rows())
    items = {identity(place): one for place, one in fields.pop("items", {}).items()}
    items = {name: {"reference": references[name]} | one if name in references else one for name, one in items.items()}
    held = {
        "version": 1,
        "sheet": "0123456789abcdef",
        "benchmark": of.fingerprint,
        "mode": mode,
        "reviewer": "Ada",
        "asked": list(items),
        "items": items,
    }
    path.write_text(json.dumps(held | fields))
    return path
