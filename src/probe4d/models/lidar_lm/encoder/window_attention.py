"""The backbone: attention among the occupied cells of each window of the grid (single-stride sparse transformer)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from probe4d.models.lidar_lm.encoder.grid import Occupancy
from probe4d.models.lidar_lm.encoder.options import EncoderOptions

__all__ = ["Bucket", "WindowAttention", "Windows", "partition"]

_SMALLEST_BUCKET = 16


@dataclass(frozen=True)
class Bucket:
    """Windows that hold about as many occupied cells, padded to the most of them.

    Attributes:
        members: (windows, most) int64: rows of the V occupied cells; any row where a window holds fewer.
        filled: (windows, most) bool: false there.
        rows: (f,) int64: the members that are filled, window by window.
        slots: (f,) int64: where these lie among the windows x most.
    """

    members: Tensor
    filled: Tensor
    rows: Tensor
    slots: Tensor


@dataclass(frozen=True)
class Windows:
    """The occupied cells of each window.

    Attributes:
        place: (V,) int64: place of each occupied cell in its window, `row * window_cells + column`.
        buckets: The windows; every occupied cell is in one of them.
    """

    place: Tensor
    buckets: tuple[Bucket, ...]


def partition(occupied: Occupancy, columns: int, window_cells: int, shift: int) -> Windows:
    """Assign the occupied cells to windows of `window_cells` squared, moved by `shift` cells along both axes.

    A bucket holds the windows with up to 16, 32, 64, ... cells, so that padding at most doubles what is computed.
    """
    column, row = occupied.cell % columns + shift, occupied.cell // columns + shift
    place = row % window_cells * window_cells + column % window_cells
    most_windows = int(torch.max(torch.cat([column, row]))) // window_cells + 1 if len(column) else 1
    window = (occupied.cloud * most_windows + row // window_cells) * most_windows + column // window_cells
    by_window, order = torch.sort(window, stable=True)
    _, counts = torch.unique_consecutive(by_window, return_counts=True)
    starts = torch.cumsum(counts, 0) - counts
    return Windows(place, tuple(_buckets(order, starts, counts, window_cells**2)))


def _buckets(order: Tensor, starts: Tensor, counts: Tensor, most: int) -> Iterator[Bucket]:
    low, high = 0, _SMALLEST_BUCKET
    while low < most:
        high = min(high, most)
        chosen = (counts > low) & (counts <= high)
        if bool(chosen.any()):
            slots = torch.arange(high, device=order.device)
            filled = slots < counts[chosen, None]
            members = order[(starts[chosen, None] + slots).clamp(max=len(order) - 1)]
            yield Bucket(members, filled, members[filled], filled.flatten().nonzero().squeeze(1))
        low, high = high, 2 * high


def _position_table(window_cells: int, channels: int) -> Tensor:
    """Sinusoidal embeddings of the places of a window, (window_cells squared, channels).

    The first half of the channels is of the column, the second of the row, both counted from the middle of the
    window; even channels are sines and odd ones cosines (Vaswani et al., 2017).
    """
    half = channels // 2
    exponent = 2 * torch.div(torch.arange(half), 2, rounding_mode="floor") / half
    offset = torch.arange(window_cells) - window_cells / 2
    angle = offset[:, None] / 10000.0**exponent
    of_axis = torch.where(torch.arange(half) % 2 == 0, angle.sin(), angle.cos())
    return torch.cat([of_axis.repeat(window_cells, 1), of_axis.repeat_interleave(window_cells, dim=0)], dim=1)


class WindowAttention(nn.Module):
    """Blocks of two layers, the second in windows shifted by half a window (SST, Fan et al., 2022).

    No cell is ever left out: a window holds at most `window_cells` squared of them, below the largest limit of the
    released configuration. Attribute names are those of the released checkpoints.
    """

    def __init__(self, options: EncoderOptions) -> None:
        super().__init__()
        self.columns, self.window_cells = options.grid.columns, options.window_cells
        self.block_list = nn.ModuleList([_Block(options) for _ in range(options.blocks)])
        table = _position_table(options.window_cells, options.channels)
        self.positions: Tensor
        self.register_buffer("positions", table, persistent=False)

    def forward(self, features: Tensor, occupied: Occupancy) -> Tensor:
        """The features of the occupied cells after attention, (V, channels)."""
        shifts = (0, self.window_cells // 2)
        partitions = [partition(occupied, self.columns, self.window_cells, shift) for shift in shifts]
        positions = [self.positions[windows.place] for windows in partitions]
        for block in self.block_list:
            features = block(features, positions, partitions)
        return features


class _Block(nn.Module):
    def __init__(self, options: EncoderOptions) -> None:
        super().__init__()
        self.encoder_list = nn.ModuleList([_Layer(options), _Layer(options)])

    def forward(self, features: Tensor, positions: Sequence[Tensor], partitions: Sequence[Windows]) -> Tensor:
        for layer, position, windows in zip(self.encoder_list, positions, partitions, strict=True):
            features = layer(features, position, windows)
        return features


class _Layer(nn.Module):
    """Attention and a feed-forward part, each with a residual and layer normalisation after it."""

    def __init__(self, options: EncoderOptions) -> None:
        super().__init__()
        self.win_attn = _AttentionInWindows(options.channels, options.heads)
        self.linear1 = nn.Linear(options.channels, options.feedforward_channels)
        self.linear2 = nn.Linear(options.feedforward_channels, options.channels)
        self.norm1 = nn.LayerNorm(options.channels)
        self.norm2 = nn.LayerNorm(options.channels)

    def forward(self, features: Tensor, positions: Tensor, windows: Windows) -> Tensor:
        features = self.norm1(features + self.win_attn(features, positions, windows))
        normalised: Tensor = self.norm2(features + self.linear2(functional.gelu(self.linear1(features))))
        return normalised


class _AttentionInWindows(nn.Module):
    def __init__(self, channels: int, heads: int) -> None:
        super().__init__()
        self.self_attn = nn.MultiheadAttention(channels, heads)  # holds the weights under their released names

    def forward(self, features: Tensor, positions: Tensor, windows: Windows) -> Tensor:
        """Queries and keys see the position, values do not."""
        attention = self.self_attn
        channels, heads = attention.embed_dim, attention.num_heads
        weights, biases = attention.in_proj_weight, attention.in_proj_bias
        of_place = functional.linear(features + positions, weights[: 2 * channels], biases[: 2 * channels])
        alone = functional.linear(features, weights[2 * channels :], biases[2 * channels :])
        of_cells = torch.cat([of_place, alone], dim=1)
        attended = torch.zeros_like(alone)
        for bucket in windows.buckets:
            padded = of_cells.index_select(0, bucket.members.flatten())
            split = padded.view(*bucket.members.shape, 3, heads, channels // heads)
            query, key, value = split.permute(2, 0, 3, 1, 4).unbind()
            visible = bucket.filled[:, None, None, :]
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=visible)
            mixed = mixed.transpose(1, 2).reshape(-1, channels)
            attended = attended.index_copy(0, bucket.rows, mixed.index_select(0, bucket.slots))
        projected: Tensor = attention.out_proj(attended)
        return projected
