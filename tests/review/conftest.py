"""Chromium, in which the tests of the sheet open it."""

from __future__ import annotations

from chromium_steps import chromium

__all__ = ["chromium"]
