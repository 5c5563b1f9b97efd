"""A benchmark asked of a model: answers on disk."""
