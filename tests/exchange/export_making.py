"""A benchmark whose texts try to break out of every format it is written in; exports, and what reads them."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import making
from making import with_id_of_content
from probe4d.benchmarks.benchmark import Benchmark, SourceDataset
from probe4d.benchmarks.question import Question
from probe4d.exchange.exports import Harness
from probe4d.exchange.exports.export import export
from probe4d.runs.run import Answer, Run, RunRecord, read_run, write_run

HOSTILE = (
    "a, b; \"c\" 'd'",
    "tab\there\nand a new line\r\nand another",
    "{{ 7 * 7 }} {% for x in y %} {# no #}",
    "key: value # - [1, 2] &anchor *alias !tag %dir @at `tick`",
    "<script>alert(1)</script> <image> </details> | cell |",
    "../../etc/passwd $(id) ; rm -rf /",
    "\u202egnihsrever \u200b zero width, \U0001f697, é, \u2028 line separator",
    "--- \n...\n| pipe | \\ backslash \\n",
)


def hostile_question(number: int, kind: str, family: str = "existence") -> Question:
    text = HOSTILE[number % len(HOSTILE)]
    options = tuple(f"{text} {letter}" for letter in "wxyz") if kind == "choice" else ()
    stem = f"What of {text} in frame 003?"
    answers = {"choice": "ABCD"[number % 4], "yes-no": ("Yes", "No")[number % 2]}
    return with_id_of_content(
        making.question(
            number,
            suite="lidar-hallu",
            family=family,
            template=kind,
            format=kind,
            scene=f"scene-{number % 3}",
            frames=(3,),
            entities=(str(number),),
            question=stem,
            options=options,
            answer=answers.get(kind, text),
            facts={"text": text},
            features=options,
        )
    )


CARD = (
    "---\nlicense: other\nconfigs:\n- config_name: default\n  data_files:\n  - split: test\n"
    "    path: questions.parquet\n---\n\n# Card\n"
)


def export_benchmark(questions: list[Question], path: Path) -> Benchmark:
    source = SourceDataset(name="d", version="v", fingerprint=None, licence="its own; {{ ask }}", split="all", scenes=3)
    return making.benchmark_of(questions, path, card=CARD, suite="lidar-hallu", version="1.0", source=source)


def hostile_benchmark(path: Path) -> Benchmark:
    kinds = [(number, kind) for kind in ("choice", "yes-no") for number in range(len(HOSTILE))]
    return export_benchmark([hostile_question(number, kind) for number, kind in kinds], path)


def yaml_of(path: Path) -> dict[str, Any]:
    """Read YAML whose values are JSON."""
    pairs = (line.split(": ", 1) for line in path.read_text().splitlines())
    return {key: value if value.startswith("!") else json.loads(value) for key, value in pairs}


SCORING: tuple[Harness, ...] = ("inspect", "lm-eval", "vlmevalkit")
"""Harnesses that score what they ask."""


class Replied(Protocol):
    """What a model said to a question."""

    @property
    def text(self) -> str: ...


def exported_to_all(benchmark: Benchmark, folder: Path) -> Path:
    """The folder, with an export to each harness that scores, none of which leaves a question out."""
    for to in SCORING:
        assert export(benchmark, folder / to, to=to).left_out == ()
    return folder


def run_that_said(benchmark: Benchmark, said: Mapping[str, Replied], path: Path) -> Run:
    """A run that answered so, by the ids of the questions."""
    answers = [Answer(question=name, text=reply.text) for name, reply in said.items()]
    write_run(path, RunRecord(model="m", benchmark=benchmark.fingerprint), answers)
    return read_run(path)


def scoring(folder: Path) -> ModuleType:
    """What lm-evaluation-harness loads."""
    spec = importlib.util.spec_from_file_location(f"scoring_of_{folder.parent.name}", folder / "scoring.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line]
