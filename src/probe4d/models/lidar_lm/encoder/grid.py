"""Clouds as one table of points, and the cells of the grid that they occupy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from probe4d.errors import InputError
from probe4d.models.lidar_lm.encoder.options import Compat, GridOptions

__all__ = ["Occupancy", "PackedClouds", "cell_centres", "occupancy", "pack"]


@dataclass(frozen=True)
class PackedClouds:
    """Clouds of different numbers of points in one table.

    Attributes:
        points: (N, 4) float32: x forward, y left, z up in metres, intensity from 0 to 1.
        cloud_index: (N,) int64, ascending: the cloud of each point, from 0 to `count` - 1.
        count: Number of clouds, empty ones among them.
    """

    points: Tensor
    cloud_index: Tensor
    count: int

    def __post_init__(self) -> None:
        if self.points.ndim != 2 or self.points.shape[1] != 4 or self.cloud_index.shape != self.points.shape[:1]:
            raise InputError(
                "clouds are packed as (N, 4) points and (N,) numbers of clouds, "
                f"not {tuple(self.points.shape)} and {tuple(self.cloud_index.shape)}."
            )
        numbers = self.cloud_index
        if len(numbers) and not bool(((numbers >= 0) & (numbers < self.count)).all()):
            raise InputError(f"points of packed clouds name a cloud from 0 to {self.count - 1}, not another.")

    def to(self, device: torch.device | str) -> PackedClouds:
        """The same clouds on another device."""
        return PackedClouds(self.points.to(device), self.cloud_index.to(device), self.count)


def pack(clouds: Sequence[NDArray[np.floating] | Tensor]) -> PackedClouds:
    """Put clouds, each (n, 4) with any n from 0, into one table (see `PackedClouds`).

    Raises:
        InputError: A cloud is not (n, 4).
    """
    tensors = [torch.as_tensor(cloud, dtype=torch.float32) for cloud in clouds]
    for number, tensor in enumerate(tensors):
        if tensor.ndim != 2 or tensor.shape[1] != 4:
            raise InputError(
                f"point cloud {number} has the shape {tuple(tensor.shape)}; expected (points, 4): x, y, z, intensity."
            )
    points = torch.cat(tensors) if tensors else torch.zeros(0, 4)
    counts = torch.tensor([len(tensor) for tensor in tensors], dtype=torch.int64, device=points.device)
    numbers = torch.arange(len(tensors), device=points.device)
    return PackedClouds(points, numbers.repeat_interleave(counts), len(tensors))


@dataclass(frozen=True)
class Occupancy:
    """Which points lie in which of V occupied cells; these are ordered by cloud, row and column.

    Attributes:
        points: (P, 4) the points that take part.
        place_of_point: (P,) int64: number in its grid of the cell that a point lies in.
        cell_of_point: (P,) int64: the cell a point adds to, as a row of `cell`; `len(cell)` where that cell is lost.
        read_by_point: (P,) int64: the cell a point reads from; `cell_of_point` but for lost cells, where it is 0.
        cell: (V,) int64: number of each occupied cell in its grid, `row * columns + column`.
        cloud: (V,) int64: cloud of each occupied cell.
    """

    points: Tensor
    place_of_point: Tensor
    cell_of_point: Tensor
    read_by_point: Tensor
    cell: Tensor
    cloud: Tensor


def occupancy(clouds: PackedClouds, grid: GridOptions, compat: Compat = "paper") -> Occupancy:
    """Find the occupied cells of all clouds (dynamic voxelisation, as in LidarCLIP; Hess et al., 2024).

    Points out of range are dropped; under `compat="released"` they are clamped into the border cells instead, and
    the first occupied cell of every cloud is lost: it has no features, and its points read those of the batch's
    first cell.

    Raises:
        InputError: A point has a value that is not finite; the message names the cloud.
    """
    _refuse_not_finite(clouds)
    low = clouds.points.new_tensor(grid.range_m[:2])
    size = clouds.points.new_tensor(grid.voxel_m[:2])
    shape = clouds.points.new_tensor([grid.columns, grid.rows])
    place = torch.floor((clouds.points[:, :2] - low) / size)  # of float type, which far points do not overflow
    points, cloud_index = clouds.points, clouds.cloud_index
    if compat == "released":
        place = torch.minimum(place.clamp(min=0), shape - 1)
    else:
        height = points[:, 2]
        within = ((place >= 0) & (place < shape)).all(dim=1) & (height >= grid.range_m[2]) & (height < grid.range_m[5])
        place, points, cloud_index = place[within], points[within], cloud_index[within]
    place = place.to(torch.int64)
    key = cloud_index * grid.cells + place[:, 1] * grid.columns + place[:, 0]
    occupied = torch.zeros(clouds.count * grid.cells, dtype=torch.bool, device=points.device)
    occupied[key] = True
    keys = occupied.nonzero().squeeze(1)
    cell_of_point = (torch.cumsum(occupied, 0) - 1)[key]
    found = Occupancy(points, key % grid.cells, cell_of_point, cell_of_point, keys % grid.cells, keys // grid.cells)
    return _without_first_cells(found) if compat == "released" else found


def cell_centres(cell: Tensor, grid: GridOptions, dtype: torch.dtype = torch.float32) -> Tensor:
    """Centres in metres of the cells with the given numbers, (n, 3)."""
    place = torch.stack([cell % grid.columns, cell // grid.columns, torch.zeros_like(cell)], dim=1).to(dtype)
    size = torch.tensor(grid.voxel_m, dtype=dtype, device=cell.device)
    low = torch.tensor(grid.range_m[:3], dtype=dtype, device=cell.device)
    return place * size + (low + size / 2)


def _without_first_cells(found: Occupancy) -> Occupancy:
    kept = torch.ones_like(found.cloud, dtype=torch.bool)
    kept[1:] = found.cloud[1:] == found.cloud[:-1]
    kept[:1] = False
    cell, cloud = found.cell[kept], found.cloud[kept]
    if not len(cell):  # no cell is left to read from
        none = found.cell_of_point[:0]
        return Occupancy(found.points[:0], none, none, none, cell, cloud)
    lost = ~kept[found.cell_of_point]
    number = (torch.cumsum(kept, 0) - 1)[found.cell_of_point]
    written, read = number.masked_fill(lost, len(cell)), number.masked_fill(lost, 0)
    return Occupancy(found.points, found.place_of_point, written, read, cell, cloud)


def _refuse_not_finite(clouds: PackedClouds) -> None:
    finite = torch.isfinite(clouds.points).all(dim=1)
    if not bool(finite.all()):
        faulty = clouds.cloud_index[~finite]
        raise InputError(
            f"{len(faulty)} of {len(finite)} points hold NaN or infinite values, the first in point cloud "
            f"{int(faulty[0])} of the batch.",
            remedy="Drop such points when the scan is read.",
        )
