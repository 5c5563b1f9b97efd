"""Prompts that ask for the reasoning before the answer (NuScenes-SpatialQA, App. F)."""

from __future__ import annotations

__all__ = ["chain_of_thought"]

_DIRECTIVE = (
    "You are given a question about spatial relationships in an autonomous driving scene. Think step by step before "
    "answering. First, analyze the spatial arrangement of objects based on the given context. Then, determine the "
    "correct answer based on your reasoning. Finally, provide your answer in the following format:"
)


def chain_of_thought(question: str, *, form: str) -> str:
    """The prompt of the paper.

    Args:
        question: The question, with its options.
        form: What the answer can be, such as `Yes/No` or `A/B`.
    """
    return "\n".join(
        [_DIRECTIVE, "Reasoning: (Step-by-step explanation)", f"Answer: ({form})", f"Question: {question}"]
    )
