"""What the LiDAR encoder computes, point by point and cell by cell, in float64: the reference of its tests."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import torch
from scipy.special import erf

Weights = dict[str, np.ndarray]
Cell = tuple[int, int, int]  # cloud, row of y, column of x: the order in which cells are sorted


def weights_of(module: torch.nn.Module) -> Weights:
    return {name: value.double().numpy() for name, value in module.state_dict().items()}


def cell_of(point: np.ndarray, grid, compat: str) -> tuple[int, int] | None:
    """Row and column of the cell a point lies in; null out of range."""
    low, high = grid.range_m[:3], grid.range_m[3:]
    place = [
        math.floor((np.float32(point[axis]) - np.float32(low[axis])) / np.float32(grid.voxel_m[axis]))
        for axis in (0, 1)
    ]
    if compat == "released":
        return min(max(place[1], 0), grid.rows - 1), min(max(place[0], 0), grid.columns - 1)
    inside = 0 <= place[0] < grid.columns and 0 <= place[1] < grid.rows and low[2] <= point[2] < high[2]
    return (place[1], place[0]) if inside else None


def points_in_cells(clouds, grid, compat: str) -> dict[Cell, list[np.ndarray]]:
    cells: dict[Cell, list[np.ndarray]] = defaultdict(list)
    for cloud, points in enumerate(clouds):
        for point in np.asarray(points, dtype=np.float32):
            cell = cell_of(point, grid, compat)
            if cell is not None:
                cells[(cloud, *cell)].append(point.astype(np.float64))
    return dict(sorted(cells.items()))


def lost_cells(cells) -> set[Cell]:
    """The first cell of every cloud."""
    first: dict[int, Cell] = {}
    for cell in cells:
        first.setdefault(cell[0], cell)
    return set(first.values())


def voxel_features(clouds, weights: Weights, grid, compat: str) -> dict[Cell, np.ndarray]:
    cells = points_in_cells(clouds, grid, compat)
    lost = lost_cells(cells) if compat == "released" else set()
    kept = [cell for cell in cells if cell not in lost]
    if not kept:
        return {}
    read_from = {cell: kept[0] if cell in lost else cell for cell in cells}
    rows, owners = [], []
    for cell, points in cells.items():
        mean = np.mean(cells[read_from[cell]], axis=0)[:3]
        centre = [
            grid.range_m[0] + (cell[2] + 0.5) * grid.voxel_m[0],
            grid.range_m[1] + (cell[1] + 0.5) * grid.voxel_m[1],
            grid.range_m[2] + 0.5 * grid.voxel_m[2],
        ]
        for point in points:
            rows.append([*point, *(point[:3] - mean), *(point[:3] - centre)])
            owners.append(cell)
    first = layer_of_points(np.array(rows), weights, 0, compat)
    of_cells = greatest(first, owners, kept)
    joined = [np.concatenate([row, of_cells[read_from[cell]]]) for row, cell in zip(first, owners, strict=True)]
    return greatest(layer_of_points(np.array(joined), weights, 1, compat), owners, kept)


def layer_of_points(rows: np.ndarray, weights: Weights, number: int, compat: str) -> np.ndarray:
    prefix = f"vfe_layers.{number}"
    values = rows @ weights[f"{prefix}.linear.weight"].T
    mean, variance = weights[f"{prefix}.norm.running_mean"], weights[f"{prefix}.norm.running_var"]
    if compat == "released" and len(rows) > 1:
        mean, variance = values.mean(axis=0), values.var(axis=0)
    values = (values - mean) / np.sqrt(variance + 1e-3)
    return np.maximum(values * weights[f"{prefix}.norm.weight"] + weights[f"{prefix}.norm.bias"], 0)


def greatest(rows: np.ndarray, owners: list[Cell], kept: list[Cell]) -> dict[Cell, np.ndarray]:
    return {
        cell: np.max([row for row, owner in zip(rows, owners, strict=True) if owner == cell], axis=0) for cell in kept
    }


def window_attention(features: dict[Cell, np.ndarray], weights: Weights, options) -> dict[Cell, np.ndarray]:
    for block in range(options.blocks):
        for layer, shift in enumerate((options.window_cells, options.window_cells // 2)):
            prefix = f"block_list.{block}.encoder_list.{layer}"
            own = {name.removeprefix(f"{prefix}."): value for name, value in weights.items() if name.startswith(prefix)}
            attended = attention_in_windows(features, own, options, shift)
            features = {cell: after_attention(features[cell], attended[cell], own) for cell in features}
    return features


def windows_of(cells, window_cells: int, shift: int) -> dict[Cell, list[Cell]]:
    windows = defaultdict(list)
    for cloud, row, column in cells:
        windows[(cloud, (row + shift) // window_cells, (column + shift) // window_cells)].append((cloud, row, column))
    return windows


def attention_in_windows(features, own: Weights, options, shift: int) -> dict[Cell, np.ndarray]:
    channels, size = options.channels, options.channels // options.heads
    weight, bias = own["win_attn.self_attn.in_proj_weight"], own["win_attn.self_attn.in_proj_bias"]
    attended = {}
    for members in windows_of(features, options.window_cells, shift).values():
        seen = {cell: features[cell] + position(cell, options, shift) for cell in members}
        for cell in members:
            query = weight[:channels] @ seen[cell] + bias[:channels]
            heads = []
            for head in range(options.heads):
                part = slice(head * size, (head + 1) * size)
                keys = [
                    (weight[channels : 2 * channels] @ seen[k] + bias[channels : 2 * channels])[part] for k in members
                ]
                values = [(weight[2 * channels :] @ features[k] + bias[2 * channels :])[part] for k in members]
                scores = np.exp([query[part] @ key / math.sqrt(size) for key in keys])
                heads.append(sum(s * v for s, v in zip(scores / scores.sum(), values, strict=True)))
            mixed = np.concatenate(heads)
            attended[cell] = own["win_attn.self_attn.out_proj.weight"] @ mixed + own["win_attn.self_attn.out_proj.bias"]
    return attended


def position(cell: Cell, options, shift: int) -> np.ndarray:
    half = options.channels // 2
    embedding = []
    for coordinate in (cell[2], cell[1]):  # x, then y
        offset = (coordinate + shift) % options.window_cells - options.window_cells / 2
        for channel in range(half):
            angle = offset / 10000 ** (2 * (channel // 2) / half)
            embedding.append(math.sin(angle) if channel % 2 == 0 else math.cos(angle))
    return np.array(embedding)


def after_attention(features: np.ndarray, attended: np.ndarray, own: Weights) -> np.ndarray:
    first = layer_norm(features + attended, own["norm1.weight"], own["norm1.bias"])
    inner = own["linear1.weight"] @ first + own["linear1.bias"]
    inner = inner * (1 + erf(inner / math.sqrt(2))) / 2
    second = first + own["linear2.weight"] @ inner + own["linear2.bias"]
    return layer_norm(second, own["norm2.weight"], own["norm2.bias"])


def layer_norm(values: np.ndarray, weight: np.ndarray, bias: np.ndarray) -> np.ndarray:
    return (values - values.mean()) / math.sqrt(values.var() + 1e-5) * weight + bias


def pooled(features: dict[Cell, np.ndarray], cloud: int, weights: Weights, options) -> np.ndarray:
    """Over all cells of the grid, the empty ones masked, as CLIP's attention pooling."""
    grid, width = options.grid, options.out_channels
    cells = [(cloud, row, column) for row in range(grid.rows) for column in range(grid.columns)]
    empty = np.zeros(options.channels)
    tokens = [weights["in_proj.weight"] @ features.get(cell, empty) + weights["in_proj.bias"] for cell in cells]
    tokens = np.array([np.mean(tokens, axis=0), *tokens]) + weights["positional_embedding"]
    query = weights["q_proj.weight"] @ tokens[0] + weights["q_proj.bias"]
    keys = tokens[1:] @ weights["k_proj.weight"].T + weights["k_proj.bias"]
    values = tokens[1:] @ weights["v_proj.weight"].T + weights["v_proj.bias"]
    size = width // options.pooling_heads
    mixed = np.zeros(width)
    for head in range(options.pooling_heads):
        part = slice(head * size, (head + 1) * size)
        scores = [
            keys[i, part] @ query[part] / math.sqrt(size) if c in features else -math.inf for i, c in enumerate(cells)
        ]
        shares = np.exp(np.array(scores) - max(scores))
        mixed[part] = shares / shares.sum() @ values[:, part]
    return weights["c_proj.weight"] @ mixed + weights["c_proj.bias"]
