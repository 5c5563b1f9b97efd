from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as PillowImage

from making import scenes_of
from picture_making import POINTS_M, SCENE, opened, write_dataset, write_scan
from placed_boxes import placed
from probe4d.errors import InputError
from probe4d.evidence.birds_eye import EXTENT_M, LOWEST_M, TOP_M, bounds_from_above, draw_birds_eye, rasterised
from probe4d.evidence.marks import Mark
from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

OPTIONS = PictureOptions(max_side_px=512)
SIDE = 400
SCALE = SIDE / (2 * EXTENT_M)
inside = st.floats(-EXTENT_M + 1, EXTENT_M - 1)


def render(scenes: Scenes, **changes: object) -> PillowImage.Image:
    picture = Picture("birds-eye", SCENE, 0, 12)._replace(**changes)
    with Renderer(scenes, OPTIONS, cache=False) as renderer:
        return opened(renderer.render(picture))


def drawn(points_m: np.ndarray | None, label: int = 12, max_side_px: int = 512) -> np.ndarray:
    """Red, green and blue, shape (height, width, 3)."""
    content = draw_birds_eye(points_m, label, PictureOptions(max_side_px=max_side_px))
    return np.asarray(PillowImage.open(io.BytesIO(content)).convert("RGB"), dtype=int)


def coloured(pixels: np.ndarray) -> np.ndarray:
    """Where the panel, the square at the bottom, shows points: they alone have colour."""
    panel = pixels[-pixels.shape[1] :]
    return panel.max(axis=-1) - panel.min(axis=-1) > 30


@given(x=inside, y=inside, z=st.floats(-5, 10))
@settings(max_examples=60)
def test_what_is_ahead_lies_above_and_what_is_left_lies_left(x: float, y: float, z: float) -> None:
    rows, columns = np.nonzero(rasterised(np.array([[x, y, z]]), SIDE))
    assert rows.size
    assert np.abs(rows - (EXTENT_M - x) * SCALE).max() <= 2
    assert np.abs(columns - (EXTENT_M - y) * SCALE).max() <= 2


@given(
    st.lists(st.tuples(*[st.floats(allow_nan=True, allow_infinity=True, width=32)] * 3), max_size=8),
    st.integers(64, 300),
)
@settings(max_examples=60)
def test_points_anywhere_can_be_drawn(points: list[tuple[float, ...]], side_px: int) -> None:
    points_m = np.array(points, dtype=np.float64).reshape(-1, 3)
    within = (np.abs(points_m[:, :2]) < EXTENT_M - 1e-3).all(axis=1) & np.isfinite(points_m).all(axis=1)
    panel = rasterised(points_m[np.isfinite(points_m).all(axis=1)], side_px)
    assert panel.shape == (side_px, side_px)
    assert panel.any() == within.any() or not within.any()


def test_the_highest_point_of_a_pixel_is_seen() -> None:
    heights = np.array([1.0, 3.0, -0.5, 2.0])
    for order in ([0, 1, 2, 3], [3, 2, 1, 0]):
        points = np.column_stack([np.full(4, 7.3), np.full(4, 7.3), heights[order]])
        assert rasterised(points, SIDE).max() == rasterised(np.array([[7.3, 7.3, 3.0]]), SIDE).max()


def test_colours_rise_with_height_and_end_at_the_limits() -> None:
    heights = np.linspace(LOWEST_M, TOP_M, 50)
    colours = [int(rasterised(np.array([[0.0, 0.0, z]]), SIDE).max()) for z in heights]
    assert colours == sorted(set(colours))
    for beyond, limit in ((LOWEST_M - 30, colours[0]), (TOP_M + 30, colours[-1])):
        assert int(rasterised(np.array([[0.0, 0.0, beyond]]), SIDE).max()) == limit


def test_colours_of_heights_rise_in_brightness() -> None:
    """Perceptually ordered: who prints the picture in grey can read it."""
    brightness = []
    for z in np.linspace(LOWEST_M, TOP_M, 12):
        pixels = drawn(np.array([[30.0, 20.0, z]]))
        panel = pixels[-pixels.shape[1] :]
        colour = panel[coloured(pixels)].mean(axis=0)
        brightness.append(float(colour @ [0.2126, 0.7152, 0.0722]))
    assert brightness == sorted(brightness)
    assert brightness[0] > 30  # visible on black


