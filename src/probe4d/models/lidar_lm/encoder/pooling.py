"""One embedding of a cloud from the features of its occupied cells."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from probe4d.models.lidar_lm.encoder.grid import Occupancy
from probe4d.models.lidar_lm.encoder.options import EncoderOptions

__all__ = ["AttentionPooling"]


class AttentionPooling(nn.Module):
    """Attention pooling as in CLIP, whose only query is the mean of the whole grid (LidarCLIP).

    Empty cells count in the mean, as zeros, and are never attended to. As there is one query a cloud, neither keys
    nor values are computed: with key_i = K x_i + k, the product q . key_i is (Kᵀq) . x_i + q . k, and the weighted
    sum of values is V applied to the weighted sum of x_i; the same holds of `in_proj`. This is the published formula
    in another order of multiplication, at a fraction of its cost.

    Attribute names are those of the released checkpoints.
    """

    def __init__(self, options: EncoderOptions) -> None:
        super().__init__()
        width = options.out_channels
        self.heads, self.cells = options.pooling_heads, options.grid.cells
        self.positional_embedding = nn.Parameter(torch.randn(self.cells + 1, width) / width**0.5)
        self.in_proj = nn.Linear(options.channels, width)
        self.q_proj = nn.Linear(width, width)
        self.k_proj = nn.Linear(width, width)
        self.v_proj = nn.Linear(width, width)
        self.c_proj = nn.Linear(width, width)

    def forward(self, features: Tensor, occupied: Occupancy, count: int) -> Tensor:
        """The embeddings of `count` clouds, (count, out_channels), from the features of their V cells, (V, channels).

        An empty cloud has nothing to attend to: its embedding is the bias of `c_proj`.
        """
        at = occupied.cloud * self.cells + occupied.cell
        grid = features.new_zeros(count * self.cells, features.shape[1]).index_copy(0, at, features)
        grid = grid.view(count, self.cells, features.shape[1])
        filled = torch.zeros(count * self.cells, dtype=torch.bool, device=features.device).index_fill(0, at, True)
        weights = self._weights(grid, filled.view(count, 1, self.cells))
        attended = (weights @ grid) @ self.in_proj.weight.T + weights @ self.positional_embedding[1:]
        total = weights.sum(dim=2, keepdim=True)  # 1, or 0 for an empty cloud
        attended = attended + total * self.in_proj.bias
        of_values = self._by_head(self.v_proj.weight)
        values = torch.einsum("bhw,hdw->bhd", attended, of_values)
        values = values + total * self.v_proj.bias.view(self.heads, -1)
        embeddings: Tensor = self.c_proj(values.flatten(1))
        return embeddings

    def _weights(self, grid: Tensor, filled: Tensor) -> Tensor:
        """How much each head attends to each cell, (count, heads, cells); 0 where a cell is empty."""
        query = self.q_proj(self.in_proj(grid.mean(dim=1)) + self.positional_embedding[0])
        query = query.view(len(grid), self.heads, query.shape[1] // self.heads)
        query = query / query.shape[2] ** 0.5
        asked = torch.einsum("bhd,hdw->bhw", query, self._by_head(self.k_proj.weight))
        of_place = asked @ self.positional_embedding[1:].T
        constant = (query * self.k_proj.bias.view(self.heads, -1)).sum(dim=2, keepdim=True)
        scores = (asked @ self.in_proj.weight) @ grid.transpose(1, 2) + of_place + constant
        weights: Tensor = scores.masked_fill(~filled, torch.finfo(scores.dtype).min).softmax(dim=2) * filled
        return weights

    def _by_head(self, weight: Tensor) -> Tensor:
        """Rows of a projection, (heads, width / heads, width)."""
        return weight.view(self.heads, weight.shape[0] // self.heads, weight.shape[1])
