"""The layouts of B4DL's released data by name; the command line lists them before anything else is loaded."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["LAYOUTS", "Layout"]

Layout = Literal["generated", "huggingface", "merged", "preprocessed"]
"""Chunks of ten sequences a task (`generated_dataset/`), files a split (`dataset/`), and the two files that training
reads (`merged_dataset.json`, `preprocessed_dataset.json`)."""

LAYOUTS: tuple[Layout, ...] = get_args(Layout)
"""The layouts, that which says most of its rows first."""
