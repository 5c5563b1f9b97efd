"""What torch says when memory runs out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from probe4d.errors import RunError

__all__ = ["is_out_of_memory", "memory_that_suffices"]


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error says that there is too little memory, on an accelerator or on the processor."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


@contextmanager
def memory_that_suffices(words: str) -> Iterator[None]:
    """Turn what devices raise where memory runs out in the block into an error that says what to lower.

    Args:
        words: What the error says.

    Raises:
        RunError: The memory does not suffice.
    """
    try:
        yield
    except (RuntimeError, MemoryError) as error:
        if not isinstance(error, MemoryError) and not is_out_of_memory(error):
            raise
        raise RunError(words) from error
