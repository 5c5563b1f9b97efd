"""Where models run."""

from __future__ import annotations

import torch

from probe4d.errors import InputError

__all__ = ["device_named"]


def device_named(name: str | None) -> torch.device:
    """A device by name; without one an accelerator where there is one, else the processor.

    Args:
        name: As torch has it, such as `cpu`, `cuda` or `cuda:1`.

    Raises:
        InputError: There is no such device here.
    """
    if name is None:
        return torch.accelerator.current_accelerator(check_available=True) or torch.device("cpu")
    try:
        device = torch.device(name)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, ValueError) as error:  # of torch built without it, an AssertionError
        reason = str(error).strip().partition("\n")[0].rstrip(".")
        raise InputError(
            f"there is no device {name!r} here ({reason}).", remedy="Take cpu, or leave the device out."
        ) from error
    return device
