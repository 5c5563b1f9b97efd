from __future__ import annotations

import dataclasses
import logging
import os
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl
import pytest

from picture_making import SCENE, opened, write_dataset, write_photograph, write_scan
from probe4d.errors import InputError
from probe4d.evidence import rendering
from probe4d.evidence.pictures import VIEWS, Picture, PictureOptions, View
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes

OPTIONS = PictureOptions(max_side_px=256)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    return write_dataset(tmp_path_factory.mktemp("made"), frames=5)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def drawings(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often grids were drawn, by the first image's name."""
    counted: Counter[str] = Counter()
    draw = rendering.draw_grid

    def counting(cameras, *arguments, **options):  # type: ignore[no-untyped-def]
        counted[cameras[0].path.name] += 1
        return draw(cameras, *arguments, **options)

    monkeypatch.setattr(rendering, "draw_grid", counting)
    return counted


def picture_in(view: View, frame: int, *, scene: str = SCENE) -> Picture:
    return Picture(view, scene, frame, frame, ("CAM_FRONT",) if view == "one-camera" else ())


def pictures(frames: int = 5) -> list[Picture]:
    return [
        picture_in(view, frame)._replace(black=black)
        for frame in range(frames)
        for view in VIEWS
        for black in (False, True)
    ]


def rendered(scenes: Scenes, *, workers: int | None, cache: bool = False) -> list[bytes]:
    with Renderer(scenes, OPTIONS, workers=workers, cache=cache) as renderer:
        items = ((number, (picture,)) for number, picture in enumerate(pictures()))
        shown = list(renderer.ahead(items))
    assert [number for number, _ in shown] == list(range(len(shown)))
    return [images[0].content for _, images in shown if not isinstance(images, InputError)]


def test_bytes_do_not_depend_on_workers_or_cache(made: Scenes, cache: Path) -> None:
    with Renderer(made, OPTIONS, cache=False) as renderer:
        plain = [renderer.render(picture).content for picture in pictures()]
    labelled = [one for picture, one in zip(pictures(), plain, strict=True) if picture.view != "one-camera"]
    assert len(set(labelled)) == len(labelled)
    for workers in (1, 2, 5):
        assert rendered(made, workers=workers) == plain
    for _ in ("written", "read"):
        assert rendered(made, workers=2, cache=True) == plain
    assert sum(path.is_file() for path in cache.rglob("*")) == len(plain) // 2  # blank ones are not worth keeping


def test_a_picture_says_what_it_is(made: Scenes) -> None:
    with Renderer(made, OPTIONS, cache=False) as renderer:
        for view, media_type, start in (
            ("cameras", "image/jpeg", b"\xff\xd8"),
            ("birds-eye", "image/png", b"\x89PNG"),
            ("one-camera", "image/jpeg", b"\xff\xd8"),
        ):
            for black in (False, True):
                image = renderer.render(picture_in(view, 0)._replace(black=black))
                assert image.media_type == media_type
                assert image.content.startswith(start)


def test_the_cache_saves_drawing_and_knows_what_a_picture_depends_on(
    tmp_path: Path, cache: Path, drawings: Counter[str]
) -> None:
    scenes = write_dataset(tmp_path / "data")
    picture = Picture("cameras", SCENE, 0, 3)
    path = tmp_path / "data/samples/CAM_FRONT_LEFT/0.jpg"

    def times(
        picture: Picture = picture, options: PictureOptions = OPTIONS, scenes: Scenes = scenes, keep: bool = True
    ) -> int:
        before = drawings.total()
        with Renderer(scenes, options, cache=keep) as renderer:
            renderer.render(picture)
        return drawings.total() - before

    assert times() == 1
    assert times() == 0
    assert times(keep=False) == 1
    assert times(picture._replace(label=4)) == 1
    assert times(picture._replace(channels=("CAM_BACK",))) == 1
    assert times(options=PictureOptions(max_side_px=256, jpeg_quality=60)) == 1
    assert times(options=PictureOptions(max_side_px=300)) == 1
    wider = scenes.sensors.with_columns(width=pl.lit(400, dtype=pl.Int32))
    assert times(scenes=dataclasses.replace(scenes, sensors=wider)) == 1
    os.utime(path, ns=(1, 1))
    assert times() == 1
    write_photograph(path, (1, 2, 3))
    assert times() == 1
    assert times() == 0


def test_a_changed_file_is_shown_anew(tmp_path: Path, cache: Path) -> None:
    scenes = write_dataset(tmp_path / "data", yaws_deg={"CAM_FRONT": 0.0})
    with Renderer(scenes, OPTIONS) as renderer:
        before = renderer.render(Picture("cameras", SCENE, 0, 0))
        write_photograph(tmp_path / "data/samples/CAM_FRONT/0.jpg", (0, 0, 250))
        after = renderer.render(Picture("cameras", SCENE, 0, 0))
    assert opened(before).getpixel((100, 100))[2] < 60 < 200 < opened(after).getpixel((100, 100))[2]


@pytest.mark.parametrize("harm", ["flip", "cut", "empty", "swap", "folder"])
def test_a_damaged_cache_is_slower_never_wrong(
    made: Scenes, cache: Path, harm: str, caplog: pytest.LogCaptureFixture
) -> None:
    right = rendered(made, workers=1, cache=True)
    files = sorted(path for path in cache.rglob("*") if path.is_file())
    contents = [path.read_bytes() for path in files]
    for number, (path, content) in enumerate(zip(files, contents, strict=True)):
        if harm == "folder":
            path.unlink()
            path.mkdir()
        else:
            middle = len(content) // 2
            path.write_bytes(
                {
                    "flip": content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :],
                    "cut": content[:middle],
                    "empty": b"",
                    "swap": contents[number - 1],
                }[harm]
            )
    with caplog.at_level(logging.WARNING):
        assert rendered(made, workers=1, cache=True) == right
    assert len(caplog.records) == 1
    caplog.clear()
    if harm != "folder":
        assert rendered(made, workers=1, cache=True) == right
        assert not caplog.records


