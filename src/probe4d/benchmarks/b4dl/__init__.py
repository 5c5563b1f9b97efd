"""B4DL: what a model writes about sequences of key frames, asked in six tasks and held against geometry."""
