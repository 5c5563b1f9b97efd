"""Answers that are numbers."""