def test_points_of_a_scan_lie_where_they_are_in_the_ego_frame(tmp_path: Path) -> None:
    image = render(write_dataset(tmp_path))
    rows, columns = np.nonzero(coloured(np.asarray(image, dtype=int)))
    scale = image.width / (2 * EXTENT_M)
    found = np.stack([EXTENT_M - rows / scale, EXTENT_M - columns / scale], axis=-1)
    for x, y, _ in POINTS_M:
        assert np.hypot(*(found - [x, y]).T).min() < 0.5
    assert all(np.hypot(*(POINTS_M[:, :2] - place).T).min() < 0.8 for place in found)


@pytest.mark.real_data
@pytest.mark.parametrize(("dataset", "frames"), [("nuscenes_mini", [0]), ("kitti_0001_nuscenes_format", [0, 10, 21])])
def test_annotated_boxes_hold_the_points_that_they_count(
    real_data: Callable[[str], Path], dataset: str, frames: list[int]
) -> None:
    """Boxes lie on drawn points; with left and right exchanged they do not."""
    scenes = open_scenes(real_data(dataset))
    scene = scenes.names[0]
    right, mirrored = [], []
    for frame in frames:
        boxes = scenes.boxes.filter(
            pl.col("scene") == scene,
            pl.col("frame") == frame,
            pl.col("lidar_points") >= 10,
            pl.col("ego_x").abs() < EXTENT_M - 2,
            pl.col("ego_y").abs().is_between(2, EXTENT_M - 2),
        )
        with Renderer(scenes, PictureOptions(), cache=False) as renderer:
            pixels = np.asarray(opened(renderer.render(Picture("birds-eye", scene, frame, frame))), dtype=int)
        rows, columns = np.nonzero(coloured(pixels))
        scale = pixels.shape[1] / (2 * EXTENT_M)
        points = np.stack([EXTENT_M - (rows + 0.5) / scale, EXTENT_M - (columns + 0.5) / scale], axis=-1)
        for sign, held in ((1, right), (-1, mirrored)):
            for x, y, yaw, length, width in boxes.select("ego_x", "ego_y", "ego_yaw", "length", "width").iter_rows():
                along = (points - [x, sign * y]) @ [np.cos(yaw), sign * np.sin(yaw)]
                across = (points - [x, sign * y]) @ [-sign * np.sin(yaw), np.cos(yaw)]
                held.append(bool(((np.abs(along) < length / 2) & (np.abs(across) < width / 2)).sum() >= 3))
    assert len(right) >= 10
    assert np.mean(right) == 1
    assert np.mean(mirrored) < 0.9


def test_the_label_changes_nothing_but_the_strip() -> None:
    first, other = drawn(POINTS_M, 1), drawn(POINTS_M, 888)
    rows = np.flatnonzero((first != other).any(axis=(1, 2)))
    assert rows.size
    assert rows.max() < first.shape[0] - first.shape[1]


@pytest.mark.parametrize("max_side_px", [256, 700, 1024, 2048])
def test_the_picture_is_as_high_as_its_longest_side(max_side_px: int) -> None:
    height, width, _ = drawn(POINTS_M, max_side_px=max_side_px).shape
    assert height == max_side_px
    assert 0.85 * height < width <= height


def test_a_blank_picture_has_the_size_and_the_label_and_nothing_else() -> None:
    shown, blank = drawn(POINTS_M), drawn(None)
    assert shown.shape == blank.shape
    assert blank[-blank.shape[1] :].max() == 0
    line = (blank.shape[0] - blank.shape[1]) // 2
    third = blank.shape[1] // 3
    assert (blank[:line, :third] == shown[:line, :third]).all()
    assert blank[line : 2 * line].min() == 255


def test_rings_and_words_never_hide_a_point() -> None:
    """A grid of points all over the panel is seen whole, but where the ego vehicle itself stands."""
    at = np.arange(-48.0, 48.1, 1.5)
    points = np.array([(x, y, 2.0) for x in at for y in at if not (-2 < x < 4 and -2 < y < 2)])
    pixels = coloured(drawn(points, max_side_px=1024))
    scale = pixels.shape[0] / (2 * EXTENT_M)
    rows, columns = (np.floor((EXTENT_M - points[:, axis]) * scale).astype(int) for axis in (0, 1))
    assert pixels[rows, columns].all()


