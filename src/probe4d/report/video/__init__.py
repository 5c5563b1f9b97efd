"""Scenes as videos: LiDAR points and camera images with tracks, and questions and answers beside them."""
