"""What torch says when memory runs out."""

from __future__ import annotations

import torch

__all__ = ["is_out_of_memory"]


def is_out_of_memory(error: Exception) -> bool:
    """Whether an error says that there is too little memory, on an accelerator or on the processor."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)
