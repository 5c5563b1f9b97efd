"""LiDAR language models on disk."""
