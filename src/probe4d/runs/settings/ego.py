"""`ego`: the ego vehicle's motion in words stands before the question (LiDAR-Hallu, Sec. IV-A)."""

from __future__ import annotations

from probe4d.runs.settings.setting import Setting

__all__ = ["EGO"]

EGO = Setting("ego", wording="ego", layout="ego")
