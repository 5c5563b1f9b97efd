"""Renders pictures of key frames, ahead of whoever needs them."""

from __future__ import annotations

import os
from collections import OrderedDict, deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from probe4d.errors import InputError
from probe4d.evidence.birds_eye import draw_birds_eye
from probe4d.evidence.camera_grid import SURROUND, Camera, draw_grid
from probe4d.evidence.image import Image, image_of
from probe4d.evidence.pictures import Picture, PictureOptions
from probe4d.evidence.sources import Source, Sources
from probe4d.scenes.points import in_ego_frame, read_scan
from probe4d.scenes.tables import Scenes
from probe4d.store.files import inside

__all__ = ["Renderer"]

Item = TypeVar("Item")

_MAX_SIDES_PX = (256, 4096)
_QUALITIES = (1, 95)
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
        self._workers = workers or len(os.sched_getaffinity(0))
        self._pool: ThreadPoolExecutor | None = None
        self._held = max(2 * self._workers, min(_MOST_PICTURES_HELD, _PIXELS_HELD // options.max_side_px**2))

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._pool = None

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
        return image_of(self._drawn(picture), "image/jpeg")

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

    def _drawn(self, picture: Picture) -> bytes:
        if picture.view == "birds-eye":
            if picture.black:
                return draw_birds_eye(None, picture.label, self._options)
            (source,) = self._sources.of(picture)
            scan = read_scan(self._path(source))
            return draw_birds_eye(in_ego_frame(scan.points, source.ego_SE3_sensor), picture.label, self._options)
        cameras = self._blank_cameras(picture) if picture.black else self._cameras(picture)
        return draw_grid(cameras, picture.label, self._options, black=picture.black)

    def _cameras(self, picture: Picture) -> list[Camera]:
        return [Camera(source.channel, self._path(source), source.size_px) for source in self._sources.of(picture)]

    def _blank_cameras(self, picture: Picture) -> list[Camera]:
        """Cameras that give a blank picture the size it would have; those of nuScenes where a scene has none."""
        cameras = self._sources.cameras(picture.scene)
        sizes = {channel: source.size_px for channel, source in cameras.items()} or dict.fromkeys(SURROUND)
        shown = picture.channels or tuple(sizes)
        return [Camera(channel, None, sizes.get(channel)) for channel in shown]

    def _path(self, source: Source) -> Path:
        return inside(self._root, source.file)


def _outcome(futures: list[Future[Image]]) -> tuple[Image, ...] | InputError:
    try:
        return tuple(future.result() for future in futures)
    except InputError as error:
        return error


def _check(options: PictureOptions) -> None:
    smallest, largest = _MAX_SIDES_PX
    if not smallest <= options.max_side_px <= largest:
        raise InputError(
            f"The longest side of a picture must be {smallest} to {largest} px, not {options.max_side_px}."
        )
    lowest, highest = _QUALITIES
    if not lowest <= options.jpeg_quality <= highest:
        raise InputError(f"The JPEG quality must be {lowest} to {highest}, not {options.jpeg_quality}.")
