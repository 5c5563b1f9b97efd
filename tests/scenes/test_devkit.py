"""Boxes, velocities, projections and image boxes agree with nuscenes-devkit."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from probe4d.scenes.image_boxes import image_boxes
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.projection import Cameras, project_boxes
from probe4d.scenes.tables import Scenes

pytestmark = pytest.mark.peer


@pytest.fixture(scope="module", params=["nuscenes_mini", "kitti_0001_nuscenes_format", "simulated"])
def dataroot(request: pytest.FixtureRequest, photographed: Path) -> Path:
    if request.param == "simulated":
        return photographed
    path: Path = request.getfixturevalue("real_data")(request.param)
    return path


def test_agrees_with_nuscenes_devkit(dataroot: Path, peers: Callable[..., None], tmp_path: Path) -> None:
    scenes = open_scenes(dataroot)
    every = 1 + scenes.keyframes.height // 40
    peers("dump_scenes.py", dataroot, scenes.version, scenes.reference_channel, every, tmp_path)
    check_boxes(scenes, pl.read_parquet(tmp_path / "boxes.parquet"))
    check_projections(scenes, pl.read_parquet(tmp_path / "corners.parquet"))


def check_boxes(scenes: Scenes, theirs: pl.DataFrame) -> None:
    ours = scenes.boxes.join(scenes.keyframes.select("scene", "frame", key_frame="token"), on=["scene", "frame"])
    both = ours.join(theirs, on="token", how="full", suffix="_devkit")
    assert both.height == ours.height == theirs.height
    assert both["key_frame"].equals(both["key_frame_devkit"].rename("key_frame"), check_names=False)
    assert both["category"].equals(both["category_devkit"], check_names=False)
    for column, devkit in (("ego_x", "x_devkit"), ("ego_y", "y_devkit"), ("ego_z", "z_devkit")):
        np.testing.assert_allclose(both[column], both[devkit], rtol=0, atol=1e-6)
    turn = both["ego_yaw"].to_numpy() - both["yaw"].to_numpy()
    np.testing.assert_allclose(np.angle(np.exp(1j * turn)), 0, rtol=0, atol=1e-6)
    for column in ("velocity_x", "velocity_y", "velocity_z"):
        np.testing.assert_allclose(
            both[column].fill_null(float("nan")), both[f"{column}_devkit"], rtol=0, atol=1e-6, equal_nan=True
        )
    assert both["velocity_x"].null_count() < both.height


def check_projections(scenes: Scenes, theirs: pl.DataFrame) -> None:
    cameras = scenes.sensors.filter(modality="camera")
    assert set(theirs["channel"]) == set(cameras["channel"])
    compared = 0
    for channel in sorted(set(cameras["channel"])):
        seeing = scenes.boxes.join(cameras.filter(channel=channel).with_row_index("camera"), on=["scene", "frame"])
        pixels, depth_m = project_boxes(
            seeing, Cameras.of(cameras.filter(channel=channel)).at(seeing["camera"].to_numpy())
        )
        ours = pl.DataFrame(
            {
                "token": np.repeat(seeing["token"].to_numpy(), 8),
                "corner": np.tile(np.arange(8), seeing.height),
                "u_ours": pixels[..., 0].ravel(),
                "v_ours": pixels[..., 1].ravel(),
                "depth_ours_m": depth_m.ravel(),
            }
        )
        both = ours.join(theirs.filter(channel=channel), on=["token", "corner"])
        assert both.height > 0
        np.testing.assert_allclose(both["depth_ours_m"], both["depth_m"], rtol=0, atol=1e-6)
        # A corner almost in the plane of the camera is projected to millions of pixels, so 1e-6 is taken relatively.
        in_front = both.filter(pl.col("depth_m") > 0.1)
        np.testing.assert_allclose(in_front["u_ours"], in_front["u"], rtol=1e-9, atol=1e-6)
        np.testing.assert_allclose(in_front["v_ours"], in_front["v"], rtol=1e-9, atol=1e-6)
        compared += in_front.height
    assert compared > 100


def test_image_boxes_are_those_of_the_exporter(dataroot: Path, peers: Callable[..., None], tmp_path: Path) -> None:
    scenes = open_scenes(dataroot)
    cameras = scenes.sensors.filter(modality="camera")
    first = scenes.names[0]
    compared = cameras.filter((pl.col("channel") == "CAM_FRONT") | (pl.col("scene") == first) & (pl.col("frame") == 0))
    compared.select("token", "width", "height").write_parquet(tmp_path / "readings.parquet")
    peers(
        "dump_image_boxes.py", dataroot, scenes.version, tmp_path / "readings.parquet", tmp_path / "image_boxes.parquet"
    )
    theirs = pl.read_parquet(tmp_path / "image_boxes.parquet")
    ours = image_boxes(scenes).join(
        compared.select("scene", "frame", "channel", reading="token"), on=["scene", "frame", "channel"]
    )
    both = ours.join(theirs, on=["token", "reading"], how="full", suffix="_devkit")
    assert both.height == ours.height == theirs.height > 20
    for edge in ("left_px", "top_px", "right_px", "bottom_px"):
        np.testing.assert_allclose(both[edge], both[f"{edge}_devkit"], rtol=0, atol=1e-6)
    cut_off = ours.filter(pl.any_horizontal(pl.col("left_px", "top_px") == 0))
    assert cut_off.height > 0
