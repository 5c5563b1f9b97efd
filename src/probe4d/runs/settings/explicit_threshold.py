"""`explicit-threshold`: the question comes with the numbers of its rule (LiDAR-Hallu, Sec. VI)."""

from __future__ import annotations

from probe4d.runs.settings.setting import Setting

__all__ = ["EXPLICIT_THRESHOLD"]

EXPLICIT_THRESHOLD = Setting("explicit-threshold", wording="explicit-threshold")
