"""What tells benchmarks apart: the fingerprint of their questions, and that of their references."""

from __future__ import annotations

import hashlib

import polars as pl

from probe4d.benchmarks.question import is_free_text
from probe4d.store.hashing import digest

__all__ = ["REFERENCED_BY", "fingerprint", "references_fingerprint"]

REFERENCED_BY = ("id", "format", "options", "answer")
"""Columns that say what the references of questions are."""


def fingerprint(table: pl.DataFrame | pl.LazyFrame) -> str:
    """SHA-256 over the sorted question ids, each followed by a line feed: 64 hexadecimal digits."""
    lines: str = table.lazy().select((pl.col("id").sort() + "\n").str.join("")).collect().item()
    return hashlib.sha256(lines.encode()).hexdigest()


def references_fingerprint(table: pl.DataFrame) -> str:
    """SHA-256 over id and reference of the questions of free text, 64 hexadecimal digits.

    A benchmark's fingerprint covers its ids alone, and a reference may be reworded under the same id.

    Args:
        table: The columns `REFERENCED_BY` of questions of whatever format.
    """
    return digest(table.filter(is_free_text()).select("id", "answer").rows())
