"""The red box around the object that a question asks about, and pictures of two sizes in one run."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from picture_making import SCENE, SIZE_PX, opened, write_dataset
from probe4d.errors import InputError
from probe4d.evidence.camera_grid import SURROUND
from probe4d.evidence.marks import Mark
from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.tables import Scenes

RED = (255, 40, 40)
BOUNDS = (0.25, 0.4, 0.5, 0.8)


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return write_dataset(tmp_path_factory.mktemp("red"))


def pixels(scenes: Scenes, options: PictureOptions, *marks: Mark, side_px: int | None = None) -> NDArray[np.int64]:
    picture = Picture("cameras", SCENE, 0, 12, marks=marks, max_side_px=side_px)
    with Renderer(scenes, options, cache=False) as renderer:
        return np.asarray(opened(renderer.render(picture)), dtype=np.int64)


@pytest.mark.parametrize("channel", list(SURROUND))
def test_the_box_lies_in_the_tile_of_its_camera_where_the_object_is(scenes: Scenes, channel: str) -> None:
    options = PictureOptions(max_side_px=640, jpeg_quality=95)
    plain, marked = pixels(scenes, options), pixels(scenes, options, Mark("", channel, BOUNDS, RED))
    assert 630 < plain.shape[1] <= 640
    changed = np.abs(plain - marked).max(axis=2) > 60
    rows, columns = (np.flatnonzero(changed.any(axis=axis)) for axis in (1, 0))
    gap, number = 6, list(SURROUND).index(channel)
    width = (640 - 2 * gap) // 3
    height = round(width * SIZE_PX[1] / SIZE_PX[0])
    left = number % 3 * (width + gap)
    bottom = plain.shape[0] if number >= 3 else (plain.shape[0] - (plain.shape[0] - 2 * height) // 3) - height - gap
    expected = (left + BOUNDS[0] * width, left + BOUNDS[2] * width)
    assert columns.min() == pytest.approx(expected[0], abs=6)
    assert columns.max() == pytest.approx(expected[1], abs=6)
    assert rows.max() - rows.min() == pytest.approx((BOUNDS[3] - BOUNDS[1]) * height, abs=10)
    if number >= 3:
        assert rows.max() == pytest.approx(bottom - (1 - BOUNDS[3]) * height, abs=6)
    reddest: NDArray[np.int64] = marked[changed][(marked[changed][:, 0] - marked[changed][:, 1:].max(axis=1)).argmax()]
    assert reddest[0] > 200
    assert reddest[1:].max() < 110


def test_one_renderer_makes_pictures_of_two_sizes(scenes: Scenes) -> None:
    options = PictureOptions(max_side_px=640, clip_side_px=360)
    assert 630 < pixels(scenes, options).shape[1] <= 640
    assert pixels(scenes, options, side_px=options.of(40).max_side_px).shape[1] in range(350, 361)
    assert options.of(5).max_side_px == 640


def test_a_size_of_clips_out_of_range_is_refused(scenes: Scenes) -> None:
    with pytest.raises(InputError, match="must be 256 to 4096 px, not 100"):
        Renderer(scenes, PictureOptions(clip_side_px=100))
