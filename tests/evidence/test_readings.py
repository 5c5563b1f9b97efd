"""Readings of key frames, whichever sensor's: what there is not is told with what to do."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from picture_making import SCENE, write_dataset
from probe4d.errors import InputError
from probe4d.evidence.camera_images import CameraImages
from probe4d.evidence.point_clouds import PointClouds
from probe4d.scenes.tables import Scenes

Readings = PointClouds | CameraImages


@pytest.fixture(params=["LIDAR_TOP", "CAM_BACK"])
def channel(request: pytest.FixtureRequest) -> str:
    made: str = request.param
    return made


@pytest.fixture
def surround(tmp_path: Path) -> Scenes:
    return write_dataset(tmp_path, frames=2)


def readings_of(scenes: Scenes, channel: str) -> Readings:
    return PointClouds(scenes) if channel == "LIDAR_TOP" else CameraImages(scenes, channel)


def test_scenes_and_frames_that_there_are_not(surround: Scenes, channel: str) -> None:
    readings = readings_of(surround, channel)
    assert readings.frames(SCENE) == 2
    for call in (lambda: readings.frames("scene-9"), lambda: readings.of("scene-9", 0)):
        with pytest.raises(InputError, match=rf"has no scene 'scene-9'\. Take one that it has, such as {SCENE}\."):
            call()
    for frame in (-1, 2):
        with pytest.raises(InputError, match=rf"has no key frame {frame}\. It has 2 key frames, numbered from 0\."):
            readings.of(SCENE, frame)


def test_what_is_missing_is_known_before_it_is_read(surround: Scenes, channel: str) -> None:
    at_first = (pl.col("frame") == 0) & (pl.col("channel") == channel)
    readings = readings_of(replace(surround, sensors=surround.sensors.filter(~at_first)), channel)
    file = surround.sensors.filter((pl.col("frame") == 1) & (pl.col("channel") == channel))["file"].item()
    (surround.root / file).unlink()
    reasons = readings.missing([SCENE])
    assert list(reasons) == [(SCENE, 0), (SCENE, 1)]
    assert f"{SCENE}, key frame 0: has no reading of {channel}." in reasons[SCENE, 0]
    assert f"{file}: is not there." in reasons[SCENE, 1]
    assert readings.missing([]) == {}
    for frame, fault in ((0, f"has no reading of {channel}"), (1, "cannot be read")):
        with pytest.raises(InputError, match=fault):
            readings.of(SCENE, frame)
