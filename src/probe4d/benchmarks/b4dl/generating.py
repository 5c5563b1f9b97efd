"""The names of `probe4d.benchmarks.generating`, which any suite may use."""

from probe4d.benchmarks.generating import Generated, Generator, Picture, Prompt, Stage

__all__ = ["Generated", "Generator", "Picture", "Prompt", "Stage"]
