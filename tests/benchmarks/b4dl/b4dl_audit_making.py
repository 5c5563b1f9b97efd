"""B4DL questions about simulated tables, by a writer who knows much and is wrong now and then."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mutating import Original
from simulated_tables import SIMULATED_SCENES, simulated_tables

from generated_pairs import DESCRIPTION, Scripted, pairs_of, worded
from probe4d.benchmarks.b4dl.tasks import TASKS
from probe4d.benchmarks.b4dl.wanted import Wanted
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.generating import Generated, Prompt, Stage
from probe4d.benchmarks.suites import build
from probe4d.scenes.opening import open_scenes

__all__ = ["original_of"]

CLASSES = ("car", "truck", "bus", "pedestrian", "bicycle", "motorcycle", "traffic cone")
BINARY = (
    "Is there a {c} {w}?",
    "Are there no {c}s {w}?",
    "Is there a {c} ahead {w}?",
    "Are there at least 2 {c}s {w}?",
    "Are there fewer than three {c}s {w}?",
    "Is a {c} visible throughout the sequence?",
    "Is a {c} closer to the ego vehicle than the car {w}?",
    "Does a {c} approach the ego vehicle {w}?",
    "Is a {c} moving {w}?",
    "Does a {c} remain stationary {w}?",
    "Does a {c} turn left {w}?",
    "Does a {c} accelerate {w}?",
    "Does the ego vehicle turn left {w}?",
    "Is the ego vehicle moving {w}?",
    "Does the ego vehicle stop {w}?",
    "Does the ego vehicle slow down {w}?",
    "Is there a {c} and a car {w}?",
    "Is a {c} or a bus visible {w}?",
    "Is there a bicycle or a {c} {w}?",
    "Is the ego vehicle moving or turning left {w}?",
    "Is a {c} to the left of the car {w}?",
    "Is the {c} behind the bus {w}?",
)
EXISTENCE = (
    "Is there a {c} {w}?",
    "Which object is moving {w}?",
    "What object is present {w}?",
    "Which object approaches the ego vehicle {w}?",
    "Which object is present behind the ego vehicle {w}?",
    "Is a {c} visible {w}?",
)
WHEN = (
    "When is a {c} visible?",
    "When is a {c} moving?",
    "When does a {c} approach the ego vehicle?",
    "When is the ego vehicle moving?",
    "When does the ego vehicle turn left?",
)


def _asked(task: str, start: int, end: int, rng: random.Random) -> Iterator[tuple[str, str]]:
    """Pairs of a task that geometry decides, as many as one likes."""
    while True:
        first = rng.randint(start, end - 2)
        last = rng.randint(first + 1, end)
        during = f"from frame {first:03d} to frame {last:03d}"
        patterns = {"existence": EXISTENCE, "time-grounding": WHEN}.get(task, BINARY)
        label = rng.choice(CLASSES)
        when = rng.choice((during, f"in frame {first:03d}"))
        question = rng.choice(patterns).format(c=label, w=when).replace("buss", "buses")
        if task == "time-grounding":
            answer = f"{during}."
        else:
            answer = f"{label.upper()}." if question.startswith("Wh") else rng.choice(("Yes.", "No."))
        yield question, answer


def _writer(bounds: dict[str, tuple[int, int]]) -> Scripted:
    def rule(stage: Stage, prompt: Prompt) -> Generated | str:
        sequence, _, task = prompt.key.rpartition("/")
        if stage == "contexts":
            return DESCRIPTION
        if task in ("description", "comprehensive"):
            return worded(pairs_of(task, *bounds[sequence]))
        made: dict[str, str] = {}
        for question, answer in _asked(task, *bounds[sequence], random.Random(prompt.key)):
            made.setdefault(question, answer)
            if len(made) == TASKS[task].pairs:
                return worded(list(made.items()))
        raise AssertionError

    return Scripted(rule)


def original_of(folder: Path, root: Path, *, sequences_per_scene: int = 6, **parameters: Any) -> Original:
    """Questions of all tasks about the tables of two simulated scenes, in memory.

    Args:
        folder: Folder of the tables.
        root: Where those of the two scenes are written.
        sequences_per_scene: Sequences of each scene.
        parameters: Other parameters of the build.
    """

    tables = simulated_tables(folder, SIMULATED_SCENES)

    def built(data: Path) -> Benchmark:
        for reading in tables["sample_data"]:  # pictures that nobody looks at
            picture = data / reading["filename"]
            picture.parent.mkdir(parents=True, exist_ok=True)
            picture.touch()
        scenes = open_scenes(data)
        sequences = Wanted(sequences_per_scene=sequences_per_scene).sequences(scenes)
        bounds = {name: (start, end) for name, start, end in sequences.select("sequence", "start", "end").iter_rows()}
        writer = _writer(bounds)
        return build("b4dl", scenes, generator=writer, sequences_per_scene=sequences_per_scene, **parameters)

    return Original(tables, root, built)
