"""What a model gets to see beside the question."""
