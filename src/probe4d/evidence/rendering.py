"""Renders pictures of key frames, ahead of whoever needs them."""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import numpy as np
import PIL
from numpy.typing import NDArray

from probe4d.errors import InputError
from probe4d.evidence.birds_eye import draw_birds_eye
from probe4d.evidence.camera_grid import SURROUND, Camera, draw_blank_grid, draw_grid
from probe4d.evidence.image import Image, image_of
from probe4d.evidence.one_camera import draw_blank_image, draw_image
from probe4d.evidence.pictures import Picture, PictureOptions, View
from probe4d.evidence.sources import Source, Sources
from probe4d.scenes.points import in_ego_frame, read_scan
from probe4d.scenes.sensor_files import FETCH_AGAIN, unreadable
from probe4d.scenes.tables import Scenes
from probe4d.store.file_cache import FileCache
from probe4d.store.files import inside
from probe4d.store.hashing import digest

__all__ = ["Renderer"]

Item = TypeVar("Item")

_MAX_SIDES_PX = (256, 4096)
_QUALITIES = (1, 95)
_VERSION = 2
"""To be raised whenever a picture of the same sources changes: pictures are cached under it."""
_MEDIA_TYPES: dict[View, str] = {"cameras": "image/jpeg", "birds-eye": "image/png", "one-camera": "image/jpeg"}
_MOST_CACHED_BYTES = 4 << 30
_PIXELS_HELD = 64 << 20
_MOST_PICTURES_HELD = 64


