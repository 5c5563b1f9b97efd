"""Questions, benchmark folders, and one sub-package a suite."""
