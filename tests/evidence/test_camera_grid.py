from __future__ import annotations

import dataclasses
import io
import re
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from PIL import Image as PillowImage

from picture_making import COLOURS, SCENE, SIZE_PX, YAWS_DEG, opened, write_dataset, write_photograph
from probe4d.errors import InputError
from probe4d.evidence.camera_grid import SURROUND, Camera, camera_name, draw_blank_grid, draw_grid, in_grid_order
from probe4d.evidence.photographs import MAX_PIXELS, open_photograph
from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.rendering import Renderer
from probe4d.evidence.sources import Sources
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

OPTIONS = PictureOptions(max_side_px=512, jpeg_quality=90)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return write_dataset(tmp_path_factory.mktemp("made"))


def grid(scenes: Scenes, **changes: object) -> PillowImage.Image:
    picture = Picture("cameras", SCENE, 0, 12)._replace(**changes)
    with Renderer(scenes, OPTIONS, cache=False) as renderer:
        return opened(renderer.render(picture))


def nearest_camera(pixel: tuple[int, ...]) -> str:
    return min(COLOURS, key=lambda channel: sum(abs(a - b) for a, b in zip(COLOURS[channel], pixel, strict=True)))


def seen(image: PillowImage.Image, columns: int, rows: int) -> list[str]:
    """Whose colour lies in the middle of each cell's lower half, row by row."""
    strip = image.height * 0.06
    return [
        nearest_camera(
            image.getpixel(
                (int((column + 0.5) * image.width / columns), int(strip + (row + 0.7) * (image.height - strip) / rows))
            )
        )
        for row in range(rows)
        for column in range(columns)
    ]


def test_every_camera_has_its_fixed_place(made: Scenes) -> None:
    expected = [f"CAM_{name}" for name in ("FRONT_LEFT", "FRONT", "FRONT_RIGHT", "BACK_LEFT", "BACK", "BACK_RIGHT")]
    assert seen(grid(made), 3, 2) == expected


def test_a_picture_may_show_some_cameras_only_and_their_order_stays(made: Scenes) -> None:
    image = grid(made, channels=("CAM_BACK", "CAM_FRONT", "CAM_FRONT_LEFT"))
    assert seen(image, 3, 1) == ["CAM_FRONT_LEFT", "CAM_FRONT", "CAM_BACK"]


def test_cameras_are_called_by_where_they_look_or_else_by_their_channel() -> None:
    assert [camera_name(channel) for channel in SURROUND] == [
        *("front-left", "front", "front-right"),
        *("back-left", "back", "back-right"),
    ]
    assert camera_name("image_02") == "image_02"


def test_names_of_other_cameras_are_written_into_their_tiles(tmp_path: Path) -> None:
    """Two datasets that differ in the name of a camera alone give pictures that differ in its caption alone."""
    first = grid(write_dataset(tmp_path / "first", yaws_deg={"image_02": 0.0}))
    other = grid(write_dataset(tmp_path / "other", yaws_deg={"port": 0.0}))
    assert first.size == other.size
    differs = np.asarray(first, dtype=int) - np.asarray(other, dtype=int)
    rows = np.flatnonzero(np.abs(differs).max(axis=(1, 2)) > 40)
    assert rows.size
    assert rows.max() < first.height - SIZE_PX[1]


@pytest.mark.parametrize("frame", [0, 2])
def test_the_label_is_written_once_above_everything(made: Scenes, frame: int) -> None:
    first, other = (np.asarray(grid(made, frame=frame, label=label), dtype=int) for label in (0, 888))
    rows = np.flatnonzero(np.abs(first - other).max(axis=(1, 2)) > 40)
    assert rows.size
    assert rows.max() < 0.06 * first.shape[0]


def test_foreign_cameras_are_put_where_they_look() -> None:
    names = dict(zip("cafedb", YAWS_DEG.values(), strict=True))
    assert in_grid_order(names) == tuple("cafedb")
    assert in_grid_order(dict(reversed(names.items()))) == tuple("cafedb")
    assert in_grid_order({"right": -90.0, "rear": 180.0, "left": 90.0, "ahead": 0.0}) == (
        *("left", "ahead", "right"),
        "rear",
    )


@pytest.mark.real_data
def test_where_the_cameras_of_nuscenes_look_gives_the_fixed_order(real_data: Callable[[str], Path]) -> None:
    scenes = open_scenes(real_data("nuscenes_mini"))
    foreign = {channel: f"camera {number}" for number, channel in enumerate(sorted(SURROUND))}
    renamed = scenes.sensors.with_columns(pl.col("channel").replace(foreign))
    sources = Sources(dataclasses.replace(scenes, sensors=renamed))
    for scene in scenes.names:
        assert tuple(sources.cameras(scene)) == tuple(foreign[channel] for channel in SURROUND)


