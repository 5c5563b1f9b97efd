"""Answerers that see no sensor: what they answer, what they learn from, and how they are asked as models."""
