"""How whoever calls a conversion watches its stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TypeAlias

__all__ = ["Stages", "Watch", "unwatched"]


class Watch(Protocol):
    """Told of each finished item of a stage."""

    def __call__(self, item: object = None) -> None:
        """Count one more item as done."""

    def expect(self, total: int, done: int = 0) -> None:
        """Say how many items there are, and how many of them were done before."""


Stages: TypeAlias = Callable[[str], AbstractContextManager[Watch]]
"""Begins a stage, of which it is told what is counted."""


@contextmanager
def unwatched(label: str) -> Iterator[Watch]:
    """A stage that nobody watches."""
    yield _Unwatched()


class _Unwatched:
    def __call__(self, item: object = None) -> None:
        """Tell nobody."""

    def expect(self, total: int, done: int = 0) -> None:
        """Tell nobody."""