@pytest.mark.real_data
def test_each_tile_shows_the_image_of_its_camera(real_data: Callable[[str], Path]) -> None:
    scenes = open_scenes(real_data("nuscenes_mini"))
    with Renderer(scenes, PictureOptions(), cache=False) as renderer:
        image = opened(renderer.render(Picture("cameras", "scene-0061", 0, 0)))
    key_frame = scenes.sensors.filter(pl.col("scene") == "scene-0061", pl.col("frame") == 0)
    files = dict(key_frame.select("channel", "file").iter_rows())
    originals = {
        channel: PillowImage.open(scenes.root / files[channel]).resize((337, 190), PillowImage.Resampling.LANCZOS)
        for channel in SURROUND
    }
    for number, channel in enumerate(SURROUND):
        row, column = divmod(number, 3)
        left, bottom = column * (337 + 6), image.height - (1 - row) * (26 + 190 + 6)
        tile = np.asarray(image.crop((left, bottom - 190, left + 337, bottom)), dtype=int)
        difference = {name: np.abs(tile - np.asarray(original)).mean() for name, original in originals.items()}
        assert difference.pop(channel) < 8 < min(difference.values())


@example(sizes=[(16, 3593)], max_side_px=256)  # whose height is rounded up
@given(
    sizes=st.lists(st.tuples(st.integers(16, 4000), st.integers(16, 4000)), min_size=1, max_size=9),
    max_side_px=st.integers(256, 2048),
)
@settings(max_examples=60)
def test_a_grid_never_exceeds_the_longest_side(sizes: list[tuple[int, int]], max_side_px: int) -> None:
    drawn = draw_blank_grid(sizes, 7, PictureOptions(max_side_px=max_side_px))
    width, height = PillowImage.open(io.BytesIO(drawn)).size
    assert 0 < width <= max_side_px
    assert 0 < height <= max_side_px


@given(
    width=st.integers(20, 400), height=st.integers(20, 400), box=st.tuples(st.integers(16, 300), st.integers(16, 300))
)
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_images_keep_their_aspect(width: int, height: int, box: tuple[int, int], tmp_path: Path) -> None:
    path = write_photograph(tmp_path / "image.jpg", (9, 9, 9), (width, height))
    fitted = open_photograph(path, box)
    assert fitted.width <= box[0]
    assert fitted.height <= box[1]
    assert box[0] == fitted.width or box[1] == fitted.height
    assert abs(fitted.width * height - fitted.height * width) <= max(width, height)


