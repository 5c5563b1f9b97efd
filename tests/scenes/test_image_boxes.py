"""Boxes in images: what they bound, what they do not depend on, and what has none."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from polars.testing import assert_frame_equal
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

from placed_boxes import FOCAL_PX, SIZE_PX, camera, placed, seen
from probe4d.errors import InputError
from probe4d.scenes import image_boxes as module
from probe4d.scenes.canvas import bounds_on_canvas
from probe4d.scenes.geometry import SE3
from probe4d.scenes.image_boxes import IMAGE_BOXES_SCHEMA, image_boxes, image_boxes_in
from probe4d.scenes.projection import Cameras, project_boxes
from probe4d.scenes.tables import Scenes

EDGES = ["left_px", "top_px", "right_px", "bottom_px"]
CANVAS = np.array([100.0, 60.0])

points = arrays(np.float64, (8, 2), elements=st.floats(-300, 300))
lengths = st.floats(0.1, 12)
places = st.floats(-40, 40)
placings = st.builds(
    lambda x, y, z, size, yaw: placed("a", x, y, z, size=size, yaw_deg=yaw),
    places,
    places,
    st.floats(-4, 4),
    st.tuples(lengths, lengths, lengths),
    st.floats(-180, 180),
)


def bounds(corners: NDArray[np.float64], canvas: NDArray[np.float64] = CANVAS) -> NDArray[np.float64]:
    return bounds_on_canvas(corners[np.newaxis], canvas[np.newaxis])[0]


def with_corners(*corners: tuple[float, float]) -> NDArray[np.float64]:
    """Eight points: these, the last again and again."""
    return np.array([*corners, *[corners[-1]] * (8 - len(corners))])


def clipped(polygon: NDArray[np.float64]) -> NDArray[np.float64]:
    """The vertices of a convex polygon on the canvas, cut off border by border (Sutherland and Hodgman, 1974)."""
    for axis, limit, sign in ((0, 0.0, 1.0), (0, CANVAS[0], -1.0), (1, 0.0, 1.0), (1, CANVAS[1], -1.0)):
        kept = []
        for start, end in zip(polygon, np.roll(polygon, -1, axis=0), strict=True):
            before, after = sign * (start[axis] - limit), sign * (end[axis] - limit)
            if before >= 0:
                kept.append(start)
            if before * after < 0:
                kept.append(start + before / (before - after) * (end - start))
        polygon = np.array(kept).reshape(-1, 2)
    return polygon


@given(points)
def test_bounds_are_those_of_the_hull_cut_off_at_the_canvas(corners: NDArray[np.float64]) -> None:
    try:
        hull = corners[ConvexHull(corners).vertices]
    except QhullError:  # all on a line
        hull = corners[np.lexsort(corners.T)[[0, -1]]]
    shared = clipped(hull)
    sides = np.ptp(shared, axis=0) if len(shared) else np.zeros(2)
    found = bounds(corners)
    if sides.min() > 1e-6:
        np.testing.assert_allclose(found, [*shared.min(axis=0), *shared.max(axis=0)], atol=1e-6)
    elif not np.isnan(found).all():  # all but a line along an axis, which rounding may take for none
        assert min(found[2] - found[0], found[3] - found[1]) < 1e-3


@given(points, st.permutations(range(8)))
def test_the_order_of_corners_does_not_matter(corners: NDArray[np.float64], order: list[int]) -> None:
    np.testing.assert_allclose(bounds(corners[order]), bounds(corners), atol=1e-9)


@given(points)
def test_bounds_lie_on_the_canvas_and_within_the_corners(corners: NDArray[np.float64]) -> None:
    left, top, right, bottom = bounds(corners)
    if not math.isnan(left):
        assert 0 <= left < right <= CANVAS[0]
        assert 0 <= top < bottom <= CANVAS[1]
        low, high = corners.min(axis=0) - 1e-9, corners.max(axis=0) + 1e-9
        assert left >= low[0]
        assert top >= low[1]
        assert right <= high[0]
        assert bottom <= high[1]


@given(points)
def test_a_turned_over_canvas_has_turned_over_bounds(corners: NDArray[np.float64]) -> None:
    left, top, right, bottom = bounds(corners)
    np.testing.assert_allclose(
        bounds(corners[:, ::-1], CANVAS[::-1]), [top, left, bottom, right], atol=0, equal_nan=True
    )


@pytest.mark.parametrize(
    ("corners", "expected"),
    [
        ([(10, 10), (30, 20), (20, 40)], (10, 10, 30, 40)),
        ([(-50, 30), (50, 10), (50, 50)], (0, 10, 50, 50)),
        ([(-1000, -1000), (1000, -1000), (0, 2000)], (0, 0, 100, 60)),  # around the whole canvas, no corner on it
        ([(-10, -20), (120, -20), (50, 30)], (14, 0, 92, 30)),  # the tip of a triangle: narrower than its corners
        ([(50, 30), (1e9, 30 + 1e9), (1e9, 30 - 1e9)], (50, 0, 100, 60)),
    ],
)
def test_bounds_of_polygons(corners: list[tuple[float, float]], expected: tuple[float, ...]) -> None:
    np.testing.assert_allclose(bounds(with_corners(*corners)), expected, atol=1e-6)


@pytest.mark.parametrize(
    "corners",
    [
        [(-30, 20), (-10, 20), (-20, 40)],
        [(-50, 30), (30, -50), (-50, -50)],  # its bounding rectangle overlaps the canvas, the hull does not
        [(-50, 10), (0, 10), (0, 30), (-50, 30)],  # touches along a border
        [(-50, 10), (0, 20), (-50, 30)],  # touches at a point
        [(20, 20)],
    ],
)
def test_what_only_touches_the_canvas_or_misses_it_has_no_bounds(corners: list[tuple[float, float]]) -> None:
    assert np.isnan(bounds(with_corners(*corners))).all()


def test_points_that_do_not_count_are_passed_over() -> None:
    corners = np.full((8, 2), np.nan)
    assert np.isnan(bounds(corners)).all()
    corners[4] = [30, 50]
    assert np.isnan(bounds(corners)).all()
    corners[[1, 6]] = [[20, 10], [10, 10]]
    assert bounds(corners).tolist() == [10, 10, 30, 50]


def edges(scenes: Scenes) -> list[list[float]]:
    return image_boxes(scenes).select(EDGES).to_numpy().tolist()


def test_a_box_ahead_shows_as_its_nearer_face() -> None:
    shown = image_boxes(seen([placed("a", x=11, y=3, z=1)]))
    assert shown.schema == IMAGE_BOXES_SCHEMA
    assert shown.select("scene", "frame", "channel", "token").row(0) == (
        "scene-a",
        0,
        "CAM_FRONT",
        "box scene-a 0 a",
    )
    # Its face is 10 m ahead and 2 to 4 m to the left, but the right edge is that of the farther face.
    expected = [800 - FOCAL_PX * 4 / 10, 450 - FOCAL_PX * 2 / 10, 800 - FOCAL_PX * 2 / 12, 450]
    np.testing.assert_allclose(shown.select(EDGES).to_numpy()[0], expected)
    np.testing.assert_allclose(shown.select("camera_x", "camera_y", "camera_z").to_numpy()[0], [-3, -1, 11])


def test_the_ego_pose_is_that_at_the_time_of_the_camera() -> None:
    shown = image_boxes(seen([placed("a", x=14, y=3, z=1)], [camera(moved_m=3.0)]))
    np.testing.assert_allclose(shown["left_px"], 800 - FOCAL_PX * 4 / 10)
    np.testing.assert_allclose(shown["camera_z"], 11)


def test_boxes_behind_the_camera_or_beside_what_it_sees_have_none() -> None:
    boxes = [placed("behind", -10, 0), placed("beside", 10, 20), placed("above", 10, 0, 15), placed("below", 10, 0, -9)]
    assert edges(seen(boxes)) == []


def test_of_a_box_through_the_plane_of_the_camera_the_corners_in_front_count() -> None:
    shown = edges(seen([placed("beside", x=1, y=-2, z=0.0, size=(6, 2, 2))]))
    # Four corners are 4 m ahead; the others are behind, where a true projection would reach the right border.
    np.testing.assert_allclose(shown, [[800 + FOCAL_PX / 4, 450 - FOCAL_PX / 4, 800 + FOCAL_PX * 3 / 4, 650]])


def test_a_box_around_the_camera_fills_what_its_front_covers() -> None:
    np.testing.assert_allclose(
        edges(seen([placed("around", 0, 0, size=(6, 2, 2))])), [[533.3333333, 183.3333333, 1066.6666667, 716.6666667]]
    )
    np.testing.assert_allclose(edges(seen([placed("around", 0, 0, size=(2, 9, 9))])), [[0, 0, *SIZE_PX]])


@given(st.lists(placings, min_size=1, max_size=4), st.floats(-180, 180))
def test_no_box_is_left_out_before_it_is_projected(boxes: list[dict[str, object]], bearing_deg: float) -> None:
    rows = [box | {"token": str(number), "track": str(number)} for number, box in enumerate(boxes)]
    scenes = seen(rows, [camera(bearing_deg=bearing_deg)])
    cameras = Cameras.of(scenes.sensors).at(np.zeros(len(rows), np.int64))
    pixels, depth_m = project_boxes(scenes.boxes, cameras)
    in_front = np.where((depth_m > 0)[..., np.newaxis], pixels, np.nan)
    expected = bounds_on_canvas(in_front, np.array([SIZE_PX] * len(rows), dtype=np.float64))
    shows = np.isfinite(expected[:, 0])
    found = image_boxes(scenes)
    assert found["token"].to_list() == scenes.boxes["token"].filter(pl.Series(shows)).to_list()
    np.testing.assert_allclose(found.select(EDGES).to_numpy(), expected[shows], rtol=0, atol=1e-6)


@given(
    placings,
    arrays(np.float64, (4,), elements=st.floats(-1, 1)).filter(lambda q: np.linalg.norm(q) > 1e-2),
    arrays(np.float64, (3,), elements=st.floats(-1000, 1000)),
)
def test_where_in_the_world_all_of_it_happens_does_not_matter(
    box: dict[str, object], quaternion: NDArray[np.float64], translation: NDArray[np.float64]
) -> None:
    here = seen([box])
    assume((np.abs(project_boxes(here.boxes, Cameras.of(here.sensors)).depth_m) > 1e-3).all())  # else rounding decides
    moved_SE3_here = SE3.from_quaternion(quaternion, translation)
    there = dataclasses.replace(
        here,
        boxes=moved(here.boxes, moved_SE3_here, ""),
        sensors=moved(here.sensors, moved_SE3_here, "pose_"),
    )
    first, second = image_boxes(here), image_boxes(there)
    if first.height and (first["right_px"] - first["left_px"])[0] > 1e-3 < (first["bottom_px"] - first["top_px"])[0]:
        np.testing.assert_allclose(second.select(EDGES).to_numpy(), first.select(EDGES).to_numpy(), atol=1e-3)


def moved(table: pl.DataFrame, moved_SE3_here: SE3, prefix: str) -> pl.DataFrame:
    """A table whose poses are moved."""
    names = [f"{prefix}{axis}" for axis in ("x", "y", "z", "qw", "qx", "qy", "qz")]
    pose = table.select(names).to_numpy()
    rigid = moved_SE3_here.compose(SE3.from_quaternion(pose[:, 3:], pose[:, :3]))
    turned = Rotation.from_matrix(rigid.rotation).as_quat(scalar_first=True)
    return table.with_columns(pl.DataFrame(np.hstack([rigid.translation, turned]), schema=names))


def test_every_camera_of_a_key_frame_sees_its_boxes_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    boxes = [
        placed("b", 10, 1),
        placed("a", 10, -1),
        placed("a", -10, -1, frame=1),
        placed("a", 12, 0, scene="scene-b"),
        placed("lost", 10, 0, frame=2),
    ]
    cameras = [
        camera("CAM_FRONT"),
        camera("CAM_BACK", 180),
        camera("CAM_FRONT", frame=1),
        camera("CAM_BACK", 180, frame=1),
        camera("CAM_FRONT", scene="scene-b"),
        {**camera("LIDAR_TOP", frame=2), "modality": "lidar", "intrinsics": None, "width": None, "height": None},
    ]
    scenes = seen(boxes, cameras)
    found = image_boxes(scenes)
    assert found.select("channel", "token").rows() == [
        ("CAM_FRONT", "box scene-a 0 a"),
        ("CAM_FRONT", "box scene-a 0 b"),
        ("CAM_BACK", "box scene-a 1 a"),
        ("CAM_FRONT", "box scene-b 0 a"),
    ]
    monkeypatch.setattr(module, "_PAIRS_AT_ONCE", 2)
    assert_frame_equal(image_boxes(scenes), found, abs_tol=1e-9)


def test_of_some_objects_in_some_images_it_is_what_it_is_of_all() -> None:
    boxes = [placed(name, 20, 0, frame=frame) for name in "ab" for frame in range(2)]
    scenes = seen(boxes, [camera(), camera(frame=1), camera("CAM_BACK", 180) | {"width": None}])
    image = pl.DataFrame(
        {"scene": "scene-a", "frame": [0], "channel": "CAM_FRONT"}, schema_overrides={"frame": pl.Int32}
    )
    found = image_boxes_in(scenes, image, ["box scene-a 0 b", "box scene-a 1 a", "no box"])
    usable = dataclasses.replace(scenes, sensors=scenes.sensors.filter(pl.col("channel") == "CAM_FRONT"))
    assert_frame_equal(found, image_boxes(usable).filter(token="box scene-a 0 b"))
    assert image_boxes_in(scenes, image, []).height == 0


def test_without_cameras_or_boxes_there_are_none() -> None:
    for scenes in (seen([placed("a", 10, 0)], []), seen([], [camera()]), seen([])):
        found = image_boxes(scenes)
        assert found.height == 0
        assert found.schema == IMAGE_BOXES_SCHEMA


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"width": None}, "has no image size"),
        ({"height": None}, "has no image size"),
        ({"intrinsics": None}, "has no intrinsics of a pinhole camera"),
        ({"intrinsics": [800.0, 0.0, 800.0, 0.0, 800.0, 450.0]}, "has no intrinsics of a pinhole camera"),
        ({"intrinsics": [800.0, 0, 800.0, 0, 800.0, 450.0, 0, 0, 0.0]}, "has no intrinsics of a pinhole camera"),
    ],
)
def test_a_camera_that_nothing_can_be_projected_into_is_refused(change: Mapping[str, object], complaint: str) -> None:
    scenes = seen([placed("a", 10, 0)], [camera(), camera("CAM_BACK", 180) | change])
    with pytest.raises(InputError, match=complaint) as refused:
        image_boxes(scenes)
    assert "scene-a, key frame 0: CAM_BACK" in str(refused.value)
    assert "v1.0-invented" in str(refused.value)
