"""Which text about the ego vehicle's motion a LiDAR language model is trained and asked with, by name."""

from __future__ import annotations

from typing import Literal

__all__ = ["EgoText"]

EgoText = Literal["none", "question", "paper"]
"""None, LiDAR-Hallu's, or that of B4DL's appendix C (see `probe4d.evidence.ego_text`)."""
