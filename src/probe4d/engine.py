"""Runs a function over items, here or in worker processes; the result never depends on how many.

The one function below is the seam for other engines (a Ray cluster): whoever goes scene by scene calls
it, and nobody else starts processes.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import TypeVar

from probe4d.errors import RunError

__all__ = ["over"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def over(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    workers: int = 1,
    done: Callable[[Item], None] | None = None,
) -> list[Result]:
    """Apply `function` to every item and return the results in the order of the items.

    Args:
        function: Called once an item. With several workers it has to be importable (a module-level
            function or a `functools.partial` of one) and should open its own memory-mapped data.
        items: The items, often scene names.
        workers: Number of processes; 1 stays in this one.
        done: Told of each finished item, in order, for progress bars.

    Raises:
        ValueError: `workers` is less than 1.
        RunError: A worker process ended before it was done, as when the system kills it for its memory.
    """
    if workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers}")
    results: list[Result] = []
    if workers == 1 or len(items) < 2:
        for item in items:
            results.append(function(item))
            if done is not None:
                done(item)
        return results
    # spawn: a forked child of a process with running threads (polars has them) can deadlock.
    context = multiprocessing.get_context("spawn")
    try:
        with ProcessPoolExecutor(max_workers=min(workers, len(items)), mp_context=context) as pool:
            for item, result in zip(items, pool.map(function, items), strict=True):
                results.append(result)
                if done is not None:
                    done(item)
    except BrokenProcessPool as error:
        raise RunError(
            f"a worker process ended in the middle of its work, after {len(results)} of {len(items)} items;"
            " often the memory did not suffice. Use fewer workers; a script of your own that starts some needs"
            ' its work under `if __name__ == "__main__":`.'
        ) from error
    return results
