"""How many pictures a second are rendered, beside a plain use of Pillow in the same run.

Camera images, each with two marked objects, and camera grids are made from 1600 x 900 JPEG files, bird's-eye views from
scans of 35,000 points, as nuScenes has them. Figures are printed, not asserted: they depend on the machine and what
else it does.
"""

from __future__ import annotations

import io
import itertools
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from PIL import Image, ImageDraw

from making import scenes_of
from probe4d.evidence.camera_grid import SURROUND
from probe4d.evidence.marks import Mark
from probe4d.evidence.pictures import Picture, PictureOptions, View
from probe4d.evidence.rendering import Renderer
from probe4d.scenes.tables import Scenes

FRAMES, WIDTH, HEIGHT, POINTS = 12, 1600, 900, 35_000
SCENE = "scene-bench"
PICTURES = PROMPTS = 40
MARKS = (Mark("A", "CAM_FRONT", (0.1, 0.5, 0.2, 0.7)), Mark("B", "CAM_FRONT", (0.6, 0.4, 0.65, 0.55)))
WORKERS = len(os.sched_getaffinity(0))


def photograph(rng: np.random.Generator) -> Image.Image:
    """What compresses like a photograph: detail at all scales, less of it at the finer ones."""
    total = np.zeros((HEIGHT, WIDTH, 3), dtype=np.float32)
    for octave in range(1, 9):
        cells = rng.normal(size=(2**octave, 2**octave, 3)).astype(np.float32)
        channels = [Image.fromarray(cells[..., n]).resize((WIDTH, HEIGHT), Image.Resampling.BICUBIC) for n in range(3)]
        total += np.stack([np.asarray(channel) for channel in channels], axis=-1) * 0.62**octave
    total += rng.normal(scale=0.02, size=(HEIGHT, WIDTH, 1)).astype(np.float32)
    return Image.fromarray(np.clip(128 + 70 * total, 0, 255).astype(np.uint8))


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory) -> Scenes:
    root = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    images = [photograph(rng) for _ in SURROUND]
    rows = []
    for frame in range(FRAMES):
        for channel, image in zip(SURROUND, images, strict=True):
            path = root / f"{channel}-{frame}.jpg"
            image.save(path, quality=90)
            rows.append({"frame": frame, "channel": channel, "modality": "camera", "file": path.name})
        points = rng.normal(scale=[20, 20, 1, 1, 1], size=(POINTS, 5)).astype("<f4")
        path = root / f"LIDAR_TOP-{frame}.pcd.bin"
        path.write_bytes(points.tobytes())
        rows.append({"frame": frame, "channel": "LIDAR_TOP", "modality": "lidar", "file": path.name})
    same = {"scene": SCENE, "width": WIDTH, "height": HEIGHT, "sensor_qw": 1.0}
    zero = dict.fromkeys((f"sensor_{name}" for name in ("x", "y", "z", "qx", "qy", "qz")), 0.0)
    return scenes_of(sensors=[row | same | zero for row in rows], root=root)