def test_images_of_another_shape_than_the_table_says_are_not_cut(tmp_path: Path) -> None:
    scenes = write_dataset(tmp_path, yaws_deg={"CAM_FRONT": 0.0})
    path = write_photograph(tmp_path / "samples/CAM_FRONT/0.jpg", (200, 200, 200), (100, 200))
    photograph = PillowImage.open(path)
    photograph.paste((250, 0, 0), (0, 0, 100, 20))
    photograph.paste((0, 0, 250), (0, 180, 100, 200))
    photograph.save(path, quality=95)
    image = grid(scenes)
    column = [image.getpixel((image.width // 2, row)) for row in range(image.height)]
    assert any(red > 180 and blue < 80 for red, _, blue in column)
    assert any(blue > 180 and red < 80 for red, _, blue in column)
    assert image.getpixel((5, image.height - 5)) == (0, 0, 0)


@pytest.mark.parametrize("channels", [(), ("CAM_BACK",), ("CAM_FRONT", "CAM_BACK_LEFT")])
def test_a_blank_picture_has_the_size_and_the_label_and_nothing_else(made: Scenes, channels: tuple[str, ...]) -> None:
    shown, blank = (grid(made, channels=channels, black=black) for black in (False, True))
    assert shown.size == blank.size
    pixels = np.asarray(blank)
    strip = int(np.flatnonzero(pixels[:, -1].max(axis=-1) < 40)[0])
    assert strip < 40
    assert pixels[strip + 8 :].max() < 8  # JPEG blurs the border of the strip
    assert np.abs(pixels[: strip - 8].astype(int) - np.asarray(shown)[: strip - 8]).max() < 40


def test_a_blank_picture_needs_no_files_and_no_cameras(tmp_path: Path, made: Scenes) -> None:
    without = write_dataset(tmp_path, yaws_deg={})
    assert grid(without, black=True).size == grid(write_dataset(tmp_path / "six", size_px=(1600, 900)), black=True).size
    with Renderer(made, OPTIONS) as renderer:
        assert renderer.missing([Picture("cameras", "nowhere", 99, 0, black=True)]) == {}


def test_a_dataset_may_lack_the_size_of_its_images(tmp_path: Path) -> None:
    image = grid(write_dataset(tmp_path, size_px=None))
    assert seen(image, 3, 2) == list(SURROUND)


@pytest.mark.parametrize("mode", ["RGB", "L", "P", "RGBA", "CMYK", "I;16", "1"])
def test_images_of_every_colour_mode_can_be_shown(tmp_path: Path, mode: str) -> None:
    suffix = "jpg" if mode == "CMYK" else "png"
    PillowImage.new("RGB", (64, 36), (200, 40, 40)).convert("L" if mode == "I;16" else mode).convert(mode).save(
        tmp_path / f"image.{suffix}"
    )
    assert open_photograph(tmp_path / f"image.{suffix}", (32, 32)).mode == "RGB"


def png_bomb() -> bytes:
    """A PNG of a few hundred bytes that declares 100,000 by 100,000 pixels."""
    chunks = [
        b"IHDR" + struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0),
        b"IDAT" + zlib.compress(bytes(10_000)),
        b"IEND",
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks
    )


def photograph_bytes() -> bytes:
    noise = np.random.default_rng(0).integers(0, 255, (180, 320, 3), dtype=np.uint8)
    encoded = io.BytesIO()
    PillowImage.fromarray(noise).save(encoded, "JPEG", quality=90)
    return encoded.getvalue()


def large_png() -> bytes:
    """Just more pixels than are read, of the kind that Pillow itself would accept."""
    encoded = io.BytesIO()
    PillowImage.new("1", (MAX_PIXELS // 4000 + 1, 4000)).save(encoded, "PNG")
    return encoded.getvalue()


JPEG = photograph_bytes()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"not an image, but some text\n" * 40, "is no JPEG or PNG image"),
        (JPEG[: len(JPEG) // 2], "is cut off"),
        (JPEG[:-2], "is cut off"),
        (JPEG[: len(JPEG) // 2] + bytes(len(JPEG) // 2), "is cut off"),
        (JPEG[:20], "is"),
        (b"GIF89a" + bytes(100), "is no JPEG or PNG image"),
        (png_bomb(), "million pixels"),
        (large_png(), "million pixels"),
    ],
    ids=["empty", "text", "half", "no end", "zeros", "head", "gif", "bomb", "large"],
)
def test_files_that_are_no_whole_image_are_named(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "image.jpg"
    path.write_bytes(content)
    with pytest.raises(InputError, match=f"^{re.escape(str(path))}: .*{message}") as caught:
        open_photograph(path, (100, 100))
    assert caught.value.path == path


def test_a_missing_image_and_a_folder_in_its_place_are_named(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.jpg", tmp_path):
        with pytest.raises(InputError, match="cannot be read") as caught:
            open_photograph(path, (100, 100))
        assert caught.value.path == path


@pytest.mark.parametrize("suffix", ["jpg", "png"])
@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damage_gives_an_image_or_a_named_error(suffix: str, data: st.DataObject, tmp_path: Path) -> None:
    path = write_photograph(tmp_path / f"image.{suffix}", (120, 60, 30), (48, 32))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    try:
        image = open_photograph(path, (40, 40))
    except InputError as error:
        message = str(error)
    else:
        message = f"{path}: {max(image.size)}"
    assert re.match(rf"{re.escape(str(path))}: (40$|is |declares )", message)


def test_a_grid_with_a_damaged_image_names_the_file(tmp_path: Path) -> None:
    scenes = write_dataset(tmp_path)
    path = tmp_path / "samples/CAM_BACK/0.jpg"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match=r"CAM_BACK/0\.jpg: is cut off"):
        grid(scenes)


@pytest.mark.real_data
def test_a_grid_of_one_camera_is_its_image(real_data: Callable[[str], Path]) -> None:
    scenes = open_scenes(real_data("kitti_0001_nuscenes_format"))
    with Renderer(scenes, PictureOptions(), cache=False) as renderer:
        image = opened(renderer.render(Picture("cameras", scenes.names[0], 0, 0)))
    source = scenes.sensors.filter(pl.col("modality") == "camera", pl.col("frame") == 0)["file"][0]
    original = PillowImage.open(scenes.root / source).convert("RGB")
    assert image.width == original.width
    shown = image.crop((0, image.height - original.height, image.width, image.height))
    assert np.abs(np.asarray(shown, dtype=int) - np.asarray(original)).mean() < 6


def test_drawing_twice_gives_the_same_bytes(made: Scenes) -> None:
    cameras = [Camera(channel, made.root / f"samples/{channel}/0.jpg", SIZE_PX) for channel in SURROUND]
    assert draw_grid(cameras, 3, OPTIONS) == draw_grid(cameras, 3, OPTIONS)
