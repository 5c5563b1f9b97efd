"""How answers are drawn from a LiDAR language model."""
