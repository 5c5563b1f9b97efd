"""Models that find what they are asked for in images, and the job that asks them."""
