"""What an encoder is like: the grid it lays over a cloud, its sizes, and whose behaviour it follows."""

from __future__ import annotations

import math
from typing import Literal

import msgspec

from probe4d.errors import InputError

__all__ = ["Compat", "EncoderOptions", "GridOptions"]

Compat = Literal["paper", "released"]

_MOST = {"blocks": 256, "window_cells": 256}
_MOST_OF_OTHERS, _MOST_CELLS_ALONG_AN_AXIS = 2**16, 2**12
"""Far above what anybody trains, they keep what a damaged file says from being allocated."""


class GridOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The bird's-eye grid of an encoder: one layer of cells, each as high as the range.

    The defaults are LidarCLIP's: 80 x 80 cells of half a metre before a sensor that looks along x.

    Attributes:
        range_m: Least x, y, z and greatest x, y, z, in metres, in the axes of the clouds; the least belongs to the
            grid, the greatest does not.
        voxel_m: Size of a cell along x, y and z, in metres; divides the range.
    """

    range_m: tuple[float, float, float, float, float, float] = (0.0, -20.0, -2.0, 40.0, 20.0, 4.0)
    voxel_m: tuple[float, float, float] = (0.5, 0.5, 6.0)

    def __post_init__(self) -> None:
        if not all(map(math.isfinite, self.range_m + self.voxel_m)) or min(self.voxel_m) <= 0:
            raise InputError(f"a grid needs a finite range and cells of positive size, not {self}.")
        for axis, (low, high, size) in enumerate(zip(self.range_m[:3], self.range_m[3:], self.voxel_m, strict=True)):
            cells = (high - low) / size
            if not 0.5 <= cells <= _MOST_CELLS_ALONG_AN_AXIS or abs(cells - round(cells)) > 1e-6:
                raise InputError(
                    f"cells of {size} m do not divide the range of {low} to {high} m along {'xyz'[axis]} into 1 to "
                    f"{_MOST_CELLS_ALONG_AN_AXIS:,} cells."
                )
        if round((self.range_m[5] - self.range_m[2]) / self.voxel_m[2]) != 1:
            raise InputError(
                f"the encoder has one layer of cells, so a cell is {self.range_m[5] - self.range_m[2]} m high, "
                f"not {self.voxel_m[2]} m."
            )

    @property
    def columns(self) -> int:
        """Cells along x."""
        return round((self.range_m[3] - self.range_m[0]) / self.voxel_m[0])

    @property
    def rows(self) -> int:
        """Cells along y."""
        return round((self.range_m[4] - self.range_m[1]) / self.voxel_m[1])

    @property
    def cells(self) -> int:
        """Cells of the grid; cell `row * columns + column` lies at that row of y and column of x."""
        return self.rows * self.columns


class EncoderOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Sizes of a `LidarEncoder`; the defaults are those of LidarCLIP for CLIP ViT-L/14.

    Attributes:
        grid: The bird's-eye grid.
        point_channels: Width of the first of the two layers of voxel features.
        channels: Width of a cell's features; a multiple of 4 and of `heads`.
        blocks: Blocks of the backbone, each of one layer in windows and one in windows shifted by half a window.
        heads: Heads of the attention in windows.
        feedforward_channels: Width inside the feed-forward part of a layer.
        window_cells: Side of a window, in cells; even.
        out_channels: Width of the embedding, that of the CLIP model it imitates; a multiple of `pooling_heads`.
        pooling_heads: Heads of the attention pooling.
        compat: `paper` follows the stated intent; `released` the behaviour of the released extraction: points out of
            range are clamped into the border cells, the first occupied cell of each cloud is lost, and voxel
            features are normalised by the statistics of the batch at hand (see design/lidar-encoder.md).
    """

    grid: GridOptions = GridOptions()
    point_channels: int = 64
    channels: int = 128
    blocks: int = 4
    heads: int = 8
    feedforward_channels: int = 256
    window_cells: int = 12
    out_channels: int = 768
    pooling_heads: int = 8
    compat: Compat = "paper"

    def __post_init__(self) -> None:
        sizes = {name: getattr(self, name) for name in self.__struct_fields__ if name not in ("grid", "compat")}
        for name, size in sizes.items():
            most = _MOST.get(name, _MOST_OF_OTHERS)
            if not 1 <= size <= most:
                raise InputError(f"{name} of an encoder must be at least 1 and at most {most:,}, not {size}.")
        for name, divisor in (("channels", 4), ("channels", self.heads), ("out_channels", self.pooling_heads)):
            if sizes[name] % divisor:
                raise InputError(f"{name} of an encoder must be a multiple of {divisor}, not {sizes[name]}.")
        if self.window_cells % 2:
            raise InputError(f"window_cells of an encoder must be even, not {self.window_cells}.")
