"""Videos of scenes: what is decoded back is what was drawn, and what was drawn is where it must be."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import polars as pl
import pytest
from PIL import Image

from picture_making import COLOURS, LIDAR_HEIGHT_M, SCENE, write_scan
from placed_boxes import placed
from probe4d.errors import InputError
from probe4d.report.video.colours import EGO, box_colours, faded, height_colours
from probe4d.report.video.drawn_scene import DrawnScene
from probe4d.report.video.options import VideoOptions
from probe4d.report.video.render import render_video
from probe4d.scenes.opening import open_scenes
from video_making import STEP_M, Picture, animated, decoded, drawn, filmed

SMALL = (480, 270)
CAR, PEDESTRIAN = box_colours(["car", "pedestrian"], ["", ""], "class")
LEGEND_PX = 30
"""More than the heights of heading and legend in a picture of that size."""


def coloured(picture: Picture, colour: tuple[int, int, int]) -> np.ndarray:
    """Where a picture has a colour, rows and columns, without heading and legend."""
    inner = np.all(picture == colour, axis=-1)
    inner[:LEGEND_PX] = inner[-LEGEND_PX:] = False
    return np.argwhere(inner)


def is_near(picture: Picture, at: tuple[int, int], colour: Sequence[int], reach_px: int) -> bool:
    """Whether a picture has a colour within some pixels of a row and column."""
    row, column = at
    near = picture[row - reach_px : row + reach_px + 1, column - reach_px : column + reach_px + 1]
    return bool((near == colour).all(axis=-1).any())


@pytest.mark.real_data
@pytest.mark.parametrize("view", ["above", "orbit", "cameras"])
def test_every_key_frame_is_decoded_back_as_it_was_drawn(
    view: str, real_data: Callable[[str], Path], tmp_path: Path
) -> None:
    scenes = open_scenes(real_data("kitti_0001_nuscenes_format"))
    options = VideoOptions(view=view, size_px=SMALL, frames=(3, 8))  # type: ignore[arg-type]  # a word of the list
    rendered = render_video(scenes, "scene-kitti-0001", tmp_path / "video.mp4", options)
    assert (rendered.frames, rendered.blanks, rendered.without_images) == (6, (), ())
    render_video(scenes, "scene-kitti-0001", tmp_path / "drawn", options)
    assert [path.name for path in sorted((tmp_path / "drawn").iterdir())] == [f"00{n}.png" for n in range(3, 9)]
    pictures, seen = drawn(tmp_path / "drawn"), decoded(tmp_path / "video.mp4")
    assert len(pictures) == len(seen) == 6
    for one, other in zip(pictures, seen, strict=True):
        assert np.abs(one.astype(int) - other).mean() < 6  # colours lie at half of the size
    assert any((one != other).any() for one, other in pairwise(pictures))


@pytest.mark.real_data
def test_scene_0061_shows_its_one_camera_and_tells_what_is_missing(
    real_data: Callable[[str], Path], tmp_path: Path
) -> None:
    mini = real_data("nuscenes_mini")
    root = tmp_path / "mini"
    (root / "samples").mkdir(parents=True)
    (root / "v1.0-mini").symlink_to(mini / "v1.0-mini")
    shutil.copytree(mini / "scene_0061_front_camera_640x360", root / "samples" / "CAM_FRONT")
    scenes = open_scenes(root)
    options = VideoOptions(view="cameras", size_px=SMALL, frames=(0, 4))
    rendered = render_video(scenes, "scene-0061", tmp_path / "cameras", options)
    assert rendered.blanks == ()
    assert set(rendered.without_images) == {
        "CAM_FRONT_LEFT",
        "CAM_FRONT_RIGHT",
        "CAM_BACK",
        "CAM_BACK_LEFT",
        "CAM_BACK_RIGHT",
    }
    with_boxes = drawn(tmp_path / "cameras")[0]
    assert coloured(with_boxes, CAR).size
    rendered = render_video(scenes, "scene-0061", tmp_path / "above.gif", VideoOptions(size_px=SMALL, frames=(0, 4)))
    assert [(blank.frame, blank.channel) for blank in rendered.blanks] == [(n, "LIDAR_TOP") for n in range(5)]
    assert len(animated(tmp_path / "above.gif")) == 5
    with pytest.raises(InputError, match="no camera images to show: no image of its cameras is there"):
        render_video(scenes, "scene-0103", tmp_path / "none.gif", options)


def test_a_simulated_scene_is_as_long_as_it_was(simulated: Path, tmp_path: Path) -> None:
    scenes = open_scenes(simulated)
    rendered = render_video(scenes, "sim-0001", tmp_path / "video.mp4", VideoOptions(size_px=SMALL))
    with av.open(str(tmp_path / "video.mp4")) as container:
        (stream,) = container.streams.video
        assert (stream.width, stream.height, stream.pix_fmt) == (*SMALL, "yuv420p")
        assert stream.codec_context.name == "h264"
        assert float(stream.average_rate or 0) == pytest.approx(rendered.fps, abs=1e-3)
        assert float(stream.duration * stream.time_base) == pytest.approx(40 / rendered.fps, abs=1e-3)
        assert sum(1 for _ in container.decode(video=0)) == rendered.frames == 40
    content = (tmp_path / "video.mp4").read_bytes()
    assert content.index(b"moov") < content.index(b"mdat"), "browsers play it while they fetch it"


def test_from_above_points_and_boxes_lie_where_they_must(tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data", [placed("a", -30.0, 20.0, 1.0, size=(4.0, 2.0, 1.5))])
    options = VideoOptions(size_px=(600, 648), reach_m=50.0, frames=(0, 0))
    render_video(scenes, SCENE, tmp_path / "drawn", options)
    (picture,) = drawn(tmp_path / "drawn")
    line = 21  # of 14 px letters
    panel = picture[line:-line]
    assert panel.shape[:2] == (606, 600)
    scale = 300 / 50.0

    def place(x_m: float, y_m: float) -> tuple[int, int]:
        return int(303 - x_m * scale), int(300 - y_m * scale)

    for point_m in ((20.0, 0.0, 0.5), (0.0, 30.0, 1.5), (-10.0, -40.0, 3.0)):
        assert is_near(panel, place(*point_m[:2]), height_colours(np.array([point_m[2]]))[0], 1), point_m
    for corner in ((-28.0, 21.0), (-28.0, 19.0), (-32.0, 21.0), (-32.0, 19.0)):
        assert is_near(panel, place(*corner), CAR, 2), corner
    ahead, behind = (panel[slice(row - 8, row), 180] for row in (303 + 30 * 6 - 2, 303 + 30 * 6 + 10))
    assert (ahead == CAR).all(axis=1).any(), "a line from the middle shows where its front is"
    assert not (behind == CAR).all(axis=1).any()
    assert (panel[place(1.0, 0.87)] == EGO).all()


def test_through_a_camera_a_box_lies_where_it_must(tmp_path: Path) -> None:
    box = placed("a", 20.0, -2.0, LIDAR_HEIGHT_M, size=(0.02, 2.0, 2.0), category="human.pedestrian")
    scenes = filmed(tmp_path / "data", [box])
    optics = pl.lit([160.0, 0.0, 160.0, 0.0, 160.0, 90.0, 0.0, 0.0, 1.0])
    scenes = replace(scenes, sensors=scenes.sensors.with_columns(intrinsics=optics))
    options = VideoOptions(view="cameras", cameras=("CAM_FRONT",), size_px=(640, 410), frames=(0, 0))
    render_video(scenes, SCENE, tmp_path / "drawn", options)
    (picture,) = drawn(tmp_path / "drawn")
    image = picture[33 : 33 + 360]  # twice its size, below the heading and its name
    assert np.abs(image[300, 100].astype(int) - COLOURS["CAM_FRONT"]).max() < 4
    found = np.argwhere((image == PEDESTRIAN).all(axis=-1))
    found = found[found[:, 0] > 161]  # below its label
    low, high = found.min(axis=0), found.max(axis=0)
    # 1 to 3 m to the right in a distance of 20 m; 1 m above and below the camera.
    assert low == pytest.approx((180 - 320 * 1 / 20, 320 + 320 * 1 / 20), abs=2)
    assert high == pytest.approx((180 + 320 * 1 / 20, 320 + 320 * 3 / 20), abs=2)


def test_a_box_without_returns_is_dark_from_above_and_left_out_of_images(tmp_path: Path) -> None:
    boxes = [placed("a", 20.0, 10.0, 2.0) | {"lidar_points": 0}]
    scenes = filmed(tmp_path / "data", boxes)
    render_video(scenes, SCENE, tmp_path / "above", VideoOptions(size_px=SMALL, frames=(0, 0)))
    (picture,) = drawn(tmp_path / "above")
    assert coloured(picture, faded(CAR, 0.45)).size
    optics = pl.lit([160.0, 0.0, 160.0, 0.0, 160.0, 90.0, 0.0, 0.0, 1.0])
    scenes = replace(scenes, sensors=scenes.sensors.with_columns(intrinsics=optics))
    render_video(scenes, SCENE, tmp_path / "cameras", VideoOptions(view="cameras", size_px=SMALL, frames=(0, 0)))
    (picture,) = drawn(tmp_path / "cameras")
    assert not coloured(picture, faded(CAR, 0.45)).size
    assert not coloured(picture, CAR).size


def test_trails_show_where_tracks_were(tmp_path: Path) -> None:
    """The ego vehicle drives; what stands still leaves no trail in the world, what keeps beside it leaves one."""
    boxes = [placed("still", 30.0, 20.0, frame=frame) for frame in range(4)]
    boxes += [placed("beside", STEP_M * frame, -20.0, frame=frame) | {"ego_x": 0.0} for frame in range(4)]
    boxes += [placed("gone", 0.0, 30.0, frame=0)]
    scenes = filmed(tmp_path / "data", boxes, drives=True)
    recorded = DrawnScene(scenes, SCENE)
    (starts, ends), whose = recorded.trails(3, 6)
    tracks = recorded.boxes(3).tracks
    assert tracks == ["beside", "still"]
    pieces = {(tracks[box], start[0], end[0]) for box, start, end in zip(whose, starts, ends, strict=True)}
    assert pieces == {("beside", 0.0, 2.0), ("beside", 2.0, 4.0), ("beside", 4.0, 6.0), ("still", 30.0, 30.0)}
    assert [len(recorded.trails(3, length)[1]) for length in (0, 1, 2)] == [0, 2, 4]
    assert recorded.ego_way(3, 2)[1][:, 0].tolist() == [4.0, 6.0]
    assert recorded.rate_fps == pytest.approx(2.0)


@pytest.mark.parametrize("name", ["video.gif", "video.webp", "drawn"])
def test_the_same_scene_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data", [placed("a", 10.0, 10.0), placed("b", 10.0, -10.0)])
    contents = []
    for attempt in ("first", "second"):
        render_video(scenes, SCENE, tmp_path / attempt / name, VideoOptions(size_px=SMALL, coloured_by="track"))
        path = tmp_path / attempt / name
        contents.append([file.read_bytes() for file in sorted(path.iterdir() if path.is_dir() else [path])])
    assert contents[0] == contents[1]


def test_animations_play_at_the_rate_that_was_asked_for(tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data")
    for name in ("video.gif", "video.webp"):
        render_video(scenes, SCENE, tmp_path / name, VideoOptions(size_px=SMALL, fps=5))
        with Image.open(tmp_path / name) as image:
            assert (image.n_frames, image.size) == (4, SMALL)  # type: ignore[attr-defined]
            image.load()
            assert image.info["duration"] == 200
            assert image.info["loop"] == 0
    render_video(scenes, SCENE, tmp_path / "drawn", VideoOptions(size_px=SMALL, fps=5))
    for one, other in zip(drawn(tmp_path / "drawn"), animated(tmp_path / "video.webp"), strict=True):
        assert np.abs(one.astype(int) - other).mean() < 6


@pytest.mark.parametrize(
    ("step_us", "name", "fps"),
    [
        (100_000, "a.gif", 10.0),
        (1, "a.gif", 50.0),
        (1, "a.webp", 60.0),
        (0, "a.webp", 2.0),
        (3_600_000_000, "a.webp", 0.1),
    ],
)
def test_the_usual_rate_is_the_recorded_one_where_a_video_can_have_it(
    step_us: int, name: str, fps: float, tmp_path: Path
) -> None:
    scenes = filmed(tmp_path / "data", frames=3)
    scenes = replace(scenes, keyframes=scenes.keyframes.with_columns(timestamp_us=pl.col("frame").cast(int) * step_us))
    assert render_video(scenes, SCENE, tmp_path / name, VideoOptions(size_px=SMALL)).fps == pytest.approx(fps)


def test_what_cannot_be_read_is_left_blank_and_told(tmp_path: Path) -> None:
    root = tmp_path / "data"
    scenes = filmed(root)
    (root / "samples/LIDAR_TOP/1.pcd.bin").unlink()
    (root / "samples/LIDAR_TOP/2.pcd.bin").write_bytes(b"cut off")
    (root / "samples/CAM_BACK/0.jpg").write_bytes(b"no image")
    (root / "samples/CAM_BACK/3.jpg").write_bytes((root / "samples/CAM_BACK/3.jpg").read_bytes()[:-200])
    without = pl.col("frame").eq(3) & pl.col("channel").eq("CAM_FRONT")
    scenes = replace(scenes, sensors=scenes.sensors.filter(~without))
    rendered = render_video(scenes, SCENE, tmp_path / "drawn", VideoOptions(size_px=SMALL, strip=True))
    told = {(blank.frame, blank.channel): blank.why for blank in rendered.blanks}
    assert list(told) == [
        (0, "CAM_BACK"),
        (1, "LIDAR_TOP"),
        (2, "LIDAR_TOP"),
        (3, "CAM_FRONT"),
        (3, "CAM_BACK"),
    ]
    assert "cannot be read (No such file" in told[1, "LIDAR_TOP"]
    assert "has 7 bytes" in told[2, "LIDAR_TOP"]
    assert told[3, "CAM_FRONT"] == "has no reading."
    assert "cut off" in told[3, "CAM_BACK"]
    ground = height_colours(np.array([0.5]))[0]
    assert [bool(coloured(picture, tuple(ground)).size) for picture in drawn(tmp_path / "drawn")] == [
        True,
        False,
        False,
        True,
    ]  # type: ignore[arg-type]
    assert len(drawn(tmp_path / "drawn")) == 4


def test_a_file_that_leads_out_of_the_dataset_is_not_read(tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data", frames=1)
    (tmp_path / "secret.jpg").write_bytes((tmp_path / "data/samples/CAM_FRONT/0.jpg").read_bytes())
    away = pl.when(pl.col("channel") == "CAM_FRONT").then(pl.lit("../secret.jpg")).otherwise("file")
    scenes = replace(scenes, sensors=scenes.sensors.with_columns(file=away))
    options = VideoOptions(view="cameras", cameras=("CAM_FRONT",), size_px=SMALL)
    rendered = render_video(scenes, SCENE, tmp_path / "drawn", options)
    assert ["leads out of the dataset" in blank.why for blank in rendered.blanks] == [True]


@pytest.mark.parametrize(
    ("options", "name", "message"),
    [
        ({"view": "below"}, "a.gif", "no view 'below'"),
        ({"coloured_by": "speed"}, "a.gif", "coloured by class or track"),
        ({"size_px": (239, 300)}, "a.gif", "sides of a video must be 240 to 4096 px, not 239x300"),
        ({"size_px": (641, 400)}, "a.mp4", "both sides must be even. Take 642x400"),
        ({"fps": 0.0}, "a.gif", "0.1 to 60 key frames a second, not 0"),
        ({"fps": float("nan")}, "a.gif", "key frames a second, not nan"),
        ({"fps": 51.0}, "a.gif", "at most 50 frames a second"),
        ({"reach_m": 1.0}, "a.gif", "reach of a view must be 5 to 500 m"),
        ({"trail": -1}, "a.gif", "A trail has 0 to 1000 key frames"),
        ({"view": "cameras", "strip": True}, "a.gif", "the view cameras has none"),
        ({"cameras": ("CAM_FRONT",)}, "a.gif", "the view above shows none"),
        ({"frames": (2, 9)}, "a.gif", "scene-1: has key frames 0 to 3, not 2 to 9"),
        ({"frames": (2, 1)}, "a.gif", "not 2 to 1"),
        ({"view": "cameras", "cameras": ("CAM_TOP",)}, "a.gif", "has no camera CAM_TOP. Take one of CAM_FRONT_LEFT"),
        ({}, "a.avi", "ends in '.avi', and a video is .mp4, .gif or .webp"),
        ({}, "full", "is not empty"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(
    options: dict[str, object], name: str, message: str, tmp_path: Path
) -> None:
    scenes = filmed(tmp_path / "data")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "kept").touch()
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InputError, match=re.escape(message)):
        render_video(scenes, SCENE, tmp_path / name, VideoOptions(**options))  # type: ignore[arg-type]
    assert sorted(tmp_path.iterdir()) == before


def test_other_scenes_and_datasets_without_a_lidar_are_refused(tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data")
    with pytest.raises(InputError, match=r"has no scene 'scene-2'\. It has 1 scene, such as scene-1"):
        render_video(scenes, "scene-2", tmp_path / "a.gif")
    with pytest.raises(InputError, match="has no LiDAR"):
        render_video(replace(scenes, reference_channel="CAM_FRONT"), SCENE, tmp_path / "a.gif")
    with pytest.raises(InputError, match="has no key frames in scene 'scene-1'"):
        render_video(replace(scenes, keyframes=scenes.keyframes.clear()), SCENE, tmp_path / "a.gif")
    with pytest.raises(InputError, match="of a benchmark, and none is given"):
        render_video(scenes, SCENE, tmp_path / "a.gif", questions=2)


def test_an_mp4_without_its_extra_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "av", None)
    with pytest.raises(InputError, match=r"an MP4 needs packages .*pip install 'probe4d\[video\]'"):
        render_video(filmed(tmp_path / "data"), SCENE, tmp_path / "a.mp4")


@pytest.mark.parametrize("name", ["a.mp4", "a.gif", "drawn"])
def test_what_breaks_off_leaves_nothing(name: str, tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data")
    before = sorted(tmp_path.iterdir())
    told = []

    def stop() -> None:
        told.append(None)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        render_video(scenes, SCENE, tmp_path / name, VideoOptions(size_px=SMALL), done=stop)
    assert sorted(tmp_path.iterdir()) == before


def test_points_beyond_all_bounds_are_no_trouble(tmp_path: Path) -> None:
    scenes = filmed(tmp_path / "data", [placed("a", 1e7, 0.0), placed("b", 0.0, 0.0, size=(1e-3, 1e6, 2.0))], frames=1)
    write_scan(
        tmp_path / "data/samples/LIDAR_TOP/0.pcd.bin", np.array([[1e30, 0, 0], [0, -1e6, 3e38], [5.0, 5.0, 0.0]])
    )
    for view in ("above", "orbit", "cameras"):
        options = VideoOptions(view=view, size_px=SMALL)  # type: ignore[arg-type]  # a word of the list
        assert render_video(scenes, SCENE, tmp_path / view, options).blanks == ()
    write_scan(tmp_path / "data/samples/LIDAR_TOP/0.pcd.bin", np.zeros((0, 3)))
    assert render_video(scenes, SCENE, tmp_path / "empty", VideoOptions(size_px=SMALL)).blanks == ()
