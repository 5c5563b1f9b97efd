"""People look through a benchmark: a sheet to fill in, and what becomes of their decisions."""
