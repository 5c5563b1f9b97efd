"""`released`: the bare question, as the release of a benchmark asks it (B4DL)."""

from __future__ import annotations

from probe4d.runs.settings.setting import Setting

__all__ = ["RELEASED"]

RELEASED = Setting("released", wording="released")