def test_points_that_are_no_numbers_change_nothing(tmp_path: Path) -> None:
    scenes = write_dataset(tmp_path)
    clean = render(scenes)
    bad = np.array([[np.nan, 1, 1], [1, np.inf, 1], [5, 5, -np.inf]])
    write_scan(tmp_path / "samples/LIDAR_TOP/0.pcd.bin", np.concatenate([POINTS_M[:1], bad, POINTS_M[1:]]))
    assert (np.asarray(render(scenes)) == np.asarray(clean)).all()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "holds no points"),
        (np.full(10, np.nan, dtype="<f4").tobytes(), "holds no points but 2 whose coordinates are no numbers"),
        (bytes(30), "30 bytes, which is no multiple of 20"),
    ],
)
def test_scans_without_points_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    scenes = write_dataset(tmp_path)
    path = tmp_path / "samples/LIDAR_TOP/0.pcd.bin"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        render(scenes)
    assert caught.value.path == path


def test_extrinsics_that_are_no_transform_are_named(tmp_path: Path) -> None:
    scenes = write_dataset(tmp_path)
    broken = scenes.sensors.with_columns(pl.lit(0.0).alias(f"sensor_{name}") for name in ("qw", "qx", "qy", "qz"))
    with pytest.raises(InputError, match="extrinsics of LIDAR_TOP"):
        render(dataclasses.replace(scenes, sensors=broken))


@given(inside, inside, st.floats(-180, 180), st.floats(0.3, 12), st.floats(0.3, 12))
@settings(max_examples=60)
def test_footprints_bound_the_points_at_their_corners(
    x: float, y: float, yaw_deg: float, length: float, width: float
) -> None:
    """Between the bounds and the farthest corners there is nothing but what the panel cuts off."""
    scenes = scenes_of(boxes=[placed("a", x, y, size=(length, width, 1.5), yaw_deg=yaw_deg)])
    (bounds,) = bounds_from_above(scenes, scenes.boxes["token"]).values()
    yaw = np.radians(yaw_deg)
    turned = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
    corners = np.array([[a * length / 2, b * width / 2] for a in (-1, 1) for b in (-1, 1)]) @ turned.T + (x, y)
    down, across = np.clip((EXTENT_M - corners) / (2 * EXTENT_M), 0, 1).T
    assert bounds == pytest.approx((across.min(), down.min(), across.max(), down.max()))


def test_boxes_beyond_the_panel_and_unknown_ones_have_no_bounds() -> None:
    boxes = [placed("ahead", 51.5, 0), placed("aside", 0, -51.5), placed("at the border", -50.5, 0), placed("in", 1, 1)]
    scenes = scenes_of(boxes=boxes)
    names = dict(scenes.boxes.select("token", "track").iter_rows())
    found = bounds_from_above(scenes, [*names, "unknown"])
    assert {names[token] for token in found} == {"at the border", "in"}
    assert bounds_from_above(scenes, []) == {}


def test_marks_are_drawn_in_the_panel_alone(tmp_path: Path) -> None:
    """A square of 10 m, 20 m ahead, and one that touches the panel's upper border."""
    made = write_dataset(tmp_path, frames=1)
    marks = (Mark("A", "LIDAR_TOP", (0.45, 0.25, 0.55, 0.35)), Mark("B", "LIDAR_TOP", (0.7, 0.0, 0.9, 0.05)))
    plain, marked = (np.asarray(render(made, marks=several), int) for several in ((), marks))
    strip, side = plain.shape[0] - plain.shape[1], plain.shape[1]
    changed = (plain != marked).any(axis=-1)
    assert not changed[:strip].any()
    assert changed[strip + side * 30 // 100, round(side * 0.45) - 2]
    assert changed[strip + side * 30 // 100, round(side * 0.55) + 2]
    assert not changed[strip + side * 27 // 100 : strip + side * 33 // 100, side * 47 // 100 : side * 53 // 100].any()
    assert changed[strip : strip + side // 10, side * 7 // 10 : side * 9 // 10].any()
    black = render(made, marks=marks, black=True)
    assert np.array_equal(np.asarray(black), np.asarray(render(made, black=True)))
