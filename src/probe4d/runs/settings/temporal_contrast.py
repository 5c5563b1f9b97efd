"""`tscd:ALPHA` and `tscd-identity`: temporal-shuffle contrastive decoding of a LiDAR language model.

LiDAR-Hallu, section V-B; the identity is the control that its section on limits asks for.
"""

from __future__ import annotations

from probe4d.runs.settings.setting import Setting, TemporalContrast

__all__ = ["IDENTITY", "temporal_contrast"]

IDENTITY = Setting("tscd-identity", contrast=TemporalContrast(1.0, is_shuffled=False))


def temporal_contrast(alpha: str) -> Setting:
    """The setting with this weight, written as it stands in its name."""
    return Setting(f"tscd:{alpha}", contrast=TemporalContrast(float(alpha)))
