"""Answers in free text, by metrics of words."""
