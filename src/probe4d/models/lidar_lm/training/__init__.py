"""Training of encoder, projector and language model."""
