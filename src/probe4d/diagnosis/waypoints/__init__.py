"""Answers that are waypoints."""
