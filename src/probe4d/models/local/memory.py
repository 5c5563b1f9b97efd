"""What torch says when memory runs out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import torch

from probe4d.errors import RunError

__all__ = ["is_out_of_memory", "memory_for_model", "memory_that_suffices", "memory_to_read"]


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error says that there is too little memory, on an accelerator or on the processor."""
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "can't allocate memory" in str(error)


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
        if not is_out_of_memory(error):
            raise
        raise RunError(words) from error


def memory_to_read(path: Path, smaller: str) -> AbstractContextManager[None]:
    """Tell that weights do not fit into the memory of the machine, which they are read into in the block.

    Args:
        path: Where they lie.
        smaller: What might fit, such as `a smaller language model`.
    """
    return memory_that_suffices(
        f"{path}: the memory of this machine does not suffice to read these weights. "
        f"Take a machine with more memory, or {smaller}."
    )


def memory_for_model(model: str, device: torch.device, *, option: str, smaller: str) -> AbstractContextManager[None]:
    """Tell that a model does not fit into the memory of a device, where it is put in the block.

    Args:
        model: What it is, such as `the model`.
        device: The device.
        option: How another device is chosen.
        smaller: What might fit, such as `a smaller language model`.
    """
    elsewhere = "a machine with more memory" if device.type == "cpu" else f"another device, such as cpu ({option})"
    return memory_that_suffices(f"{model} does not fit into the memory of {device}. Take {elsewhere}, or {smaller}.")
