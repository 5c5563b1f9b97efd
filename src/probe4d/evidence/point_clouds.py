"""The point clouds of key frames, cut into wedges: what a LiDAR language model's encoder sees of a scan."""

from __future__ import annotations

from typing import Literal

__all__ = ["Coverage"]

Coverage = Literal["wedges", "one-wedge"]
"""How much of a scan is seen: the wedges of all cameras, or one camera's alone, as B4DL's released extractor does."""
