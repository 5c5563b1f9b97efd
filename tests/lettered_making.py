"""A few questions about objects that are called by letters, with the images that show them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import making
from picture_making import write_photograph
from placed_boxes import SIZE_PX, camera, placed, seen
from probe4d.benchmarks.benchmark import Benchmark, SourceDataset
from probe4d.benchmarks.question import Evidence, Question
from probe4d.scenes.tables import Scenes

__all__ = ["lettered_benchmark", "lettered_scenes"]

_SCENE, _CHANNEL, _FRAME = "scene-a", "CAM_FRONT", 0
_TRACKS = {"A": ("a", 15.0, 4.0), "B": ("b", 20.0, -3.0), "C": ("c", 30.0, -12.0)}
"""Track of each object, and where it is ahead and to the left, metres."""


def lettered_scenes(root: Path) -> Scenes:
    """A key frame with three objects before the front camera, whose image is small and grey."""
    scenes = seen([placed(*where) for where in _TRACKS.values()], [camera(scene=_SCENE)], root=root)
    for file in scenes.sensors["file"]:
        write_photograph(root / file, (90, 90, 90), (SIZE_PX[0] // 4, SIZE_PX[1] // 4))
    return scenes


def lettered_benchmark(scenes: Scenes, path: Path | None = None, *, refer: str = "marker") -> Benchmark:
    """Two questions about A and B, one about B and C, and one that names no object."""
    asked = [("A", "B"), ("B", "A"), ("B", "C"), ()]
    questions = [making.with_id_of_content(_question(scenes, number, *letters)) for number, letters in enumerate(asked)]
    source = SourceDataset(
        name="nuscenes", version=scenes.version, fingerprint=None, licence="none", split="all", scenes=1
    )
    return making.benchmark_of(questions, path, card="# Card\n", source=source, parameters={"refer": refer})


def _question(scenes: Scenes, number: int, *letters: str) -> Question:
    tokens = dict(scenes.boxes.select("track", "token").iter_rows())
    words = [f"object {letter}" for letter in letters]
    facts: list[dict[str, Any]] = [
        {"label": f"object {letter}", "frame": _FRAME, "box": tokens[_TRACKS[letter][0]]} for letter in letters
    ]
    return making.question(
        number,
        suite="spatial-qa",
        family="qualitative",
        template="left",
        scene=_SCENE,
        keyframes=1,
        frames=(_FRAME,),
        channel=_CHANNEL,
        entities=tuple(words),
        question=f"Is there anything left of {' and '.join(words) or 'the middle'}?",
        evidence=Evidence(frames=(_FRAME,), views=(_CHANNEL,)),
        facts={"objects": facts},
    )
