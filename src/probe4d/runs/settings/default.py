"""`default`: every question once, as its suite words it."""

from __future__ import annotations

from probe4d.runs.settings.setting import Setting

__all__ = ["DEFAULT"]

DEFAULT = Setting("default")
