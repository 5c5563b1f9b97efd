"""Why questions cannot be asked."""

from __future__ import annotations

__all__ = ["Reasons"]

Reasons = dict[str, tuple[str, str | None]]
"""Why questions cannot be asked with some evidence, by their ids: the reason, and what it was for this question."""
