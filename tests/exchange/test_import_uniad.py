"""UniAD's frame on real calibrations: against nuScenes' raw tables, and what a perfect planner gets in it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import making
from probe4d.benchmarks.question import Question
from probe4d.diagnosis.diagnose import diagnose
from probe4d.exchange.waypoints import import_waypoints
from probe4d.runs.run import read_run
from probe4d.scenes.opening import open_scenes
from waypoint_making import figure, waypoint_question

pytestmark = pytest.mark.real_data
SCENE, FRAMES = "scene-0061", (8, 14, 20, 26, 32)
Matrix = np.ndarray


def raw_lidar(root: Path) -> tuple[list[str], list[Matrix], list[Matrix]]:
    """Tokens of a scene's key frames, and as matrices global_SE3_ego and ego_SE3_lidar, from the tables alone."""
    tables: dict[str, dict[str, Any]] = {}
    for name in ("scene", "sample", "sample_data", "ego_pose", "calibrated_sensor", "sensor"):
        tables[name] = {row["token"]: row for row in json.loads((root / "v1.0-mini" / f"{name}.json").read_text())}

    def matrix(row: dict[str, Any]) -> Matrix:
        made = np.eye(4)
        made[:3, :3] = Rotation.from_quat(np.roll(row["rotation"], -1)).as_matrix()
        made[:3, 3] = row["translation"]
        return made

    def is_lidar(row: dict[str, Any]) -> bool:
        sensor = tables["sensor"][tables["calibrated_sensor"][row["calibrated_sensor_token"]]["sensor_token"]]
        return bool(row["is_key_frame"]) and sensor["channel"] == "LIDAR_TOP"

    reading = {row["sample_token"]: row for row in tables["sample_data"].values() if is_lidar(row)}
    token = next(row["first_sample_token"] for row in tables["scene"].values() if row["name"] == SCENE)
    tokens: list[str] = []
    while token:
        tokens.append(token)
        token = tables["sample"][token]["next"]
    poses = [matrix(tables["ego_pose"][reading[token]["ego_pose_token"]]) for token in tokens]
    mounts = [matrix(tables["calibrated_sensor"][reading[token]["calibrated_sensor_token"]]) for token in tokens]
    return tokens, poses, mounts


def test_a_planner_that_knows_the_future_in_uniads_frame(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    root = real_data("nuscenes_mini")
    tokens, poses, mounts = raw_lidar(root)
    questions: list[Question] = []
    planned: dict[str, list[list[float]]] = {}
    for place, frame in enumerate(FRAMES):
        later = range(frame + 1, frame + 7)
        ego = [np.linalg.inv(poses[frame]) @ poses[other][:, 3] for other in later]
        lidar = [
            np.linalg.inv(poses[frame] @ mounts[frame]) @ poses[other] @ mounts[other] @ (0, 0, 0, 1) for other in later
        ]
        question = waypoint_question(place, "future", [(float(x), float(y)) for x, y, *_ in ego[:5]])
        questions.append(making.with_id_of_content(msgspec.structs.replace(question, scene=SCENE, frames=(frame,))))
        planned[tokens[frame]] = [[-float(x), float(y)] for x, y, *_ in lidar]
    file = tmp_path / "uniad.json"
    file.write_text(json.dumps(planned))
    benchmark, scenes = making.benchmark_of(questions), open_scenes(root)
    for frame_name in ("lidar-uniad", "lidar-uniad-ego-origin"):
        import_waypoints(benchmark, file, tmp_path / frame_name, frame=frame_name, scenes=scenes)  # type: ignore[arg-type]
    runs = [read_run(tmp_path / name) for name in ("lidar-uniad", "lidar-uniad-ego-origin")]
    for question, frame, text in zip(questions, FRAMES, runs[0].answers["text"], strict=True):
        flipped = np.array([[-x, y, 0.0, 1.0] for x, y in planned[tokens[frame]][:5]])
        assert question.id == runs[0].answers["question"][FRAMES.index(frame)]
        assert np.allclose(json.loads(text), (flipped @ mounts[frame].T)[:, :2], atol=1e-5)
    told = diagnose(benchmark, runs)
    # Where the LiDAR is mounted stays in the first; the second is off by what the vehicle turns.
    mounted = figure(told, "lidar-uniad", "waypoint_ade_m_penalised", "future-waypoints")["value"]
    moved_back = figure(told, "lidar-uniad-ego-origin", "waypoint_ade_m_penalised", "future-waypoints")["value"]
    assert mounted == pytest.approx(0.94, abs=0.1)
    assert moved_back < 0.2
