"""Work over items: the same results in the same order for any number of workers."""

from __future__ import annotations

import os
import signal
from functools import partial

import pytest

from probe4d import engine
from probe4d.errors import RunError


def scaled(item: int, factor: int) -> tuple[int, int]:
    return item * factor, os.getpid()


def failing(item: int) -> int:
    if item == 2:
        raise LookupError("no such thing")
    return item


def killed(item: int) -> int:
    if item == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


@pytest.mark.parametrize("workers", [1, 2])
def test_results_are_in_the_order_of_the_items(workers: int) -> None:
    done: list[int] = []
    results = engine.over(partial(scaled, factor=3), [3, 1, 2], workers=workers, done=done.append)
    assert [value for value, _ in results] == [9, 3, 6]
    assert done == [3, 1, 2]
    assert (os.getpid() in {process for _, process in results}) == (workers == 1)


@pytest.mark.parametrize("workers", [1, 2])
def test_error_of_a_worker_comes_through(workers: int) -> None:
    with pytest.raises(LookupError, match="no such thing"):
        engine.over(failing, [1, 2, 3], workers=workers)


def test_killed_worker_is_said_in_a_sentence() -> None:
    with pytest.raises(RunError, match=r"a worker process ended in the middle of its work, after \d of 3 items"):
        engine.over(killed, [1, 2, 3], workers=2)


def test_nothing_to_do() -> None:
    assert engine.over(failing, [], workers=4) == []


def test_number_of_workers_is_checked() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        engine.over(failing, [1], workers=0)
