"""A valid dataset of two scenes that is small enough to be broken in every way."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Tables = dict[str, list[dict[str, Any]]]

VERSION = "v1.0-small"
FRAMES = 4
START_US = 1_532_402_927_000_000
INTERVAL_US = 500_000


def small_tables() -> Tables:
    """Tables of two scenes with four key frames, a LiDAR with one sweep, a camera and two tracks each."""
    tables: Tables = {
        "category": [{"token": f"category-{i}", "name": name} for i, name in enumerate(("vehicle.car", "animal"))],
        "attribute": [{"token": "attribute-0", "name": "vehicle.moving", "description": ""}],
        "visibility": [{"token": "4", "level": "v80-100", "description": ""}],
        "log": [{"token": "log-0", "logfile": "", "vehicle": "", "date_captured": "", "location": "here"}],
        "map": [{"token": "map-0", "category": "", "filename": "maps/map.png", "log_tokens": ["log-0"]}],
        "sensor": [
            {"token": "sensor-LIDAR_TOP", "channel": "LIDAR_TOP", "modality": "lidar"},
            {"token": "sensor-CAM_FRONT", "channel": "CAM_FRONT", "modality": "camera"},
        ],
        "calibrated_sensor": [],
        **{name: [] for name in ("scene", "sample", "sample_data", "ego_pose", "instance", "sample_annotation")},
    }
    for scene in ("a", "b"):
        _add_scene(tables, scene, START_US + (scene == "b") * 60_000_000)
    return tables


def write_dataset(tables: Tables, root: Path) -> None:
    """Write the tables, and a file for each reading that lies inside `root`."""
    (root / VERSION).mkdir(parents=True)
    for name, rows in tables.items():
        (root / VERSION / f"{name}.json").write_text(json.dumps(rows, indent=0))
    for row in (*tables["sample_data"], *tables["map"]):
        path = root / row["filename"]
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(bytes(40))


def _add_scene(tables: Tables, scene: str, start_us: int) -> None:
    samples = _chain([{"token": f"sample-{scene}{k}"} for k in range(FRAMES)])
    for k, sample in enumerate(samples):
        sample |= {"timestamp": start_us + k * INTERVAL_US, "scene_token": f"scene-{scene}"}
    tables["sample"] += samples
    tables["scene"].append(
        {
            "token": f"scene-{scene}",
            "name": f"street {scene}",
            "description": "",
            "log_token": "log-0",
            "nbr_samples": FRAMES,
            "first_sample_token": samples[0]["token"],
            "last_sample_token": samples[-1]["token"],
        }
    )
    _add_readings(tables, scene, "LIDAR_TOP", [(0, True), (0.5, False), (1, True), (2, True), (3, True)], start_us)
    _add_readings(tables, scene, "CAM_FRONT", [(k, True) for k in range(FRAMES)], start_us)
    for track, category in (("car", "category-0"), ("dog", "category-1")):
        _add_track(tables, scene, track, category)


def _add_readings(tables: Tables, scene: str, channel: str, times: list[tuple[float, bool]], start_us: int) -> None:
    is_camera = channel.startswith("CAM")
    tables["calibrated_sensor"].append(
        {
            "token": f"calibration-{scene}-{channel}",
            "sensor_token": f"sensor-{channel}",
            "translation": [1.0, 0.0, 1.8],
            "rotation": [1.0, 0.0, 0.0, 0.0],
            "camera_intrinsic": [[1000.0, 0.0, 800.0], [0.0, 1000.0, 450.0], [0.0, 0.0, 1.0]] if is_camera else [],
        }
    )
    readings = _chain([{"token": f"reading-{scene}-{channel}-{time:g}"} for time, _ in times])
    for reading, (time, is_key_frame) in zip(readings, times, strict=True):
        timestamp = start_us + int(time * INTERVAL_US)
        folder, ending = ("samples" if is_key_frame else "sweeps"), ("jpg" if is_camera else "pcd.bin")
        reading |= {
            "sample_token": f"sample-{scene}{int(time + 0.5)}",
            "ego_pose_token": f"pose-{reading['token']}",
            "calibrated_sensor_token": f"calibration-{scene}-{channel}",
            "timestamp": timestamp,
            "fileformat": ending,
            "is_key_frame": is_key_frame,
            "width": 1600 if is_camera else 0,
            "height": 900 if is_camera else 0,
            "filename": f"{folder}/{channel}/{scene}__{channel}__{timestamp}.{ending}",
        }
        pose = {"timestamp": timestamp, "translation": [5.0 * time, 0.0, 0.0], "rotation": [1.0, 0.0, 0.0, 0.0]}
        tables["ego_pose"].append({"token": reading["ego_pose_token"], **pose})
    tables["sample_data"] += readings


def _add_track(tables: Tables, scene: str, track: str, category: str) -> None:
    boxes = _chain([{"token": f"box-{scene}-{track}-{k}"} for k in range(FRAMES)])
    for k, box in enumerate(boxes):
        box |= {
            "sample_token": f"sample-{scene}{k}",
            "instance_token": f"instance-{scene}-{track}",
            "visibility_token": "4",
            "attribute_tokens": ["attribute-0"],
            "translation": [10.0 + 2.0 * k, 3.0, 1.0],
            "size": [1.9, 4.5, 1.7],
            "rotation": [1.0, 0.0, 0.0, 0.0],
            "num_lidar_pts": 20,
            "num_radar_pts": 1,
        }
    tables["sample_annotation"] += boxes
    tables["instance"].append(
        {
            "token": f"instance-{scene}-{track}",
            "category_token": category,
            "nbr_annotations": FRAMES,
            "first_annotation_token": boxes[0]["token"],
            "last_annotation_token": boxes[-1]["token"],
        }
    )


def _chain(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    tokens = ["", *(row["token"] for row in rows), ""]
    for row, prev, next in zip(rows, tokens, tokens[2:], strict=False):
        row |= {"prev": prev, "next": next}
    return rows
