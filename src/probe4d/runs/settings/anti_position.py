"""`anti-position`: choice questions warn of position bias (LiDAR-Hallu, Sec. IV-A)."""

from __future__ import annotations

from probe4d.runs.settings.setting import Setting

__all__ = ["ANTI_POSITION"]

ANTI_POSITION = Setting("anti-position", wording="anti-position")
