"""Labels for all of some scenes, and STRIDE benchmarks of tables."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.stride.labels import LABEL_VALUES, OF_TRACKS
from probe4d.benchmarks.suites import build
from probe4d.scenes.opening import open_scenes

__all__ = ["built_of", "labels_of"]


def labels_of(root: Path, path: Path) -> Path:
    """Write labels of all scenes, and of the lane of every track, one that holds at a single key frame among them."""
    scenes = open_scenes(root)
    rows: list[tuple[Any, ...]] = []
    for place, scene in enumerate(scenes.names):
        for name, values in LABEL_VALUES.items():
            if name not in OF_TRACKS:
                rows += [(scene, "", "", name, values[place % len(values)]), (scene, 9, "", name, values[-1])]
    tracks = scenes.boxes.select("scene", "track").unique().sort("scene", "track").rows()
    lanes = LABEL_VALUES["lane"]
    rows += [(scene, "", track, "lane", lanes[place % len(lanes)]) for place, (scene, track) in enumerate(tracks)]
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(("scene", "frame", "track", "name", "value"))
        writer.writerows(rows)
    return path


def built_of(root: Path, **options: Any) -> Benchmark:
    """STRIDE questions about the scenes of a folder of tables, of all templates if none are named."""
    return build("stride", open_scenes(root), None, **{"templates": "all", **options})
