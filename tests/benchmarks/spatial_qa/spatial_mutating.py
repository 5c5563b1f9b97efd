"""Recorded scenes with cameras, a benchmark of them, and what its questions are about."""

from __future__ import annotations

import re
from pathlib import Path

from mutating import SCENES, Original, Row, Tables, keep_rows, read_tables, row_of
from street_making import captioned

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.question import Question
from probe4d.benchmarks.suites import build
from probe4d.scenes.opening import open_scenes

__all__ = ["box_of", "labels", "original_of", "tables_with_cameras", "view_of"]

_CHANNELS = ("LIDAR_TOP", "CAM_FRONT", "CAM_FRONT_LEFT", "CAM_BACK")


def tables_with_cameras(folder: Path) -> Tables:
    """The tables of `SCENES`; of readings only those of the reference LiDAR and three cameras at key frames."""
    tables = read_tables(folder, SCENES, _CHANNELS)
    tables["sample_data"] = [row for row in tables["sample_data"] if row["is_key_frame"]]
    keep_rows(tables, "sensor", "channel", _CHANNELS)
    keep_rows(tables, "calibrated_sensor", "token", {row["calibrated_sensor_token"] for row in tables["sample_data"]})
    keep_rows(tables, "ego_pose", "token", {row["ego_pose_token"] for row in tables["sample_data"]})
    return tables


def original_of(tables: Tables, root: Path, *, refer: str) -> Original:
    """A sample of the questions that tables allow, which call objects by captions or letters."""

    def sample(root: Path) -> Benchmark:
        scenes = open_scenes(root)
        captions = captioned(scenes, root / "captions.jsonl") if refer == "caption" else None
        return build("spatial-qa", scenes, None, scale="sample:1140", refer=refer, captions=captions)

    return Original(tables, root, sample)


def box_of(tables: Tables, question: Question, place: int = 0) -> Row:
    return row_of(tables, "sample_annotation", question.facts["objects"][place]["box"])


def view_of(question: Question) -> tuple[object, ...]:
    return question.scene, question.frames, question.channel


def labels(question: Question) -> list[str]:
    """What a question calls its objects, entities first."""
    return [*(re.sub(r" \([0-9a-f]{8}\)$", "", entity) for entity in question.entities), *question.options]
