"""Features of occupied cells from their points (dynamic voxel feature encoding)."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

from probe4d.models.lidar_lm.encoder.grid import Occupancy, cell_centres
from probe4d.models.lidar_lm.encoder.options import EncoderOptions, GridOptions

__all__ = ["VoxelFeatures"]

_POINT_FEATURES = 10


class VoxelFeatures(nn.Module):
    """Two layers of points, each followed by the greatest value in every cell (DynamicVFE of LidarCLIP's SST).

    Attribute names are those of the released checkpoints.
    """

    def __init__(self, options: EncoderOptions) -> None:
        super().__init__()
        self.grid = options.grid
        of_batch = options.compat == "released"
        self.vfe_layers = nn.ModuleList(
            [
                _PointLayer(_POINT_FEATURES, options.point_channels, of_batch),
                _PointLayer(2 * options.point_channels, options.channels, of_batch),
            ]
        )

    def forward(self, occupied: Occupancy) -> Tensor:
        """The features of the occupied cells, (V, channels)."""
        first, second = self.vfe_layers
        features = first(_point_features(occupied, self.grid))
        of_cells = _greatest(features, occupied)
        features = second(torch.cat([features, of_cells[occupied.read_by_point]], dim=1))
        return _greatest(features, occupied)


class _PointLayer(nn.Module):
    """Linear, batch normalisation, ReLU, over points."""

    def __init__(self, width: int, channels: int, of_batch: bool) -> None:
        super().__init__()
        self.of_batch = of_batch
        self.linear = nn.Linear(width, channels, bias=False)
        self.norm = nn.BatchNorm1d(channels, eps=1e-3, momentum=0.01)

    def forward(self, features: Tensor) -> Tensor:
        return functional.relu(self._normalised(self.linear(features)), inplace=True)

    def _normalised(self, features: Tensor) -> Tensor:
        norm = self.norm
        if len(features) < 2:  # one point has no variance
            return functional.batch_norm(
                features, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=norm.eps
            )
        if self.of_batch and not self.training:  # leaves the running statistics as they are
            return functional.batch_norm(features, None, None, norm.weight, norm.bias, training=True, eps=norm.eps)
        normalised: Tensor = norm(features)
        return normalised


def _point_features(occupied: Occupancy, grid: GridOptions) -> Tensor:
    """x, y, z, intensity, the offset from the mean of the cell's points and from the cell's centre, (P, 10)."""
    where = occupied.points[:, :3]
    means = _mean(where, occupied)[occupied.read_by_point]
    centres = cell_centres(occupied.place_of_point, grid, where.dtype)
    return torch.cat([occupied.points, where - means, where - centres], dim=1)


def _mean(values: Tensor, occupied: Occupancy) -> Tensor:
    cells = len(occupied.cell) + 1  # the last gathers the points of lost cells
    sums = values.new_zeros(cells, values.shape[1]).index_add(0, occupied.cell_of_point, values)
    counts = torch.bincount(occupied.cell_of_point, minlength=cells).clamp(min=1)
    return sums[:-1] / counts[:-1, None]


def _greatest(values: Tensor, occupied: Occupancy) -> Tensor:
    """The greatest of values that are at least 0, in every cell."""
    empty = values.new_zeros(len(occupied.cell) + 1, values.shape[1])  # the last gathers the points of lost cells
    index = occupied.cell_of_point[:, None].expand_as(values)
    return empty.scatter_reduce(0, index, values, "amax")[:-1]
