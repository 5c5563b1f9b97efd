"""From texts and feature rows to what the language model reads: token ids, labels, embeddings.

As in the released code, each chunk of text is tokenized alone and the feature rows lie between the chunks. A
tokenizer that puts its beginning of sequence before every text puts it before the first chunk only; a turn ends
with the tokenizer's end of sequence, whatever it looks like as text. In what is tokenized, names of special
tokens are ordinary text.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from transformers import PreTrainedTokenizerBase

from probe4d.errors import InputError
from probe4d.models.lidar_lm.conversation import TEMPLATES, Chunks, TemplateName, prompt_chunks, reply_text
from probe4d.wording import counted

__all__ = ["FEATURES", "IGNORED", "Embedded", "Spliced", "embed_batch", "spliced"]

FEATURES = -200
"""In token ids: a set of feature rows lies here."""

IGNORED = -100
"""In labels: nothing is learnt here."""


class Spliced(NamedTuple):
    """A prompt, and perhaps its answer, in tokens.

    Attributes:
        ids: (n,) int64: token ids, `FEATURES` where a set of feature rows lies.
        labels: (n,) int64: the ids that are learnt, `IGNORED` elsewhere; all ignored where there is no answer.
    """

    ids: Tensor
    labels: Tensor


class Embedded(NamedTuple):
    """A batch as a language model reads it; shorter sequences are padded at their end.

    Attributes:
        inputs_embeds: (batch, length, hidden), in the dtype of the token embeddings; zeros where padded.
        attention_mask: (batch, length) int64: 1 in a sequence, 0 where padded.
        position_ids: (batch, length) int64.
        labels: (batch, length) int64, `IGNORED` at feature rows and where padded.
    """

    inputs_embeds: Tensor
    attention_mask: Tensor
    position_ids: Tensor
    labels: Tensor


def spliced(
    tokenizer: PreTrainedTokenizerBase, template: TemplateName, human: Chunks, answer: str | None = None
) -> Spliced:
    """Tokenize a prompt and, in training, its answer.

    Args:
        tokenizer: The language model's.
        template: Name of the conversation template.
        human: The human's text, as `layouts.laid_out` gives it.
        answer: What is learnt; null where the model is asked.

    Raises:
        InputError: The answer is empty, or the tokenizer joins it to the prompt or has no end of sequence.
    """
    chunks = prompt_chunks(template, human)
    ids = _joined(tokenizer, chunks)
    if answer is None:
        return Spliced(torch.tensor(ids), torch.full((len(ids),), IGNORED))
    *before, last = chunks
    whole = _joined(tokenizer, (*before, last + reply_text(template, answer)))
    if whole[: len(ids)] != ids:
        raise InputError(
            f"the tokenizer joins the end of a prompt to the answer {answer[:40]!r}, so that the prompt that is "
            "learnt would not be the one that is asked.",
            remedy="Change how the answer begins.",
        )
    if TEMPLATES[template].ends_turn:
        whole.append(_end_of_sequence(tokenizer))
    learnt = whole[len(ids) :]
    return Spliced(torch.tensor(whole), torch.tensor([IGNORED] * len(ids) + learnt))


def embed_batch(
    sequences: Sequence[Spliced], features: Sequence[Sequence[Tensor]], embedding: nn.Module, projector: nn.Linear
) -> Embedded:
    """Embed tokens and feature rows, each set of rows in its place.

    Args:
        sequences: What is read.
        features: For each sequence its sets of rows, in the order of their places; a set is (rows, width) of any
            float dtype, and may have no rows.
        embedding: Embedding of the tokens.
        projector: Projector of feature rows to the width of the embedding.

    Raises:
        InputError: There are more or fewer sets than places, or rows have another width than the projector takes.
    """
    device = projector.weight.device
    rows = [_refuse_other_width(row_set, projector) for sets in features for row_set in sets]
    places = [_places(sequence, sets, device) for sequence, sets in zip(sequences, features, strict=True)]
    lengths = torch.tensor([len(place.labels) for place in places], device=device)
    within = torch.arange(int(lengths.max()), device=device) < lengths[:, None]
    of_tokens = torch.cat([place.tokens for place in places])
    of_features = torch.cat([place.is_feature for place in places])
    tokens = embedding(of_tokens)
    flat = tokens.new_empty((len(of_features), tokens.shape[1]))
    flat[~of_features] = tokens
    if rows:
        projected = projector(torch.cat(rows).to(device, projector.weight.dtype))
        flat[of_features] = projected.to(tokens.dtype)
    inputs = flat.new_zeros((*within.shape, flat.shape[1]))
    inputs[within] = flat
    labels = torch.full(within.shape, IGNORED, device=device)
    labels[within] = torch.cat([place.labels for place in places])
    mask = within.long()
    return Embedded(inputs, mask, (mask.cumsum(1) - 1).clamp(min=0), labels)


class _Places(NamedTuple):
    tokens: Tensor  # ids of the tokens alone
    is_feature: Tensor  # of each position in the sequence with its rows
    labels: Tensor  # of each position


def _places(sequence: Spliced, sets: Sequence[Tensor], device: torch.device) -> _Places:
    ids = sequence.ids.to(device)
    placeholder = ids == FEATURES
    if int(placeholder.sum()) != len(sets):
        raise InputError(
            f"a prompt has {counted(int(placeholder.sum()), 'place')} for LiDAR features; "
            f"given were {counted(len(sets), 'set')} of them."
        )
    length = torch.ones_like(ids)
    length[placeholder] = torch.tensor([len(row_set) for row_set in sets], dtype=ids.dtype, device=device)
    return _Places(
        ids[~placeholder], placeholder.repeat_interleave(length), sequence.labels.to(device).repeat_interleave(length)
    )


def _refuse_other_width(rows: Tensor, projector: nn.Linear) -> Tensor:
    if rows.ndim != 2 or rows.shape[1] != projector.in_features:
        raise InputError(
            f"LiDAR features have the shape {tuple(rows.shape)}; the projector takes rows of {projector.in_features}.",
            remedy="Give the features that this model was trained with.",
        )
    return rows


def _joined(tokenizer: PreTrainedTokenizerBase, chunks: Chunks) -> list[int]:
    ids = _opening(tokenizer)
    for index, chunk in enumerate(chunks):
        if index:
            ids.append(FEATURES)
        ids += _tokenized(tokenizer, chunk)
    return ids


def _opening(tokenizer: PreTrainedTokenizerBase) -> list[int]:
    """The beginning of sequence, where the tokenizer puts one before a text by itself."""
    begun = _tokenized(tokenizer, "", add_special_tokens=True)[:1]
    return begun if begun == [tokenizer.bos_token_id] else []


def _tokenized(tokenizer: PreTrainedTokenizerBase, text: str, *, add_special_tokens: bool = False) -> list[int]:
    ids: list[int] = tokenizer(text, add_special_tokens=add_special_tokens, split_special_tokens=True)["input_ids"]
    return ids


def _end_of_sequence(tokenizer: PreTrainedTokenizerBase) -> int:
    end: int | None = tokenizer.eos_token_id
    if end is None:
        raise InputError(
            "the tokenizer has no end of sequence, with which a turn ends.", path=tokenizer.name_or_path or None
        )
    return end
