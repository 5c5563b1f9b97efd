"""The best view of a track: large, then bright, then with a margin."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from spatial_making import in_view, objects

from placed_boxes import camera, seen
from probe4d.benchmarks.spatial_qa.best_views import BEST_VIEWS_SCHEMA, best_views
from probe4d.errors import InputError
from probe4d.scenes.tables import Scenes

SIZE_PX = (640, 480)
CROP = ["left_px", "top_px", "right_px", "bottom_px"]
View = tuple[int, str]


def view(frame: int, box: tuple[float, float, float, float], channel: str = "CAM_FRONT", track: str = "a") -> dict:
    return in_view(
        track,
        scene="scene-a",
        frame=frame,
        channel=channel,
        token=f"{track} {frame} {channel}",
        **dict(zip(CROP, box, strict=True)),
    )


def with_images(root: Path, greys: Mapping[View, int | np.ndarray]) -> Scenes:
    """Scenes whose camera images are of one grey, or of the given greys."""
    readings = []
    for (frame, channel), grey in greys.items():
        reading = camera(channel, frame=frame, size_px=SIZE_PX)
        path = root / str(reading["file"])
        path.parent.mkdir(parents=True, exist_ok=True)
        values = np.full(SIZE_PX[::-1], grey, dtype=np.uint8) if isinstance(grey, int) else grey
        Image.fromarray(values).convert("RGB").save(path)
        readings.append(reading)
    return seen([], readings, root=root)


def chosen(scenes: Scenes, *views: dict) -> list[View]:
    return best_views(scenes, objects(*views)).select("frame", "channel").rows()


def test_the_brightest_of_the_three_largest_is_taken(tmp_path: Path) -> None:
    scenes = with_images(
        tmp_path, {(0, "CAM_FRONT"): 50, (1, "CAM_FRONT"): 90, (2, "CAM_FRONT"): 70, (3, "CAM_FRONT"): 250}
    )
    found = best_views(
        scenes,
        objects(
            view(0, (200, 200, 300, 300)),
            view(1, (200, 200, 290, 290)),
            view(2, (200, 200, 280, 280)),
            view(3, (200, 200, 279, 280)),  # the brightest of all, but the fourth in size
        ),
    )
    assert found.schema == BEST_VIEWS_SCHEMA
    assert found.rows() == [
        (
            "scene-a",
            "a",
            "vehicle.car",
            1,
            "CAM_FRONT",
            "a 1 CAM_FRONT",
            "samples/CAM_FRONT/scene-a-1.png",
            90.0,
            100,
            100,
            390,
            390,
        )
    ]


def test_size_is_the_area_of_the_image_box(tmp_path: Path) -> None:
    scenes = with_images(tmp_path, {(frame, "CAM_FRONT"): 100 + frame for frame in range(4)})
    long, square = (0, 0, 400, 50), (0, 0, 150, 150)
    assert chosen(scenes, *(view(frame, square) for frame in range(3)), view(3, long)) == [(2, "CAM_FRONT")]


def test_of_equal_views_the_earlier_and_then_the_first_camera_is_taken(tmp_path: Path) -> None:
    places = [(0, "CAM_FRONT_LEFT"), (0, "CAM_FRONT"), (1, "CAM_BACK"), (1, "CAM_FRONT")]
    scenes = with_images(tmp_path, dict.fromkeys(places, 80))
    alike = [view(frame, (10, 10, 90, 90), channel) for frame, channel in reversed(places)]
    assert chosen(scenes, *alike) == [(0, "CAM_FRONT")]
    # Of four equally large ones the last stands for no choice, however bright it is.
    scenes = with_images(tmp_path, dict.fromkeys(places, 80) | {(1, "CAM_FRONT"): 200})
    assert chosen(scenes, *alike) == [(0, "CAM_FRONT")]
    scenes = with_images(tmp_path, dict.fromkeys(places, 80) | {(1, "CAM_BACK"): 200})
    assert chosen(scenes, *alike) == [(1, "CAM_BACK")]


def test_brightness_is_that_of_the_image_box_without_its_margin(tmp_path: Path) -> None:
    bright_around = np.full(SIZE_PX[::-1], 255, dtype=np.uint8)
    bright_around[100:150, 200:260] = 10
    scenes = with_images(tmp_path, {(0, "CAM_FRONT"): bright_around, (1, "CAM_FRONT"): 20})
    box = (200.3, 100.6, 259.2, 149.1)  # touches the pixels 200 to 259 and 100 to 149
    found = best_views(scenes, objects(view(0, box), view(1, box)))
    assert found.select("frame", "mean_grey", *CROP).rows() == [(1, 20.0, 100, 0, 360, 250)]
    assert best_views(scenes, objects(view(0, box)))["mean_grey"].to_list() == [10.0]


def test_grey_is_luma(tmp_path: Path) -> None:
    scenes = with_images(tmp_path, {(0, "CAM_FRONT"): 0, (1, "CAM_FRONT"): 0})
    for frame, colour in enumerate([(0, 255, 0), (255, 0, 0)]):
        Image.new("RGB", SIZE_PX, colour).save(tmp_path / f"samples/CAM_FRONT/scene-a-{frame}.png")
    box = (10, 10, 90, 90)
    greys = [best_views(scenes, objects(view(frame, box)))["mean_grey"][0] for frame in (0, 1)]
    np.testing.assert_allclose(greys, [0.587 * 255, 0.299 * 255], atol=1)


@pytest.mark.parametrize(
    ("box", "crop"),
    [
        ((200, 150, 300, 250), (100, 50, 400, 350)),
        ((30.5, 0, 90.5, 60), (0, 0, 191, 160)),
        ((540.5, 379.5, 640, 480), (440, 279, 640, 480)),
        ((0, 0, 640, 480), (0, 0, 640, 480)),
    ],
)
def test_the_margin_ends_at_the_border_of_the_image(
    tmp_path: Path, box: tuple[float, float, float, float], crop: tuple[int, ...]
) -> None:
    scenes = with_images(tmp_path, {(0, "CAM_FRONT"): 80})
    assert best_views(scenes, objects(view(0, box))).select(CROP).rows() == [crop]


def test_each_track_has_its_own_best_view_whatever_the_order_of_rows(tmp_path: Path) -> None:
    scenes = with_images(tmp_path, {(0, "CAM_FRONT"): 50, (1, "CAM_FRONT"): 90, (2, "CAM_FRONT"): 70})
    views = [
        view(0, (0, 0, 50, 50), track="b"),
        view(2, (0, 0, 50, 50), track="b"),
        view(0, (0, 0, 60, 60), track="a"),
        view(1, (60, 0, 120, 60), track="a"),
    ]
    found = best_views(scenes, objects(*views))
    assert found.select("track", "frame").rows() == [("a", 1), ("b", 2)]
    assert best_views(scenes, objects(*reversed(views))).equals(found)


def test_without_objects_there_are_no_views(tmp_path: Path) -> None:
    found = best_views(with_images(tmp_path, {(0, "CAM_FRONT"): 1}), objects(view(0, (0, 0, 9, 9))).clear())
    assert found.is_empty()
    assert found.schema == BEST_VIEWS_SCHEMA


def test_an_image_that_cannot_be_used_is_named(tmp_path: Path) -> None:
    scenes = with_images(tmp_path, {(0, "CAM_FRONT"): 50, (1, "CAM_FRONT"): 60})
    views = objects(view(0, (0, 0, 50, 50)), view(1, (0, 0, 50, 50)))
    path = tmp_path / "samples/CAM_FRONT/scene-a-1.png"
    sound = path.read_bytes()
    for content, complaint in (
        (b"", "is empty"),
        (b"no image", "is no JPEG or PNG image"),
        (sound[:200], "is damaged"),
    ):
        path.write_bytes(content)
        with pytest.raises(InputError, match=complaint) as refused:
            best_views(scenes, views)
        assert refused.value.path == path
    path.unlink()
    with pytest.raises(InputError, match=r"scene-a-1\.png: cannot be read"):
        best_views(scenes, views)


def test_an_image_of_another_size_than_the_tables_say_is_refused(tmp_path: Path) -> None:
    scenes = with_images(tmp_path, {(0, "CAM_FRONT"): 50})
    Image.new("RGB", (320, 240)).save(tmp_path / "samples/CAM_FRONT/scene-a-0.png")
    with pytest.raises(InputError, match=r"scene-a-0\.png: is 320 x 240 px, and the dataset's tables say 640 x 480"):
        best_views(scenes, objects(view(0, (0, 0, 50, 50))))


def test_an_image_outside_the_dataset_is_not_read(tmp_path: Path) -> None:
    inner = tmp_path / "dataset"
    scenes = with_images(inner, {(0, "CAM_FRONT"): 50})
    Image.new("RGB", SIZE_PX).save(tmp_path / "elsewhere.png")
    reading = camera(size_px=SIZE_PX) | {"file": "../elsewhere.png"}
    with pytest.raises(InputError, match="leads out of the dataset folder"):
        best_views(seen([], [reading], root=scenes.root), objects(view(0, (0, 0, 50, 50))))
