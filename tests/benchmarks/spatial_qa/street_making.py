"""Streets of boxes placed by chance before two cameras: scenes with something to ask about in every template."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from placed_boxes import camera, placed, seen
from probe4d.benchmarks.captions import Caption, write_captions
from probe4d.scenes.tables import Scenes

__all__ = ["captioned", "streets"]

_SIZES = {
    "vehicle.car": (4.5, 1.9, 1.6),
    "vehicle.truck": (8.0, 2.5, 3.0),
    "human.pedestrian.adult": (0.7, 0.6, 1.75),
    "vehicle.bicycle": (1.7, 0.6, 1.2),
}
_HIDING = (("vehicle.truck", 20.0, 4.0), ("human.pedestrian.adult", 40.0, 6.0))


def streets(names: tuple[str, ...] = ("scene-a", "scene-b", "scene-c"), *, frames: int = 3, objects: int = 9) -> Scenes:
    """Scenes of some key frames, in each of them the same objects at other places; the same in every call."""
    boxes, cameras = [], []
    for number, scene in enumerate(names):
        draws = np.random.default_rng(number)
        for frame in range(frames):
            cameras += [camera(frame=frame, scene=scene), camera("CAM_BACK", 180, frame=frame, scene=scene)]
            # The truck comes to hide the pedestrian.
            for which, (category, ahead, side) in enumerate(_HIDING):
                track = f"{scene}-hiding-{which:08d}"
                height = _SIZES[category][2] / 2
                boxes.append(
                    placed(
                        track,
                        ahead + frame / 10,
                        side,
                        height - 1.5,
                        size=_SIZES[category],
                        category=category,
                        frame=frame,
                        scene=scene,
                    )
                )
            for which in range(objects):
                category = list(_SIZES)[which % len(_SIZES)]
                ahead, side, turn = draws.uniform((6, -5, -180), (30, 5, 180))
                boxes.append(
                    placed(
                        f"{scene}-track-{which:08d}",
                        ahead if which % 3 else -ahead,
                        side,
                        -1.5 + _SIZES[category][2] / 2 + draws.uniform(0, 0.1),
                        size=tuple(np.round(np.multiply(_SIZES[category], draws.uniform(0.8, 1.2, 3)), 3)),  # type: ignore[arg-type]
                        yaw_deg=turn,
                        category=category,
                        frame=frame,
                        scene=scene,
                    )
                )
    return seen(boxes, cameras)


def captioned(scenes: Scenes, path: Path, *, shared: bool = False) -> Path:
    """A captions file of all objects; with `shared` those of one category are called the same."""
    tracks = scenes.boxes.select("track", "category").unique("track", maintain_order=True)
    captions = (
        Caption(track=track, caption=f"the {category.split('.')[-1]}{'' if shared else ' ' + track[-10:]}")
        for track, category in tracks.iter_rows()
    )
    write_captions(captions, path)
    return path
