"""Readings by the batch: read ahead of a model, in memory that is bounded."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from probe4d.errors import InputError
from probe4d.wording import counted

__all__ = ["read_ahead", "refuse_absent"]

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


def refuse_absent(reasons: Collection[str], what: str) -> None:
    """See that all readings are there, before any is read.

    Args:
        reasons: A sentence for each that is not.
        what: What each is, such as `image`.

    Raises:
        InputError: One is not.
    """
    if reasons:
        raise InputError(
            f"{next(iter(reasons))} So it is with {counted(len(reasons), what)} in all.",
            remedy="Fetch the files, or name scenes that have theirs (scenes=, --scene NAME).",
        )
