"""Small invented scenes and questions, for tests of what questions show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import making
from probe4d.benchmarks.question import Evidence, Question
from probe4d.scenes.tables import Scenes

CAMERAS = ("CAM_BACK", "CAM_BACK_LEFT", "CAM_BACK_RIGHT", "CAM_FRONT", "CAM_FRONT_LEFT", "CAM_FRONT_RIGHT")


def scenes_of(lengths: Mapping[str, int], *, root: Path = Path("invented"), cameras: Sequence[str] = CAMERAS) -> Scenes:
    """Scenes of these lengths with a LiDAR and some cameras, whose files are `<channel>/<scene>-<frame>`."""
    rows = [{"scene": name, "token": f"token-{name}", "keyframes": n} for name, n in lengths.items()]
    frames = [{"scene": name, "frame": frame} for name, n in lengths.items() for frame in range(n)]
    sensors = [
        {**at, "channel": channel, "modality": "lidar" if channel == "LIDAR_TOP" else "camera"}
        | {"file": f"{channel}/{at['scene']}-{at['frame']}", "sensor_qw": 0.5, "sensor_qx": -0.5}
        | {"sensor_qy": 0.5, "sensor_qz": -0.5, "sensor_x": 0.0, "sensor_y": 0.0, "sensor_z": 1.5}
        for at in frames
        for channel in sorted([*cameras, "LIDAR_TOP"])
    ]
    return making.scenes_of(rows, frames, sensors=sensors, root=root)


def with_files(scenes: Scenes) -> Scenes:
    """Put an empty file where each reading should lie."""
    for file in scenes.sensors["file"]:
        path = scenes.root / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    return scenes


def question(
    identity: str = "0123456789abcdef",
    *,
    scene: str = "a",
    shown: Sequence[int] = (),
    views: Sequence[str] = (),
    frames: Sequence[int] = (),
    stem: str | None = "Does car exist in frame 000?",
    options: Sequence[str] = (),
    answer: str = "Yes",
    facts: Mapping[str, object] | None = None,
    prompt: str | None = None,
) -> Question:
    return making.question(
        identity,
        suite="invented",
        template="existence-yes-no" if not options else "existence-choice",
        scene=scene,
        keyframes=None,
        frames=tuple(frames),
        question=stem,
        options=tuple(options),
        answer=answer,
        evidence=Evidence(frames=tuple(shown), views=tuple(views)),
        rule="invented",
        facts=dict(facts or {}),
        prompt=prompt,
    )
