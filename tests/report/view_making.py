"""Questions about the view of a front camera, and the scenes that they are about, with images on disk."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import making
from making import with_id_of_content
from picture_making import write_photograph
from placed_boxes import SCENE, placed, seen
from probe4d.benchmarks.question import Evidence, Question
from probe4d.scenes.tables import Scenes

GREEN = (20, 160, 60)
"""What the images are filled with."""

PLACES_M = {
    "car": (20.0, 0.0, 0.0),
    "truck": (30.0, 6.0, 0.0),
    "bus": (25.0, -8.0, 1.0),
    "cone": (12.0, 3.0, -1.0),
    "edge": (20.0, -19.0, 0.0),
    "behind": (-9.0, 2.0, 0.0),
}
"""Centres of boxes of 2 m a side; the one before the last is at its right border, the last one outside the image."""


def view_scenes(root: Path = Path("invented"), *, frames: int = 1, images: Sequence[int] | None = None) -> Scenes:
    """Key frames with these boxes, and with images on disk at some of them; left out: at none."""
    boxes = [
        placed(f"{name}-{frame}", *centre, frame=frame) for frame in range(frames) for name, centre in PLACES_M.items()
    ]
    for frame in images or ():
        write_photograph(image_path(root, frame), GREEN, (1600, 900))
    return seen(boxes, root=root)


def image_path(root: Path, frame: int = 0) -> Path:
    return root / f"samples/CAM_FRONT/{SCENE}-{frame}.png"


def view_fact(name: str, words: str | None = None, *, frame: int = 0) -> dict[str, Any]:
    """What a rule measures of a box of `view_scenes`."""
    place = dict(zip("xyz", PLACES_M[name], strict=True))
    return {"label": words or f"the {name}", "frame": frame, "box": token(name, frame), **place}


def token(name: str, frame: int = 0) -> str:
    return f"box {SCENE} {frame} {name}-{frame}"


def view_question(
    entities: Sequence[str] = (),
    options: Sequence[str] = (),
    *,
    frame: int = 0,
    facts: Mapping[str, Any] | None = None,
    words: Mapping[str, str] | None = None,
    **fields: Any,
) -> Question:
    """A question about the front view that names boxes of `view_scenes`."""
    objects = [view_fact(name, (words or {}).get(name), frame=frame) for name in (*entities, *options)]
    labels = [one["label"] for one in objects]
    asked: dict[str, Any] = {
        "suite": "spatial-qa",
        "family": "direct-reasoning" if options else "qualitative",
        "template": "closest-to-object" if options else "left",
        "scene": SCENE,
        "frames": (frame,),
        "channel": "CAM_FRONT",
        "entities": tuple(labels[: len(entities)]),
        "options": tuple(labels[len(entities) :]),
        "features": tuple(options),
        "answer": "A" if options else "Yes",
        "evidence": Evidence(frames=(frame,), views=("CAM_FRONT",)),
        "facts": {"objects": objects, **(facts or {})},
        "rule": "sideways-difference",
    }
    return with_id_of_content(making.question(**asked | fields))
