"""A small dataset in the nuScenes schema, written to disk row by row so that tests can break it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]
Tables = dict[str, list[Row]]

START_US = 1_600_000_000_000_000
FRAMES = 5


def small_tables(channels: tuple[str, ...] = ("LIDAR_TOP", "CAM_FRONT"), scenes: int = 2) -> Tables:
    """Tables of scenes with five key frames, two cars each, and one sweep between two key frames."""
    tables: Tables = {
        "attribute": [{"token": "moving", "name": "vehicle.moving", "description": ""}],
        "visibility": [{"token": "4", "level": "v80-100", "description": ""}],
        "category": [{"token": "car", "name": "vehicle.car", "description": ""}],
        "log": [{"token": "log", "logfile": "n1", "vehicle": "n", "date_captured": "", "location": "here"}],
        "map": [{"token": "map", "log_tokens": ["log"], "category": "semantic_prior", "filename": "maps/a.png"}],
        "sensor": [
            {"token": f"sensor-{name}", "channel": name, "modality": "camera" if name.startswith("CAM") else "lidar"}
            for name in channels
        ],
        "calibrated_sensor": [
            {
                "token": f"calibration-{name}",
                "sensor_token": f"sensor-{name}",
                "translation": [1.0, 0.0, 1.5],
                "rotation": [0.5, -0.5, 0.5, -0.5] if name.startswith("CAM") else [1.0, 0.0, 0.0, 0.0],
                "camera_intrinsic": [[800, 0, 400], [0, 800, 300], [0, 0, 1]] if name.startswith("CAM") else [],
            }
            for name in channels
        ],
        **{name: [] for name in ("ego_pose", "instance", "sample", "sample_annotation", "sample_data", "scene")},
    }
    for scene in range(scenes):
        _add_scene(tables, f"s{scene}", channels)
    return tables


def _add_scene(tables: Tables, scene: str, channels: tuple[str, ...]) -> None:
    tokens = [f"{scene}-{frame}" for frame in range(FRAMES)]
    tables["scene"].append(
        {
            "token": scene,
            "log_token": "log",
            "nbr_samples": FRAMES,
            "first_sample_token": tokens[0],
            "last_sample_token": tokens[-1],
            "name": f"scene-{scene}",
            "description": 'says "},{" and [',
        }
    )
    for frame, (token, before, after) in enumerate(_linked(tokens)):
        time_us = START_US + 500_000 * frame
        tables["sample"].append(
            {"token": token, "timestamp": time_us, "prev": before, "next": after, "scene_token": scene}
        )
        for channel in channels:
            for sweep in range(2):
                _add_reading(tables, channel, token, time_us + 250_000 * sweep, frame + sweep / 2, sweep == 0)
    for track in ("a", "b"):
        boxes = [f"{scene}-{track}-{frame}" for frame in range(FRAMES)]
        tables["instance"].append(
            {
                "token": f"{scene}-{track}",
                "category_token": "car",
                "nbr_annotations": FRAMES,
                "first_annotation_token": boxes[0],
                "last_annotation_token": boxes[-1],
            }
        )
        for frame, (token, before, after) in enumerate(_linked(boxes)):
            tables["sample_annotation"].append(
                {
                    "token": token,
                    "sample_token": tokens[frame],
                    "instance_token": f"{scene}-{track}",
                    "visibility_token": "4",
                    "attribute_tokens": ["moving"],
                    "translation": [10.0 + frame, 2.0 if track == "a" else -2.0, 1.0],
                    "size": [2.0, 4.5, 1.5],
                    "rotation": [1.0, 0.0, 0.0, 0.0],
                    "prev": before,
                    "next": after,
                    "num_lidar_pts": 7,
                    "num_radar_pts": 1,
                }
            )


def _add_reading(tables: Tables, channel: str, sample: str, time_us: int, x: float, is_key_frame: bool) -> None:
    token = f"{sample}-{channel}-{time_us}"
    tables["ego_pose"].append(
        {"token": token, "timestamp": time_us, "translation": [x, 0.0, 0.0], "rotation": [1.0, 0.0, 0.0, 0.0]}
    )
    tables["sample_data"].append(
        {
            "token": token,
            "sample_token": sample,
            "ego_pose_token": token,
            "calibrated_sensor_token": f"calibration-{channel}",
            "timestamp": time_us,
            "fileformat": "pcd",
            "is_key_frame": is_key_frame,
            "height": 600 if channel.startswith("CAM") else 0,
            "width": 800 if channel.startswith("CAM") else 0,
            "filename": f"samples/{channel}/{token}",
            "prev": "",
            "next": "",
        }
    )


def _linked(tokens: list[str]) -> list[tuple[str, str, str]]:
    return list(zip(tokens, ["", *tokens], [*tokens[1:], ""], strict=False))


def write_tables(tables: Tables, root: Path, version: str = "v1.0-test-data", **options: Any) -> Path:
    """Write each table as JSON (options go to `json.dumps`) and give the dataset's folder."""
    folder = root / version
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in tables.items():
        (folder / f"{name}.json").write_text(json.dumps(rows, **options))
    return root
