"""Runs held against each other: which are compared, what changed between them, families of one model."""
