"""Splicing as the released code does it, written down once more for tests: text with placeholders in, ids out."""

from __future__ import annotations

from transformers import PreTrainedTokenizerBase

SYSTEM = (
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, "
    "and polite answers to the user's questions."
)


def reference_ids(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    """Split at the placeholder, tokenize each chunk alone, keep the first beginning of sequence, drop later ones."""
    ids: list[int] = []
    for index, chunk in enumerate(text.split("<video>")):
        of_chunk = tokenizer(chunk).input_ids
        begins = bool(of_chunk) and of_chunk[0] == tokenizer.bos_token_id
        ids += [-200, *of_chunk[begins:]] if index else of_chunk
    return ids


def reference_example(tokenizer: PreTrainedTokenizerBase, prompt: str, reply: str) -> tuple[list[int], list[int]]:
    """Ids and labels of a prompt and the reply that is learnt; the reply may end with the text of a special token."""
    ids = reference_ids(tokenizer, prompt + reply)
    asked = len(reference_ids(tokenizer, prompt))
    return ids, [-100] * asked + ids[asked:]


def v1_prompt(human: str) -> str:
    """The rendered prompt of the template `v1`, `<video>` for the features."""
    return f"{SYSTEM} USER: {human} ASSISTANT:"
