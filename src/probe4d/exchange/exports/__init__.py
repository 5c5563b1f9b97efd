"""Benchmarks written for other harnesses, one module a harness."""

from __future__ import annotations

from typing import Literal, get_args

__all__ = ["HARNESSES", "Harness", "Target"]

Harness = Literal["inspect", "lm-eval", "vlmevalkit", "huggingface", "jsonl"]
HARNESSES: tuple[Harness, ...] = get_args(Harness)

Target = Literal[Harness, "training", "b4dl"]
"""What a benchmark can be written for: a harness that asks it, the training of a model, or as B4DL's release."""
