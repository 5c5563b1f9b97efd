"""Why generation of a reply ended, in the words of providers and of inspect-ai."""

from __future__ import annotations

__all__ = ["CUT_REASONS", "FILTER_REASONS", "REFUSAL_REASONS"]

CUT_REASONS = frozenset({"length", "max_tokens", "model_length", "max_output_tokens"})
"""Finish reasons, in lower case, by which providers and inspect-ai say that generation ran into its limit."""

FILTER_REASONS = frozenset({"content_filter", "content-filter", "safety"})
"""The same for a reply that a filter kept back; what had come before may hold the answer."""

REFUSAL_REASONS = frozenset({"refusal"})
"""The same where the server marks the whole text as a refusal, whatever else the text says."""
