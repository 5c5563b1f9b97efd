"""Key frames by the batch: read ahead of an encoder, in memory that is bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

from probe4d.errors import InputError, RunError
from probe4d.evidence.camera_images import CameraImages
from probe4d.evidence.point_clouds import PointClouds
from probe4d.wording import counted

__all__ = ["memory_that_suffices", "read_ahead", "refuse_missing_files"]

_Loaded = TypeVar("_Loaded")


def read_ahead(
    load: Callable[[str, int], _Loaded], keys: Iterable[tuple[str, int]], workers: int, *, held: int
) -> Generator[_Loaded]:
    """Load key frames in threads while the consumer is busy with earlier ones; close it when breaking off.

    Args:
        load: Loads a key frame of a scene.
        keys: Scenes and key frames, which are given back in this order.
        workers: Threads.
        held: Most key frames that are in memory and not consumed, at least 1.
    """
    waiting: deque[Future[_Loaded]] = deque()
    pool = ThreadPoolExecutor(workers, thread_name_prefix="probe4d-reads-ahead")
    try:
        for key in keys:
            waiting.append(pool.submit(load, *key))
            if len(waiting) == held:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        pool.shutdown(cancel_futures=True)


def refuse_missing_files(frames: PointClouds | CameraImages, scenes: Iterable[str]) -> None:
    """See that all readings of scenes are there, before any is read.

    Raises:
        InputError: One is not.
    """
    if missing := frames.missing(scenes):
        raise InputError(
            f"{next(iter(missing.values()))} So it is with {counted(len(missing), 'key frame')} in all.",
            remedy="Fetch the files, or name scenes that have theirs (--scene).",
        )


@contextmanager
def memory_that_suffices(batch: int) -> Iterator[None]:
    """Turn what devices raise where their memory does not suffice into an error that says what to lower.

    Args:
        batch: Key frames that are worked on together in the block.

    Raises:
        RunError: The memory does not suffice.
    """
    from probe4d.models.lidar_lm.memory import is_out_of_memory

    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not isinstance(error, MemoryError) and not is_out_of_memory(error):
            raise
        remedy = f"Lower --batch from {batch} to {batch // 2}" if batch > 1 else "Use a device with more memory"
        raise RunError(f"the memory does not suffice for {counted(batch, 'key frame')} at once. {remedy}.") from error
