"""A preallocated key/value cache whose rows share prefixes without copies of them.

Questions about one scene begin alike: system text and feature rows. Their keys and values are kept once; a row's own
cache holds only what follows. Attention to a shared prefix is one matrix product over all rows that share it, and
its result is merged with the attention to a row's own tokens by their log-sum-exp (Juravsky et al., Hydragen, 2024).

Tokens of several rows go through the model side by side, as one sequence without padding; only attention tells the
rows apart. It is registered with transformers as an attention implementation and finds the cache in the keyword
arguments of the model's `forward`, so that no code of the model is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from transformers import AttentionInterface, PreTrainedModel

__all__ = ["AddedTokens", "KeyValueCache", "SharedPrefix", "decoding_attention"]

_ATTENTION = "probe4d_shared_prefix"


@dataclass(frozen=True)
class SharedPrefix:
    """What several neighbouring rows of a cache have before their own tokens.

    Attributes:
        keys: (layers, key/value heads, tokens, head width).
        values: Likewise.
        start: First row that shares it.
        stop: Row after the last.
    """

    keys: Tensor
    values: Tensor
    start: int
    stop: int


@dataclass(frozen=True)
class AddedTokens:
    """Tokens added to the rows of a cache by one call of the model, row after row.

    Attributes:
        cache: Where their keys and values go.
        row: (tokens,) row of each token.
        slot: (tokens,) place of each token among its row's own tokens.
        place: (tokens,) place of each token among those added to its row.
        longest: Most tokens added to a row.
        hidden: (rows, 1, 1, longest, slots in use) whether a row's own slot lies after an added token.
    """

    cache: KeyValueCache
    row: Tensor
    slot: Tensor
    place: Tensor
    longest: int
    hidden: Tensor


@dataclass
class KeyValueCache:
    """Keys and values of the tokens that each of several rows has for itself, with room for more.

    Attributes:
        keys: (layers, rows, key/value heads, capacity, head width).
        values: Likewise.
        lengths: (rows,) tokens of each row; what lies behind them is room.
        shared: Prefixes that stand before the rows, outermost first.
    """

    keys: Tensor
    values: Tensor
    lengths: NDArray[np.int64]
    shared: tuple[SharedPrefix, ...]

    @classmethod
    def empty(
        cls, model: PreTrainedModel, *, rows: int, capacity: int, shared: Sequence[SharedPrefix] = ()
    ) -> KeyValueCache:
        """Make a cache for a causal language model of the Llama architecture, with room for `capacity` tokens a row."""
        configuration = model.config
        width = getattr(configuration, "head_dim", None) or (
            configuration.hidden_size // configuration.num_attention_heads
        )
        shape = (configuration.num_hidden_layers, rows, configuration.num_key_value_heads, capacity, width)
        # Zeros: what lies after a row's last token is masked, but a NaN there would spread all the same.
        keys, values = (torch.zeros(shape, dtype=model.dtype, device=model.device) for _ in range(2))
        return cls(keys, values, np.zeros(rows, dtype=np.int64), tuple(shared))

    def part(self, start: int, stop: int) -> KeyValueCache:
        """Give rows `start` to `stop` as a cache; tokens added to it are added to this one."""
        shared = (
            SharedPrefix(prefix.keys, prefix.values, max(prefix.start, start) - start, min(prefix.stop, stop) - start)
            for prefix in self.shared
        )
        return KeyValueCache(
            self.keys[:, start:stop],
            self.values[:, start:stop],
            self.lengths[start:stop],
            tuple(prefix for prefix in shared if prefix.start < prefix.stop),
        )

    def shares(self, row: int, *, start: int, stop: int) -> SharedPrefix:
        """Give a row's tokens as the prefix of rows `start` to `stop` of another cache, without a copy."""
        length = int(self.lengths[row])
        return SharedPrefix(self.keys[:, row, :, :length], self.values[:, row, :, :length], start, stop)

    def add(self, added: NDArray[np.int64]) -> AddedTokens:
        """Make room for tokens.

        Args:
            added: (rows,) tokens that each row gets, one at least.
        """
        row = np.repeat(np.arange(len(added)), added)
        place = np.arange(len(row)) - np.repeat(np.cumsum(added) - added, added)
        slot = self.lengths[row] + place
        longest = int(added.max())
        used = int((self.lengths + added).max())
        last_seen = self.lengths[:, None] + np.arange(longest)
        hidden = np.arange(used) > last_seen[:, :, None]
        self.lengths += added
        tensors = (torch.from_numpy(values).to(self.keys.device) for values in (row, slot, place, hidden))
        rows, slots, places, masked = tensors
        return AddedTokens(self, rows, slots, places, longest, masked[:, None, None])

    def keep(self, rows: Sequence[int]) -> None:
        """Forget all rows but these, which are given in ascending order."""
        kept = np.asarray(rows, dtype=np.int64)
        index = torch.from_numpy(kept).to(self.keys.device)
        self.keys = self.keys.index_select(1, index)
        self.values = self.values.index_select(1, index)
        self.lengths = self.lengths[kept]
        shared = (
            SharedPrefix(prefix.keys, prefix.values, *np.searchsorted(kept, (prefix.start, prefix.stop)).tolist())
            for prefix in self.shared
        )
        self.shared = tuple(prefix for prefix in shared if prefix.start < prefix.stop)