def test_a_cache_that_cannot_be_written_is_a_warning(
    made: Scenes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path / "file"))
    with caplog.at_level(logging.WARNING):
        assert rendered(made, workers=2, cache=True) == rendered(made, workers=2)
    assert len(caplog.records) == 1


def test_several_renderers_may_share_a_cache(made: Scenes, cache: Path) -> None:
    found: list[list[bytes]] = []
    threads = [threading.Thread(target=lambda: found.append(rendered(made, workers=2, cache=True))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4
    assert all(one == found[0] for one in found)
    assert not list(cache.rglob("*.part"))


def test_items_come_in_order_with_all_of_their_pictures(made: Scenes) -> None:
    items = [(f"item {n}", tuple(pictures()[n : n + n % 4])) for n in range(12)]
    with Renderer(made, OPTIONS, workers=3, cache=False) as renderer:
        shown = list(renderer.ahead(items))
        for (name, wanted), (item, images) in zip(items, shown, strict=True):
            assert name == item
            assert images == tuple(renderer.render(picture) for picture in wanted)


def test_an_item_whose_picture_fails_does_not_hold_up_the_others(tmp_path: Path) -> None:
    scenes = write_dataset(tmp_path)
    (tmp_path / "samples/CAM_BACK/1.jpg").write_text("not an image")
    (tmp_path / "samples/LIDAR_TOP/2.pcd.bin").unlink()
    shots = {frame: tuple(picture_in(view, frame) for view in VIEWS) for frame in range(3)}
    with Renderer(scenes, OPTIONS, cache=True) as renderer:
        shown = dict(renderer.ahead(shots.items()))
    assert len(shown[0]) == len(VIEWS)  # type: ignore[arg-type]
    assert isinstance(shown[1], InputError)
    assert "CAM_BACK/1.jpg: is no JPEG or PNG image" in str(shown[1])
    assert isinstance(shown[2], InputError)
    assert "2.pcd.bin: cannot be read (No such file or directory)" in str(shown[2])


def test_a_picture_of_several_items_is_rendered_once(made: Scenes, drawings: Counter[str]) -> None:
    shot = [Picture("cameras", SCENE, frame, frame) for frame in range(5)]
    items = [(n, (shot[n % 5], shot[(n + 1) % 5])) for n in range(40)]
    with Renderer(made, OPTIONS, workers=2, cache=False) as renderer:
        assert len(list(renderer.ahead(items))) == 40
    assert set(drawings.values()) == {1}
    assert len(drawings) == 5


@pytest.mark.parametrize(("per_item", "side"), [(1, 256), (16, 256), (0, 256), (1, 4096)])
def test_only_so_many_items_are_taken_ahead(made: Scenes, per_item: int, side: int) -> None:
    taken = 0

    def endless() -> Iterator[tuple[int, tuple[Picture, ...]]]:
        nonlocal taken
        while True:
            taken += 1
            yield taken, tuple(Picture("birds-eye", SCENE, n % 5, taken, black=True) for n in range(per_item))

    with Renderer(made, PictureOptions(max_side_px=side), workers=2, cache=False) as renderer:
        ahead = renderer.ahead(endless())
        for _ in range(5):
            next(ahead)
        assert (taken - 5) * max(1, per_item) <= 64 + per_item
        if side == 4096:
            assert taken <= 5 + 4
        ahead.close()


def rendering_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("renderer")]


def test_threads_start_when_needed_and_end_with_the_block(made: Scenes) -> None:
    with Renderer(made, OPTIONS, workers=2, cache=False) as renderer:
        renderer.render(pictures()[0])
        assert not rendering_threads()
        for _ in renderer.ahead([(0, tuple(pictures()))]):
            assert rendering_threads()
    assert not rendering_threads()


@pytest.mark.parametrize("how", ["break", "consumer raises", "source raises"])
def test_stopping_early_ends_the_threads(made: Scenes, how: str) -> None:
    taken = 0

    def items() -> Iterator[tuple[int, tuple[Picture, ...]]]:
        nonlocal taken
        for number in range(10_000):
            taken += 1
            if number == 30 and how == "source raises":
                raise KeyError("the source")
            yield number, (Picture("birds-eye", SCENE, number % 5, number),)

    def consume() -> None:
        with Renderer(made, OPTIONS, workers=2, cache=False) as renderer:
            for number, _ in renderer.ahead(items()):
                if number == 3:
                    if how == "consumer raises":
                        raise KeyError("the consumer")
                    if how == "break":
                        return

    if how == "break":
        consume()
    else:
        with pytest.raises(KeyError, match=how.split()[0]):
            consume()
    assert not rendering_threads()
    assert taken < 200


def test_what_is_missing_is_told_before_rendering(tmp_path: Path) -> None:
    scenes = write_dataset(tmp_path / "data", frames=6)
    (tmp_path / "data/samples/CAM_BACK/1.jpg").unlink()
    (tmp_path / "data/samples/LIDAR_TOP/2.pcd.bin").unlink()
    write_scan(tmp_path / "elsewhere.bin")
    (tmp_path / "data/samples/LIDAR_TOP/3.pcd.bin").unlink()
    (tmp_path / "data/samples/LIDAR_TOP/3.pcd.bin").symlink_to(tmp_path / "elsewhere.bin")
    is_left = (pl.col("channel") == "CAM_FRONT_LEFT") & (pl.col("frame") == 4)
    outside = pl.when(is_left).then(pl.lit("../elsewhere.bin")).otherwise("file").alias("file")
    no_row = (pl.col("channel") == "CAM_FRONT") & (pl.col("frame") == 5)
    sensors = scenes.sensors.with_columns(outside).filter(~no_row)
    scenes = dataclasses.replace(scenes, sensors=sensors)
    lost = {
        Picture("cameras", SCENE, 1, 0): "samples/CAM_BACK/1.jpg: is not there.",
        Picture("cameras", SCENE, 4, 0): "folder. Name files by paths inside that folder.",
        Picture("cameras", SCENE, 5, 0): "scene-1, key frame 5: has no reading of CAM_FRONT.",
        Picture("cameras", SCENE, 9, 0): "scene-1, key frame 9: has no reading of CAM_FRONT_LEFT.",
        Picture("cameras", "nowhere", 0, 0): "nowhere: has no cameras.",
        Picture("cameras", SCENE, 0, 0, ("CAM_ROOF",)): "scene-1: has no camera CAM_ROOF.",
        Picture("birds-eye", SCENE, 2, 0): "samples/LIDAR_TOP/2.pcd.bin: is not there.",
        Picture("birds-eye", SCENE, 3, 0): "link a whole folder such as samples or samples/CAM_FRONT.",
        Picture("birds-eye", "nowhere", 0, 0): "nowhere, key frame 0: has no reading of LIDAR_TOP.",
    }
    there = [
        Picture("cameras", SCENE, 0, 7),
        Picture("cameras", SCENE, 1, 0, ("CAM_FRONT", "CAM_FRONT_LEFT")),
        Picture("birds-eye", SCENE, 1, 0),
        *(picture._replace(black=True) for picture in lost),
    ]
    with Renderer(scenes, OPTIONS, cache=False) as renderer:
        missing = renderer.missing([*there, *lost, *there, *lost])
        assert list(missing) == list(lost)
        for picture, reason in missing.items():
            assert reason.endswith(lost[picture])
            with pytest.raises(InputError):
                renderer.render(picture)
        for picture in there:
            assert renderer.render(picture).content
        assert renderer.missing([]) == {}


def test_a_damaged_file_is_named_as_a_missing_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    scenes = dataclasses.replace(write_dataset(tmp_path / "data", frames=2), root=Path("data"))
    Path("data/samples/CAM_BACK/0.jpg").unlink()
    Path("data/samples/CAM_BACK/1.jpg").write_bytes(b"")
    missing, damaged = (Picture("cameras", SCENE, frame, 0) for frame in range(2))
    with Renderer(scenes, OPTIONS, cache=False) as renderer:
        assert renderer.missing([missing]) == {missing: "data/samples/CAM_BACK/0.jpg: is not there."}
        with pytest.raises(InputError, match=r"^data/samples/CAM_BACK/1\.jpg: is empty"):
            renderer.render(damaged)


@pytest.mark.parametrize(
    "options", [{"max_side_px": 255}, {"max_side_px": 4097}, {"jpeg_quality": 0}, {"jpeg_quality": 96}]
)
def test_options_out_of_range_are_refused(made: Scenes, options: dict[str, int]) -> None:
    with pytest.raises(InputError, match=f"not {next(iter(options.values()))}"):
        Renderer(made, PictureOptions(**options))
    with pytest.raises(ValueError, match="workers"):
        Renderer(made, OPTIONS, workers=0)


@pytest.mark.real_data
@pytest.mark.parametrize("dataset", ["nuscenes_mini", "kitti_0001_nuscenes_format"])
def test_real_key_frames_can_be_rendered_or_are_missing(real_data: Callable[[str], Path], dataset: str) -> None:
    scenes = open_scenes(real_data(dataset))
    shots = [picture_in(view, 0, scene=scene) for view in VIEWS for scene in scenes.names]
    with Renderer(scenes, OPTIONS, cache=False) as renderer:
        missing = renderer.missing(shots)
        shown = dict(renderer.ahead((shot, (shot,)) for shot in shots))
    assert {shot for shot, images in shown.items() if isinstance(images, InputError)} == set(missing)
    assert any(shot not in missing for shot in shots)
