"""From shards of WOD-E2E to estimated objects: converted, looked at by a tiny SAM 3 or by another tool, read back."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image

from camera_scenes import standing
from probe4d.evidence.camera_images import CameraImages
from probe4d.exchange.detections import read_detections
from probe4d.models.detectors.detecting import detect
from probe4d.models.detectors.loading import load_detector
from probe4d.scenes.estimated.detections import front_camera
from probe4d.scenes.estimated.estimating import estimate_objects
from probe4d.scenes.estimated.filters import DetectionFilters
from probe4d.scenes.estimated.objects_file import read_objects, write_objects
from probe4d.scenes.estimated.road_users import ROAD_USER_PROMPTS
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes
from probe4d.scenes.wod_e2e.conversion import convert_indexed
from probe4d.scenes.wod_e2e.index import index_frames
from sam3_making import write_tiny_sam3
from waymo_making import calibration, end_to_end, image, record, small_frame, states, transform, write_shard

MOUNTED = (1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2.0, 0, 0, 0, 1)
"""Extrinsics of a front camera 2 m above the origin of the vehicle frame, level."""

INTRINSICS = (2000.0, 2000.0, 960.0, 640.0, 0, 0, 0, 0, 0)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    """Two sequences over two shards, ten frames a second of which every fifth is kept."""
    folder = tmp_path_factory.mktemp("wod_e2e")
    records = []
    for sequence, count in (("0a1b", 11), ("2c3d", 6)):
        for number in range(count):
            frame = small_frame([image(1, jpeg(number))], [calibration(1, MOUNTED, INTRINSICS)], transform(IDENTITY))
            past = states([0.0] * 16, [0.0] * 16)
            name = f"{sequence}-{number:03d}"
            records.append(record(end_to_end(name, 1_700_000_000_000_000 + 100_000 * number, frame=frame, past=past)))
    write_shard(folder / "shards", "val-00000-of-00002", *records[::2])
    write_shard(folder / "shards", "val-00001-of-00002", *records[1::2])
    convert_indexed(index_frames(folder / "shards"), folder / "data")
    return open_scenes(folder / "data")


IDENTITY = (1.0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)


def jpeg(seed: int) -> bytes:
    noise = np.random.default_rng(seed).integers(0, 255, (64, 96, 3), dtype=np.uint8)
    kept = io.BytesIO()
    Image.fromarray(noise).resize((1920, 1280)).save(kept, "jpeg", quality=20)
    return kept.getvalue()


def test_a_tiny_sam3_runs_through(scenes: Scenes, tmp_path: Path) -> None:
    detector = load_detector(f"sam3:{write_tiny_sam3(tmp_path / 'sam3')}", device="cpu")
    images = CameraImages(scenes, front_camera(scenes))
    found = detect(images, detector, ROAD_USER_PROMPTS, tmp_path / "job", batch=2)
    assert found.select("scene", "frame").unique().height == scenes.keyframes.height == 5
    filters = DetectionFilters(min_confidence=0.3, min_mask_quality=0)
    estimated = estimate_objects(scenes, found, filters=filters, detector=detector.name)
    write_objects(estimated, tmp_path / "objects.parquet")
    objects = read_objects(tmp_path / "objects.parquet", scenes)
    assert objects.select("scene", "frame").unique().height == 5
    assert estimated.record.detections == objects.height + sum(estimated.record.dropped.values())


def test_a_file_of_detections_runs_through(scenes: Scenes, tmp_path: Path) -> None:
    rows = [
        {"file": file, "category": "car", "confidence": 0.9} | standing(30 - 5 * frame, 2)
        for file, frame in scenes.sensors.select("file", "frame").iter_rows()
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "found.csv")
    objects = estimate_objects(scenes, read_detections(tmp_path / "found.csv", scenes)).objects
    assert objects["track"].unique().sort().to_list() == [f"{name}-FRONT-0" for name in scenes.names]
    assert objects["x_m"].to_list() == pytest.approx([30, 25, 20, 30, 25])
    assert objects["y_m"].to_list() == pytest.approx([2] * 5)
    closing = (np.hypot(30, 2) - np.hypot(25, 2)) / 0.5
    assert objects["range_rate_mps"][1] == pytest.approx(-closing)
    assert objects["time_to_collision_s"][1] == pytest.approx(np.hypot(25, 2) / closing)
