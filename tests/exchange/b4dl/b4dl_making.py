"""Small releases of B4DL in each of its layouts, with rows of the shapes that it has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
