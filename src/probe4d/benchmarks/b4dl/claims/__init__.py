"""Claims that generated answers make, read from their English and held against geometry."""

from __future__ import annotations

from probe4d.benchmarks.b4dl.claims.verdicts import verdicts_of

__all__ = ["verdicts_of"]
