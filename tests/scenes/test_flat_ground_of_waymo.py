"""How far flat ground bears a real Waymo frame: its labels, projected, against where they are."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from probe4d.scenes.estimated.flat_ground import bottom_centres, ground_points, planar_distance_m
from probe4d.scenes.geometry import SE3
from probe4d.scenes.projection import project
from waymo_making import decoded, real_frame, values_of

CAMERAS = {1: "FRONT", 2: "FRONT_LEFT", 3: "FRONT_RIGHT", 4: "SIDE_LEFT", 5: "SIDE_RIGHT"}
KINDS = {1: "vehicle", 2: "pedestrian"}
WAYMO_R_HOUSE = np.array([[0.0, 0.0, 1.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0]])
ON_THE_PLANE_M = 0.1
WITHIN = 0.05


def corners_of(box: dict[int, float]) -> np.ndarray:
    """Corners of a laser label in the vehicle frame: centre 1 to 3, width 4, length 5, height 6, heading 7."""
    signs = np.stack(np.meshgrid([-1, 1], [-1, 1], [-1, 1]), axis=-1).reshape(-1, 3)
    x, y, z = (signs * np.array([box[5], box[4], box[6]]) / 2).T
    cosine, sine = np.cos(box[7]), np.sin(box[7])
    return np.stack([cosine * x - sine * y, sine * x + cosine * y, z], axis=-1) + np.array([box[1], box[2], box[3]])


def measured(raw: bytes) -> pl.DataFrame:
    """Vehicles and pedestrians in the images that show them: how high they stand, how far, and how far by estimate."""
    rows = []
    labels = [dict(decoded(label)) for label in values_of(raw, 6)]
    for calibrated in values_of(values_of(raw, 1)[0], 2):
        f_u, f_v, c_u, c_v, *_ = values_of(calibrated, 2)
        matrix = np.array([[f_u, 0, c_u], [0, f_v, c_v], [0, 0, 1]])
        extrinsics = np.reshape(values_of(values_of(calibrated, 3)[0], 1), (4, 4))
        camera = SE3(extrinsics[:3, :3] @ WAYMO_R_HOUSE, extrinsics[:3, 3])
        size = np.array([*values_of(calibrated, 4), *values_of(calibrated, 5)])
        for label in labels:
            corners = corners_of(dict(decoded(label[1])))
            seen = project(camera.inverse().apply(corners), matrix)
            low, high = seen.pixels.min(axis=0), seen.pixels.max(axis=0)
            if label[3] not in KINDS or seen.depth_m.min() <= 0 or (high <= 0).any() or (low >= size).any():
                continue
            box = np.concatenate([low.clip(0, size), high.clip(0, size)])
            rows.append(
                {
                    "camera": CAMERAS[values_of(calibrated, 1)[0]],
                    "kind": KINDS[label[3]],
                    "label": label[4].decode()[:6],
                    "cut_off": bool((low < 0).any() or (high > size).any()),
                    "bottom_m": corners[:, 2].min(),
                    "nearest_corner_m": np.hypot(corners[:, 0], corners[:, 1]).min(),
                    "estimated_m": planar_distance_m(ground_points(bottom_centres(box), matrix, camera)),
                }
            )
    error = pl.col("estimated_m").fill_nan(None) / pl.col("nearest_corner_m") - 1
    return pl.DataFrame(rows).with_columns(pl.col("estimated_m").fill_nan(None), error=error)


@pytest.mark.real_data
def test_what_stands_on_the_plane_is_within_a_twentieth(real_data, capsys: pytest.CaptureFixture[str]) -> None:
    table = measured(real_frame(real_data("waymo") / "perception_one_frame.tfrecord")).sort("camera", "bottom_m")
    stands = (pl.col("bottom_m").abs() <= ON_THE_PLANE_M) & ~pl.col("cut_off")
    on_the_plane, others = table.filter(stands), table.filter(~stands)
    with pl.Config(tbl_rows=-1, tbl_cols=-1, tbl_width_chars=120, float_precision=2, tbl_hide_dataframe_shape=True):
        print("On the plane:", on_the_plane, "Others, and how high they stand:", others, sep="\n")  # shown on failure
    assert on_the_plane.height == 7
    assert {"vehicle", "pedestrian"} == set(on_the_plane["kind"])
    assert on_the_plane.filter(camera="FRONT").height == 4
    assert on_the_plane["error"].abs().max() <= WITHIN
    assert others.height == 31
    # What stands above the plane looks farther, what stands below it nearer, unless it is cut off.
    whole = others.filter(~pl.col("cut_off") & pl.col("error").is_not_null())
    assert (whole["error"].sign() == whole["bottom_m"].sign()).all()
    on_a_hill = others.filter(pl.col("estimated_m").is_null())
    assert (on_a_hill["bottom_m"] > 2).all()  # higher than the cameras
    assert on_a_hill.height
