from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from PIL import Image as PillowImage

from picture_making import COLOURS, SCENE, SIZE_PX, opened, write_dataset, write_photograph
from placed_boxes import FOCAL_PX, camera, placed, seen
from probe4d.errors import InputError
from probe4d.evidence.marks import Mark, bounds_in_images
from probe4d.evidence.outlines import COLOURS as TAG_COLOURS
from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

OPTIONS = PictureOptions(max_side_px=256)
FRONT = Picture("one-camera", SCENE, 0, 0, ("CAM_FRONT",))
A = Mark("A", "CAM_FRONT", (0.25, 0.4, 0.5, 0.8))
B = Mark("B", "CAM_FRONT", (0.6, 0.5, 0.9, 0.7))


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return write_dataset(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def renderer(made: Scenes) -> Iterator[Renderer]:
    with Renderer(made, OPTIONS, cache=False) as renderer:
        yield renderer


def differing(one: PillowImage.Image, other: PillowImage.Image) -> np.ndarray:
    """Where two pictures differ by more than JPEG spreads."""
    return np.abs(np.asarray(one, int) - np.asarray(other, int)).max(axis=-1) > 40


def test_the_image_of_the_camera_is_all_that_is_shown(renderer: Renderer) -> None:
    for channel, colour in COLOURS.items():
        pixels = np.asarray(opened(renderer.render(FRONT._replace(channels=(channel,)))), int)
        assert pixels.shape == (144, 256, 3)
        assert np.abs(pixels - colour).max() < 8


def test_an_image_is_not_enlarged_and_keeps_its_aspect(made: Scenes, tmp_path: Path) -> None:
    with Renderer(made, PictureOptions(max_side_px=512), cache=False) as renderer:
        assert opened(renderer.render(FRONT)).size == SIZE_PX
        assert opened(renderer.render(FRONT._replace(black=True))).size == SIZE_PX
    upright = write_dataset(tmp_path, size_px=(180, 320))
    write_photograph(tmp_path / "samples/CAM_FRONT/0.jpg", (1, 2, 3), (180, 320))
    with Renderer(upright, OPTIONS, cache=False) as renderer:
        assert opened(renderer.render(FRONT)).size == opened(renderer.render(FRONT._replace(black=True))).size
        assert opened(renderer.render(FRONT)).size == (144, 256)


def test_its_label_is_not_written_so_that_the_same_image_is_kept_once(renderer: Renderer) -> None:
    assert renderer.render(FRONT._replace(label=7)).digest == renderer.render(FRONT).digest


def test_a_blank_one_is_black_all_over_whatever_is_marked(renderer: Renderer, tmp_path: Path) -> None:
    blank = FRONT._replace(black=True)
    assert not np.asarray(opened(renderer.render(blank))).any()
    assert renderer.render(blank._replace(marks=(A,))).digest == renderer.render(blank).digest
    nowhere = write_dataset(tmp_path, frames=0, size_px=None)
    with Renderer(nowhere, OPTIONS, cache=False) as other:
        assert opened(other.render(blank)).size == (256, 144), "as large as an image of nuScenes"


def test_each_object_is_outlined_in_a_colour_of_its_own_with_its_letter(renderer: Renderer) -> None:
    plain, marked = (opened(renderer.render(FRONT._replace(marks=marks))) for marks in ((), (A, B)))
    changed = differing(plain, marked)
    width, height = plain.size
    for mark, colour in ((A, TAG_COLOURS[0]), (B, TAG_COLOURS[1])):
        left, top, right, bottom = (
            round(part * side) for part, side in zip(mark.bounds, (width, height, width, height), strict=True)
        )
        assert changed[top : bottom + 1, [left - 2, right + 2]].any(axis=1).all()
        assert changed[[top - 2, bottom + 2], left : right + 1].any(axis=0).all()
        assert not changed[top + 4 : bottom - 4, left + 4 : right - 4].any(), "what is in it stays as it is"
        across = np.abs(np.asarray(marked, int)[(top + bottom) // 2, left - 3 : left + 1] - colour)
        assert across.max(axis=-1).min() < 60
    lettered = opened(renderer.render(FRONT._replace(marks=(A._replace(text="C"), B))))
    assert differing(lettered, marked).any()


def test_marks_of_other_cameras_are_not_drawn_and_those_of_a_grid_lie_in_their_tile(renderer: Renderer) -> None:
    grid = Picture("cameras", SCENE, 0, 0)
    plain, marked = (opened(renderer.render(grid._replace(marks=marks))) for marks in ((), (A,)))
    rows, columns = np.nonzero(differing(plain, marked))
    width, height = plain.size
    assert columns.min() > width * 0.33
    assert columns.max() < width * 0.67
    assert rows.max() < height * 0.55, "the front camera is the middle one of the upper row"
    elsewhere = A._replace(channel="CAM_ROOF")
    assert renderer.render(grid._replace(marks=(elsewhere,))).content == renderer.render(grid).content


def test_the_cache_tells_marks_apart_and_serves_the_same_ones(
    made: Scenes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path))
    several = [FRONT, *(FRONT._replace(marks=marks) for marks in ((A,), (A, B), (A._replace(text="Z"),)))]
    with Renderer(made, OPTIONS) as renderer:
        first = [renderer.render(picture).digest for picture in several]
        assert len(set(first)) == len(several)
    monkeypatch.setattr("probe4d.evidence.rendering.draw_image", None)
    with Renderer(made, OPTIONS) as renderer:
        assert [renderer.render(picture).digest for picture in several] == first


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    scenes = write_dataset(tmp_path, frames=2)
    (tmp_path / "samples/CAM_FRONT/0.jpg").unlink()
    back, roof = (FRONT._replace(channels=(channel,)) for channel in ("CAM_BACK", "CAM_ROOF"))
    with Renderer(scenes, OPTIONS, cache=False) as renderer:
        missing = renderer.missing([FRONT, back, roof, FRONT._replace(frame=5)])
        assert set(missing) == {FRONT, roof, FRONT._replace(frame=5)}
        assert missing[FRONT].endswith("samples/CAM_FRONT/0.jpg: is not there.")
        with pytest.raises(InputError, match="CAM_FRONT"):
            renderer.render(FRONT)
        with pytest.raises(ValueError, match="names it alone"):
            renderer.render(FRONT._replace(channels=()))


def test_objects_are_found_where_they_show() -> None:
    """A box of 2 m, 20 m ahead and 3 m to the left: its near face shows, 19 m away."""
    boxes = [placed("a", 20, 3), placed("behind", -20, 0), placed("later", 20, 3, frame=1)]
    scenes = seen(boxes, [camera(), camera(frame=1)])
    token = dict(scenes.boxes.select("track", "token").iter_rows())
    wanted = [("CAM_FRONT", token[name]) for name in token] + [("CAM_ROOF", token["a"]), ("CAM_FRONT", "unknown")]
    found = bounds_in_images(scenes, wanted)
    assert set(found) == {("CAM_FRONT", token["a"]), ("CAM_FRONT", token["later"])}
    left, top, right, bottom = found["CAM_FRONT", token["a"]]
    assert left == pytest.approx((800 - FOCAL_PX * 4 / 19) / 1600)
    assert right == pytest.approx((800 - FOCAL_PX * 2 / 21) / 1600)
    assert (top, bottom) == pytest.approx(((450 - FOCAL_PX / 19) / 900, (450 + FOCAL_PX / 19) / 900))
    assert bounds_in_images(scenes, []) == {}


def test_no_image_size_is_told_only_of_what_is_wanted() -> None:
    scenes = seen([placed("a", 20, 0)], [camera()])
    unsized = dataclasses.replace(scenes, sensors=scenes.sensors.with_columns(width=pl.lit(None, pl.Int32)))
    with pytest.raises(InputError, match="no image size"):
        bounds_in_images(unsized, [("CAM_FRONT", unsized.boxes["token"][0])])
    assert bounds_in_images(unsized, [("CAM_BACK", unsized.boxes["token"][0])]) == {}


@pytest.mark.real_data
def test_a_real_image_shows_its_objects_outlined(real_data: Callable[[str], Path]) -> None:
    scenes = open_scenes(real_data("nuscenes_mini"))
    first = scenes.boxes.filter((pl.col("scene") == "scene-0061") & (pl.col("frame") == 0))
    found = bounds_in_images(scenes, [("CAM_FRONT", token) for token in first["token"]])
    assert 10 < len(found) < first.height
    largest = max(found.values(), key=lambda bounds: (bounds[2] - bounds[0]) * (bounds[3] - bounds[1]))
    picture = Picture("one-camera", "scene-0061", 0, 0, ("CAM_FRONT",), marks=(Mark("A", "CAM_FRONT", largest),))
    with Renderer(scenes, PictureOptions(), cache=False) as renderer:
        plain, marked = (opened(renderer.render(one)) for one in (picture._replace(marks=()), picture))
    assert plain.size == (1024, 576)
    assert differing(plain, marked).any()
