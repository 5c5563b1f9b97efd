"""How large the ego vehicle is drawn where a dataset does not say."""

from __future__ import annotations

__all__ = ["EGO_FRONT_M", "EGO_HALF_WIDTH_M", "EGO_REAR_M"]

EGO_FRONT_M, EGO_REAR_M, EGO_HALF_WIDTH_M = 3.2, -0.9, 0.87
"""Outline of a mid-size car about the nuScenes ego origin, which is the middle of its rear axle."""
