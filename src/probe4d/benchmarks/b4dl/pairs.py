"""Question-answer pairs as they were generated, a table, before they become questions of a benchmark."""

from __future__ import annotations

import polars as pl

__all__ = ["PAIRS_SCHEMA", "VERDICTS_SCHEMA"]

PAIRS_SCHEMA: dict[str, pl.DataType] = {
    "sequence": pl.String(),
    "task": pl.String(),
    "number": pl.Int32(),  # from 0, of its sequence and task, without those that had faults
    "question": pl.String(),
    "answer": pl.String(),  # as the reply had it; validated, and one line
}

VERDICTS_SCHEMA: dict[str, pl.DataType] = {
    "sequence": pl.String(),
    "task": pl.String(),
    "number": pl.Int32(),
    "verdict": pl.String(),  # supported, contradicted, or undecided
    "claim": pl.String(),  # kind of claim that was read; null where none was
    "why": pl.String(),  # a sentence: what was measured, or why nothing could be
    "facts": pl.String(),  # a JSON object: what was measured, boxes and frames
    "correct": pl.String(),  # the answer that geometry gives, in the form of `answer`; null where it gives none
}
"""What geometry says of pairs, a row a pair in their order."""
