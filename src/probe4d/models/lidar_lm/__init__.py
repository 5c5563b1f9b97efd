"""The LiDAR language model of B4DL and LiDAR-Hallu: encoder, projector, language model, training and decoding."""