@dataclass
class _Attended:
    """Attention of queries to a part of their keys, before it is divided by the sum of its weights.

    `highest` and `total` are (rows, key/value heads, queries, 1), `weighted` is (…, head width); all float32.
    """

    highest: Tensor
    total: Tensor
    weighted: Tensor

    @classmethod
    def to(cls, scores: Tensor, values: Tensor) -> _Attended:
        """Attend to `values` (…, keys, width) by `scores` (…, queries, keys)."""
        scores = scores.float()
        highest = scores.amax(dim=-1, keepdim=True)
        weights = (scores - highest).exp_()
        return cls(highest, weights.sum(dim=-1, keepdim=True), (weights.to(values.dtype) @ values).float())

    def by_row(self, rows: int) -> _Attended:
        """Give what was computed for all rows at once, (key/value heads, rows x queries, …), as the class has it."""
        parts = (self.highest, self.total, self.weighted)
        return _Attended(*(part.view(len(part), rows, -1, part.shape[-1]).transpose(0, 1) for part in parts))

    def merge(self, other: _Attended, start: int, stop: int) -> None:
        """Add what rows `start` to `stop` attended to elsewhere."""
        highest = torch.maximum(self.highest[start:stop], other.highest)
        mine, others = (self.highest[start:stop] - highest).exp_(), (other.highest - highest).exp_()
        self.total[start:stop] = self.total[start:stop] * mine + other.total * others
        self.weighted[start:stop] = self.weighted[start:stop] * mine + other.weighted * others
        self.highest[start:stop] = highest


def _shared_prefix_attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    scaling: float,
    added: AddedTokens,
    **_others: Any,
) -> tuple[Tensor, None]:
    """Attend from added tokens to the shared prefixes and the own tokens of their rows.

    Args:
        module: A layer's attention, with `layer_idx`.
        query: (1, heads, tokens, head width), the tokens of all rows one after another.
        key: (1, key/value heads, tokens, head width).
        value: Likewise.
        attention_mask: Not looked at; the rows are told apart by `added`.
        scaling: Factor of the scores.
        added: Where the tokens stand, as the model's `forward` was given it.

    Returns:
        (1, tokens, heads, head width), and null in place of weights.
    """
    cache, layer = added.cache, int(module.layer_idx)  # type: ignore[arg-type]  # torch types attributes as modules
    cache.keys[layer][added.row, :, added.slot] = key[0].transpose(0, 1)
    cache.values[layer][added.row, :, added.slot] = value[0].transpose(0, 1)
    rows, key_heads, _, width = cache.keys[layer].shape
    queries = _by_row(query[0].transpose(0, 1) * scaling, added, rows)
    queries = queries.view(rows, added.longest, key_heads, -1, width).permute(0, 2, 3, 1, 4).flatten(2, 3)

    used = added.hidden.shape[-1]
    scores = queries @ cache.keys[layer][:, :, :used].transpose(-1, -2)
    scores.view(rows, key_heads, -1, added.longest, used).masked_fill_(added.hidden, -torch.inf)
    attended = _Attended.to(scores, cache.values[layer][:, :, :used])
    for prefix in cache.shared:
        of_prefix = queries[prefix.start : prefix.stop].transpose(0, 1).flatten(1, 2)
        found = _Attended.to(of_prefix @ prefix.keys[layer].transpose(-1, -2), prefix.values[layer])
        attended.merge(found.by_row(prefix.stop - prefix.start), prefix.start, prefix.stop)

    output = (attended.weighted / attended.total).to(query.dtype)
    output = output.view(rows, key_heads, -1, added.longest, width).permute(0, 3, 1, 2, 4).flatten(2, 3)
    return output[added.row, added.place].unsqueeze(0), None


def _by_row(tokens: Tensor, added: AddedTokens, rows: int) -> Tensor:
    """Lay (tokens, heads, width) out as (rows, longest, heads, width), zero where a row has fewer tokens."""
    laid = tokens.new_zeros((rows, added.longest, *tokens.shape[1:]))
    laid[added.row, added.place] = tokens
    return laid


AttentionInterface.register(_ATTENTION, _shared_prefix_attention)


@contextmanager
def decoding_attention(model: PreTrainedModel) -> Iterator[None]:
    """Let a model attend by `_shared_prefix_attention`, without dropout, and put it back as it was."""
    implementation, was_training = model.config._attn_implementation, model.training
    model.set_attn_implementation(_ATTENTION)
    model.train(False)
    try:
        yield
    finally:
        model.set_attn_implementation(implementation)
        model.train(was_training)
