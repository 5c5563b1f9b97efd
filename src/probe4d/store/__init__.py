"""What lies on disk: append-only logs, whole-file writes, digests, caches."""
