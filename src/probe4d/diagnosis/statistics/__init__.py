"""Arithmetic on arrays that knows no questions: resampling, matching, errors and overlaps."""
