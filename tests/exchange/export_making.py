"""A benchmark whose texts try to break out of every format it is written in."""

from __future__ import annotations

from pathlib import Path

from probe4d.benchmarks.benchmark import (
    Benchmark,
    BenchmarkRecord,
    SourceDataset,
    counts_of,
    fingerprint,
    write_benchmark,
)
from probe4d.benchmarks.question import Question, question_id, to_table

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
    scene = f"scene-{number % 3}"
    identity = question_id(
        suite="lidar-hallu",
        template=kind,
        scene=scene,
        frames=(3,),
        entities=(str(number),),
        channel=None,
        question=stem,
        options=options,
    )
    return Question(
        id=identity,
        suite="lidar-hallu",
        family=family,
        template=kind,
        format=kind,  # type: ignore[arg-type]  # what the caller gives is one
        scene=scene,
        keyframes=40,
        frames=(3,),
        entities=(str(number),),
        question=stem,
        options=options,
        answer=answers.get(kind, text),
        rule="r",
        facts={"text": text},
        features=options,
        order=number,
    )


CARD = "---\nlicense: other\nconfigs:\n- config_name: default\n  data_files: questions.parquet\n---\n\n# Card\n"


def benchmark_of(questions: list[Question], path: Path) -> Benchmark:
    table = to_table(questions)
    source = SourceDataset(name="d", version="v", fingerprint=None, licence="its own; {{ ask }}", split="all", scenes=3)
    record = BenchmarkRecord(
        suite="lidar-hallu",
        version="1.0",
        seed=None,
        parameters={},
        counts=counts_of(table),
        exclusions={},
        shortfalls=[],
        source=source,
        fingerprint=fingerprint(table),
        probe4d="0",
    )
    return write_benchmark(Benchmark(table, record), path, card=CARD)


def hostile_benchmark(path: Path) -> Benchmark:
    kinds = [(number, kind) for kind in ("choice", "yes-no") for number in range(len(HOSTILE))]
    return benchmark_of([hostile_question(number, kind) for number, kind in kinds], path)
