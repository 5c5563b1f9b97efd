"""Temporal-shuffle contrastive decoding (LiDAR-Hallu, Sec. V-B, Eq. 9), and the logits that it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from transformers import PreTrainedTokenizerBase

from probe4d.errors import InputError
from probe4d.models.request import KeptLogit

__all__ = ["contrasted", "kept_logits", "label_tokens"]


def contrasted(clean: Tensor, shuffled: Tensor, alpha: Tensor) -> Tensor:
    """Give the logits to sample from: clean + alpha (clean - shuffled), in float32.

    Args:
        clean: (rows, vocabulary) logits with the frames in order.
        shuffled: (rows, vocabulary) logits after the same tokens with the frames shuffled.
        alpha: (rows,) weights of the difference.
    """
    clean, shuffled = clean.float(), shuffled.float()
    return clean + alpha[:, None].float() * (clean - shuffled)


def label_tokens(tokenizer: PreTrainedTokenizerBase, labels: Sequence[str]) -> dict[str, int]:
    """Find the token that each label begins with after the colon that a prompt ends with and a space.

    Tokenizers differ in how they write a word after a space, so that the token is read off from one text with the
    label and one without.

    Raises:
        InputError: The tokenizer joins a label with the colon, or begins two labels alike, so that no token is the
            label's own.
    """
    lead = tokenizer(":", add_special_tokens=False)["input_ids"]
    found = {}
    for label in labels:
        tokens = tokenizer(f": {label}", add_special_tokens=False)["input_ids"]
        if tokens[: len(lead)] != lead or len(tokens) == len(lead):
            raise InputError(
                f"the tokenizer gives the label {label!r} no token of its own after a colon.",
                remedy="Ask without keeping logits.",
            )
        found[label] = tokens[len(lead)]
    if len(set(found.values())) < len(found):
        raise InputError(
            f"the tokenizer begins several of the labels {', '.join(labels)} with the same token, so that its logit is "
            "no label's own.",
            remedy="Ask without keeping logits.",
        )
    return found


def kept_logits(
    clean: Tensor,
    shuffled: Tensor | None,
    chosen_from: Tensor,
    labels: Mapping[str, int],
    tokenizer: PreTrainedTokenizerBase,
    likeliest: int,
) -> tuple[KeptLogit, ...]:
    """List the logits of the labels, then those of the tokens that were likeliest to be chosen.

    Args:
        clean: (vocabulary,) logits with the frames in order.
        shuffled: (vocabulary,) logits with the frames shuffled, or null.
        chosen_from: (vocabulary,) the logits that were sampled from.
        labels: Token of each label.
        tokenizer: The model's.
        likeliest: How many tokens that begin no label are listed besides.
    """
    labelled = set(labels.values())
    ranked = chosen_from.topk(min(likeliest + len(labelled), len(chosen_from))).indices.tolist()
    others = [token for token in ranked if token not in labelled][:likeliest]
    tokens = [*labels.values(), *others]
    index = torch.tensor(tokens, device=clean.device)
    of_clean = clean.index_select(0, index).float().tolist()
    of_shuffled = [None] * len(tokens) if shuffled is None else shuffled.index_select(0, index).float().tolist()
    names = [*labels, *[None] * len(others)]
    return tuple(
        KeptLogit(token=token, text=str(tokenizer.decode([token])), label=label, clean=mine, shuffled=other)
        for token, label, mine, other in zip(tokens, names, of_clean, of_shuffled, strict=True)
    )