def plain_grid(root: Path, frame: int) -> bytes:
    """What one writes with Pillow at first: every image is decoded at the scale that suffices, resized and pasted."""
    grid = Image.new("RGB", (1024, 384))
    for number, channel in enumerate(SURROUND):
        image = Image.open(root / f"{channel}-{frame}.jpg")
        image.draft("RGB", (341, 192))
        grid.paste(image.resize((341, 192)), (number % 3 * 341, number // 3 * 192))
        ImageDraw.Draw(grid).text((number % 3 * 341, number // 3 * 192), channel)
    encoded = io.BytesIO()
    grid.save(encoded, "JPEG", quality=85)
    return encoded.getvalue()


def plain_image(root: Path, frame: int) -> bytes:
    """What one writes with Pillow at first: the image is resized, and two boxes are outlined and lettered."""
    image = Image.open(root / f"CAM_FRONT-{frame}.jpg").resize((1024, 576))
    draw = ImageDraw.Draw(image)
    for mark in MARKS:
        left, top, right, bottom = (part * side for part, side in zip(mark.bounds, (1024, 576) * 2, strict=True))
        draw.rectangle((left, top, right, bottom), outline=(255, 212, 0), width=2)
        draw.text((left, top), mark.text)
    encoded = io.BytesIO()
    image.save(encoded, "JPEG", quality=85)
    return encoded.getvalue()


def plain_birds_eye(root: Path, frame: int) -> bytes:
    """What one writes with Pillow and numpy at first: points sorted by height, painted in this order."""
    points = np.fromfile(root / f"LIDAR_TOP-{frame}.pcd.bin", dtype="<f4").reshape(-1, 5)
    points = points[np.argsort(points[:, 2])]
    pixels = ((50 - points[:, :2]) * 10.24).astype(int)
    inside = ((pixels >= 0) & (pixels < 1024)).all(axis=1)
    shade = np.clip((points[inside, 2] + 1) * 51, 0, 255).astype(np.uint8)
    canvas = np.zeros((1024, 1024, 3), dtype=np.uint8)
    canvas[pixels[inside, 0], pixels[inside, 1]] = np.stack([shade, shade, 255 - shade], axis=-1)
    image = Image.fromarray(canvas)
    draw = ImageDraw.Draw(image)
    for radius in range(10, 60, 10):
        draw.circle((512, 512), radius * 10.24, outline=(90, 90, 90))
    encoded = io.BytesIO()
    image.save(encoded, "PNG")
    return encoded.getvalue()


class Rate(NamedTuple):
    """Pictures or prompts a second of the clock, and a second of one processor's time, which other work slows less."""

    clock: float
    processor: float


def measured(work: Callable[[], object], count: int) -> Rate:
    work()
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return Rate(count / (time.perf_counter() - clock), count / (time.process_time() - processor))


@pytest.mark.parametrize(
    ("view", "plain"), [("cameras", plain_grid), ("birds-eye", plain_birds_eye), ("one-camera", plain_image)]
)
def test_pictures_a_second(scenes: Scenes, view: View, plain: Callable[[Path, int], bytes]) -> None:
    shown = (("CAM_FRONT",), False, MARKS) if view == "one-camera" else ()
    shots = [Picture(view, SCENE, number % FRAMES, number, *shown) for number in range(PICTURES)]
    items = [(shot.label, (shot,)) for shot in shots]

    def ahead(workers: int, *, cache: bool) -> Callable[[], object]:
        def work() -> None:
            with Renderer(scenes, PictureOptions(), workers=workers, cache=cache) as renderer:
                assert not any(isinstance(images, Exception) for _, images in renderer.ahead(items))

        return work

    def plainly(workers: int) -> Callable[[], object]:
        def work() -> None:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(lambda shot: plain(scenes.root, shot.frame), shots))

        return work

    peer = measured(plainly(1), PICTURES)
    figures = {
        "plain Pillow, one thread": peer,
        f"plain Pillow, {WORKERS} threads": measured(plainly(WORKERS), PICTURES),
        "rendered, one thread": measured(ahead(1, cache=False), PICTURES),
        f"rendered, {WORKERS} threads": measured(ahead(WORKERS, cache=False), PICTURES),
        "read from the cache": measured(ahead(WORKERS, cache=True), PICTURES),
    }
    size = sum((scenes.root / f"{channel}-0.jpg").stat().st_size for channel in SURROUND) / len(SURROUND)
    print(f"\n{view}: {PICTURES} pictures of {size / 1e3:.0f} kB images or {POINTS:,} points")
    for name, rate in figures.items():
        times = f"{rate.clock / peer.clock:5.1f} times"
        print(f"{name:26} {rate.clock:7.0f} a second ({times}), {rate.processor:6.0f} a processor's second")


def test_prompts_of_five_frames_a_second(scenes: Scenes) -> None:
    """STRIDE's windows follow one another: of the five grids of a prompt, the next one shares three, and its own query
    frame once more without the red box."""
    target = Mark("", "CAM_FRONT", (0.4, 0.4, 0.6, 0.6), (255, 40, 40))

    def grid(frame: int, *marks: Mark) -> Picture:
        return Picture("cameras", SCENE, frame % FRAMES, frame, marks=marks)

    prompts = [(*map(grid, range(query - 4, query)), grid(query, target)) for query in range(4, 4 + PROMPTS)]
    options = PictureOptions(max_side_px=640)

    def rendered() -> None:
        with Renderer(scenes, options, workers=WORKERS, cache=False) as renderer:
            assert not any(isinstance(images, Exception) for _, images in renderer.ahead(enumerate(prompts)))

    def plainly() -> None:
        with ThreadPoolExecutor(WORKERS) as pool:
            list(pool.map(lambda picture: plain_grid(scenes.root, picture.frame), itertools.chain(*prompts)))

    figures = {"plain Pillow": measured(plainly, PROMPTS), "rendered": measured(rendered, PROMPTS)}
    print(f"\nprompts of five frames, {WORKERS} threads")
    for name, rate in figures.items():
        times = f"{rate.clock / figures['plain Pillow'].clock:5.1f} times"
        print(f"{name:26} {rate.clock:7.0f} a second ({times}), {rate.processor:6.0f} a processor's second")