class Renderer:
    """Renders pictures in threads (decoding, drawing and encoding let go of the interpreter's lock).

    Use it as a context manager; threads start when the first picture is rendered ahead and end with the block.

    Args:
        scenes: The scenes that pictures are taken from.
        options: Size and quality.
        workers: Threads; null takes one for each processor that this process may use.
        cache: Whether rendered pictures are kept on disk.

    Raises:
        InputError: An option is out of range.
    """

    def __init__(
        self, scenes: Scenes, options: PictureOptions, *, workers: int | None = None, cache: bool = True
    ) -> None:
        _check(options)
        if workers is not None and workers < 1:
            raise ValueError(f"workers must be at least 1, not {workers}")
        self._root = scenes.root
        self._options = options
        self._sources = Sources(scenes)
        self._folders: dict[Path, Path] = {}
        self._workers = workers or _processors()
        self._pool: ThreadPoolExecutor | None = None
        self._cache = FileCache("pictures", most_bytes=_MOST_CACHED_BYTES) if cache else None
        self._held = max(2 * self._workers, min(_MOST_PICTURES_HELD, _PIXELS_HELD // options.max_side_px**2))

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None
        if self._cache is not None:
            self._cache.sweep()

    def missing(self, pictures: Iterable[Picture]) -> dict[Picture, str]:
        """Which pictures cannot be rendered since a sensor's reading or its file is not there, and what is missing.

        Files are looked for, not read: one that is there and damaged is found when it is rendered.
        """
        return self._sources.missing(pictures)

    def render(self, picture: Picture) -> Image:
        """Render a picture, here and now.

        Raises:
            InputError: A sensor's reading is not there, or its file is missing, damaged or no such file.
        """
        media_type = _MEDIA_TYPES[picture.view]
        if picture.black:
            return image_of(self._blank(picture), media_type)
        sources = self._sources.of(picture)
        named = [self._root / source.file for source in sources]  # as in what `missing` says
        paths = [self._resolved(path, source.file) for path, source in zip(named, sources, strict=True)]
        if self._cache is None:
            return image_of(self._drawn(picture, sources, named), media_type)
        key = self._key(picture, sources, paths)
        content = self._cache.get(key)
        if content is None:
            content = self._drawn(picture, sources, named)
            self._cache.put(key, content)
        return image_of(content, media_type)

    def ahead(
        self, items: Iterable[tuple[Item, tuple[Picture, ...]]]
    ) -> Generator[tuple[Item, tuple[Image, ...] | InputError]]:
        """Render the pictures of items while the consumer is busy with earlier ones.

        Items are taken from `items` in the consumer's thread, no more than the pictures held allow (64 of the usual
        size), so that memory is bounded. A picture that items near one another share is rendered once.

        Args:
            items: Anything with the pictures it needs.

        Yields:
            Each item in order with its images, or with what is wrong with the first of them that cannot be rendered.
        """
        pool = self._started()
        recent: OrderedDict[Picture, Future[Image]] = OrderedDict()
        waiting: deque[tuple[Item, list[Future[Image]]]] = deque()
        held = 0
        source = iter(items)
        try:
            while True:
                while held < self._held and (following := next(source, None)) is not None:
                    item, pictures = following
                    futures = [self._shared(picture, recent, pool) for picture in pictures]
                    waiting.append((item, futures))
                    held += max(1, len(futures))
                if not waiting:
                    return
                item, futures = waiting.popleft()
                held -= max(1, len(futures))
                yield item, _outcome(futures)
        finally:
            for _item, futures in waiting:
                for future in futures:
                    future.cancel()

    def _shared(
        self, picture: Picture, recent: OrderedDict[Picture, Future[Image]], pool: ThreadPoolExecutor
    ) -> Future[Image]:
        future = recent.get(picture)
        if future is None:
            future = recent[picture] = pool.submit(self.render, picture)
        recent.move_to_end(picture)
        if len(recent) > self._held:
            recent.popitem(last=False)
        return future

    def _started(self) -> ThreadPoolExecutor:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(self._workers, thread_name_prefix="renderer")
        return self._pool

    def _drawn(self, picture: Picture, sources: Sequence[Source], paths: Sequence[Path]) -> bytes:
        options = self._options_of(picture)
        if picture.view == "birds-eye":
            (source,), (path,) = sources, paths
            return draw_birds_eye(_points_m(source, path), picture.label, options, picture.marks)
        cameras = [Camera(source.channel, path, source.size_px) for source, path in zip(sources, paths, strict=True)]
        if picture.view == "one-camera":
            (camera,) = cameras
            return draw_image(camera, options, picture.marks)
        return draw_grid(cameras, picture.label, options, picture.marks)

    def _options_of(self, picture: Picture) -> PictureOptions:
        side = picture.max_side_px or self._options.max_side_px
        return PictureOptions(max_side_px=side, jpeg_quality=self._options.jpeg_quality)

    def _resolved(self, named: Path, file: str) -> Path:
        """The path that a file's name leads to; its folder is resolved once, as a grid is made from many of them."""
        is_plain = named.name != ".." and not named.is_symlink()
        if is_plain and named.parent in self._folders:
            return self._folders[named.parent] / named.name
        path = inside(self._root, file)
        if is_plain:
            self._folders[named.parent] = path.parent
        return path

    def _blank(self, picture: Picture) -> bytes:
        """A blank picture; its size needs the cameras, or those of nuScenes where a scene has none, but no file."""
        options = self._options_of(picture)
        if picture.view == "birds-eye":
            return draw_birds_eye(None, picture.label, options)
        cameras = self._sources.cameras(picture.scene)
        sizes = {channel: source.size_px for channel, source in cameras.items()} or dict.fromkeys(SURROUND)
        shown = picture.channels or tuple(sizes)
        if picture.view == "one-camera":
            return draw_blank_image(sizes.get(shown[0]), options)
        return draw_blank_grid([sizes.get(channel) for channel in shown], picture.label, options)

    def _key(self, picture: Picture, sources: Sequence[Source], paths: Sequence[Path]) -> str:
        """What a rendered picture depends on, as hexadecimal digits."""
        return digest(
            {
                "versions": [_VERSION, PIL.__version__, np.__version__],
                "options": self._options_of(picture),
                "view": picture.view,
                "label": None if picture.view == "one-camera" else picture.label,
                "marks": picture.marks,
                "sources": [[source, str(path), *_stamp(path)] for source, path in zip(sources, paths, strict=True)],
            }
        )


def _processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _points_m(source: Source, path: Path) -> NDArray[np.float64]:
    scan = read_scan(path)
    if not len(scan.points):
        raise InputError(
            "holds no points"
            + (f" but {scan.not_finite} whose coordinates are no numbers." if scan.not_finite else "."),
            path=path,
            remedy=FETCH_AGAIN,
        )
    points = in_ego_frame(scan.points, source.ego_SE3_sensor)
    if not np.isfinite(points).all():
        raise InputError(
            f"cannot be put into the ego frame: the extrinsics of {source.channel} are no transform.",
            path=path,
            remedy="Mend its calibrated_sensor.",
        )
    return points


def _stamp(path: Path) -> tuple[int, int]:
    """Size and time of change of a file, in nanoseconds."""
    try:
        found = path.stat()
    except OSError as error:
        raise unreadable(path, error) from error
    return found.st_size, found.st_mtime_ns


def _outcome(futures: list[Future[Image]]) -> tuple[Image, ...] | InputError:
    try:
        return tuple(future.result() for future in futures)
    except InputError as error:
        return error


def _check(options: PictureOptions) -> None:
    smallest, largest = _MAX_SIDES_PX
    for side_px in (options.max_side_px, options.clip_side_px):
        if side_px is not None and not smallest <= side_px <= largest:
            raise InputError(f"The longest side of a picture must be {smallest} to {largest} px, not {side_px}.")
    lowest, highest = _QUALITIES
    if not lowest <= options.jpeg_quality <= highest:
        raise InputError(f"The JPEG quality must be {lowest} to {highest}, not {options.jpeg_quality}.")
