"""Answers that are intervals of key frames."""
