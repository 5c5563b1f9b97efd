"""Datasets that do not tell all classes apart: Waymo's vehicle may be a car, so that no car is ever known absent."""

from __future__ import annotations

from dataclasses import replace

from hallu_scenes import made_scenes

from probe4d.benchmarks.lidar_hallu.candidates import Candidates, Measuring, candidates_of
from probe4d.scenes.classes import CLASSES, classes_told

FRAMES = 30


def candidates_in(version: str) -> Candidates:
    """Of a scene with a bicycle all the time, and a pedestrian nearer by at its first ten key frames."""
    boxes = [("scene-a", frame, "bicycle", "b", 10.0, 0.0, 3) for frame in range(FRAMES)]
    boxes += [("scene-a", frame, "pedestrian", "a", 5.0, 0.0, 3) for frame in range(10)]
    scenes = replace(made_scenes(boxes, keyframes=FRAMES), version=version)
    measuring = Measuring(seed=1, min_margin=0.0, min_lidar_points=1, annotated_sector=None, geometric_events=True)
    return candidates_of(scenes, measuring)


def test_all_classes_are_told_apart_unless_it_is_known_otherwise() -> None:
    assert classes_told("v1.0-mini") == classes_told("v1.0-kitti") == CLASSES
    found = candidates_in("v1.0-mini")
    assert set(found.pools["existence-no"]["label"]) == set(CLASSES) - {"bicycle"}
    assert found.pools["existence-choice"].height > 0
    assert "closest-class" in set(found.pools["temporal"]["kind"])
    assert not any("tell" in reason for reason in found.exclusions)


def test_what_is_not_told_apart_is_never_absent_nor_compared() -> None:
    found = candidates_in("v1.0-waymo")
    assert set(found.pools["existence-yes"]["label"]) == {"pedestrian", "bicycle"}
    assert set(found.pools["existence-no"]["label"]) == {"pedestrian"}
    assert found.pools["existence-choice"].is_empty()
    kinds = set(found.pools["temporal"]["kind"])
    assert "class-present" in kinds
    assert "closest-class" not in kinds
    assert found.exclusions["existence: classes that the dataset does not tell apart, at a key frame"] == 8 * FRAMES
    assert found.exclusions["temporal: the dataset does not tell all classes apart"] == 2


def test_where_nothing_is_annotated_nothing_is_absent() -> None:
    assert candidates_in("v1.0-wod-e2e").pools["existence-no"].is_empty()
