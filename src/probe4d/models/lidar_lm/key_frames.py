"""Key frames by the batch: read ahead of an encoder, in memory that is bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import TypeVar

from probe4d.errors import InputError
from probe4d.evidence.readings import KeyFrameReadings
from probe4d.wording import counted

__all__ = ["memory_for", "read_ahead", "refuse_missing_files"]

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


def refuse_missing_files(frames: KeyFrameReadings, scenes: Iterable[str]) -> None:
    """See that all readings of scenes are there, before any is read.

    Raises:
        InputError: One is not.
    """
    if missing := frames.missing(scenes):
        raise InputError(
            f"{next(iter(missing.values()))} So it is with {counted(len(missing), 'key frame')} in all.",
            remedy="Fetch the files, or name scenes that have theirs (--scene).",
        )


def memory_for(batch: int) -> AbstractContextManager[None]:
    """Turn what devices raise where memory runs out in the block into an error that says what to lower.

    Args:
        batch: Key frames that are encoded together in the block.
    """
    from probe4d.models.lidar_lm.memory import memory_that_suffices

    remedy = "Use a device with more memory"
    if batch > 1:
        remedy = f"Lower --batch from {batch} to {batch // 2} (of `probe4d train encoder`, --image-batch)"
    return memory_that_suffices(f"the memory does not suffice for {counted(batch, 'key frame')} at once. {remedy}.")
