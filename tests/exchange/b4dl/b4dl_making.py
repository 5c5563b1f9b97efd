"""Small releases of B4DL in each of its layouts, with rows of the shapes that it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import making
from probe4d.benchmarks.b4dl.tasks import FAMILIES, VOCABULARY
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Evidence
from probe4d.scenes.tables import Scenes

Row = dict[str, Any]

SCENE, TOKEN = "008395103", "73030fb67d3c46cfb5e590168088ae39"
OTHER_SCENE, OTHER_TOKEN = "001234567", "0123456789abcdef0123456789abcdef"
SEQUENCE = "101229297"


def flat(question: str, answer: str, **other: Any) -> Row:
    """A row as Hugging Face has it."""
    known = {"split": "train", "scene_token": TOKEN, "scene_id": SCENE, "human_annotation": "Wet road"}
    return known | {"question": question, "answer": answer} | other


def of_test(question: str, answer: str, **other: Any) -> Row:
    """The same, of the test split."""
    return flat(question, answer, **({"split": "test", "scene_id": OTHER_SCENE, "scene_token": OTHER_TOKEN} | other))


def conversation(question: str, answer: str) -> list[Row]:
    return [{"from": "human", "value": question}, {"from": "gpt", "value": answer}]


def generated(question: str, answer: str, **other: Any) -> Row:
    """A row as the pipeline writes it."""
    known = {"scene_id": SCENE, "scene_token": TOKEN, "sequence_id": SEQUENCE, "start_index": 12, "end_index": 20}
    return known | {"conversations": conversation(question, answer)} | other


def written(root: Path, files: dict[str, Any]) -> Path:
    """Write JSON files under a folder, and give it."""
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(json.dumps(content), encoding="utf-8")
    return root


def scene_metadata(**other: Any) -> list[Row]:
    first = {"scene_token": TOKEN, "scene_id": SCENE, "lidar_id": "018395103", "num_frames": 40, "split": "train"}
    first |= {"paths": {"PATH_LIDAR_TOP": {"PATH_000": "samples/LIDAR_TOP/a.pcd.bin"}}}
    return [first | other, {"scene_token": OTHER_TOKEN, "scene_id": OTHER_SCENE, "num_frames": 39, "split": "val"}]


HUGGINGFACE = {
    "dataset/train/stage2.json": [
        flat("Is a truck there from frame 000 to frame 008?", "Yes."),
        flat("Which object comes near in frame 004?", "TRUCK."),
        flat("Which object stands there?", "TRAFFICCONE."),
        flat("When does the bus stop?", "from frame 000 to frame 008"),
        flat("When does the car turn?", "from frame 12 to frame 020."),
    ],
    "dataset/train/stage3.json": [
        flat("Describe the lidar-sequence.", "A car goes ahead."),
        flat("Describe the LiDAR sequence.", "A bus stands."),
        flat("When is it near?", "From frame 001 to frame 003, and never again."),
        flat("What does the cyclist do?", "It crosses."),
    ],
    "dataset/test/existence.json": [of_test("Is a car there?", "No."), of_test("Which one moves?", "SUV.")],
    "dataset/test/binary.json": [of_test("Does the car turn?", "Yes.")],
    "dataset/test/time_grounding.json": [of_test("When does it start?", "from frame 003 to frame 009.")],
    "dataset/test/description.json": [of_test("Describe the lidar-sequence.", "Two cars wait.")],
    "dataset/test/temporal_understanding.json": [of_test("What changes?", "It slows down.")],
    "dataset/test/comprehensive.json": [of_test("How do they meet?", "They do not.")],
}
"""A release as it lies on Hugging Face, without its metadata."""


def pairs_about(scenes: Scenes, *, sequences: int = 12) -> Benchmark:
    """A benchmark as the suite builds it: six tasks of each of some sequences, two a scene."""
    questions = []
    for number in range(sequences):
        scene, keyframes = scenes.scenes.select("scene", "keyframes").row(number // 2)
        start = 4 + 3 * (number % 2)
        frames = tuple(range(start, start + 7, 2))
        answers = {
            "existence": [("existence-presence", "yes-no", "Yes"), ("existence-class", "text", "traffic cone")],
            "binary": [("binary", "yes-no", "No")],
            "time-grounding": [("time-grounding", "interval", f"{start}-{start + 4}")],
            "description": [("description", "text", f"In {number} a car waits: {words}.") for words in ("é", '"')],
            "temporal-understanding": [("temporal-understanding", "text", "Yes, it turns.")],
            "comprehensive": [("comprehensive", "text", "from frame 004 to frame 006")],
        }
        facts = {"sequence": f"{scene}/{number % 2}", "start": frames[0], "end": frames[-1], "generator": "scripted"}
        for family, told in answers.items():
            for place, (template, kind, answer) in enumerate(told):
                described = family == "description"
                question = making.question(
                    number,
                    suite="b4dl",
                    family=family,
                    template=template,
                    format=kind,
                    scene=scene,
                    keyframes=keyframes,
                    frames=frames,
                    entities=(f"description {place + 1}",) if described else (),
                    question="Describe the lidar-sequence." if described else f"What of {template} in {number}?",
                    options=VOCABULARY if template == "existence-class" else (),
                    answer=answer,
                    evidence=Evidence(frames=frames),
                    rule="generated",
                    facts=facts,
                    features=(),
                )
                questions.append(making.with_id_of_content(question))
    questions.sort(key=lambda question: FAMILIES.index(question.family))
    return making.benchmark_of(questions, suite="b4dl")
