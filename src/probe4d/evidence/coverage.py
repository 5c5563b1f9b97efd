"""How much of a scan is seen."""

from __future__ import annotations

from typing import Literal

__all__ = ["Coverage"]

Coverage = Literal["wedges", "one-wedge"]
"""The wedges of all directions, or what one camera sees, as in B4DL's release."""
