"""The vectorised encoder against versions that loop over points, cells, windows and heads."""

from __future__ import annotations

import lidar_encoder_loops as loops
import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from lidar_encoder_making import TINY, random_cloud, random_encoder

from probe4d.models.lidar_lm.encoder import EncoderOptions, GridOptions, pack
from probe4d.models.lidar_lm.encoder.grid import occupancy
from probe4d.models.lidar_lm.encoder.window_attention import partition

RELEASED_SIZES = EncoderOptions()
CLOSE = {"rtol": 0, "atol": 1e-5}


def cells_of(occupied, grid) -> list[loops.Cell]:
    return [
        (int(cloud), int(cell) // grid.columns, int(cell) % grid.columns)
        for cloud, cell in zip(occupied.cloud, occupied.cell, strict=True)
    ]


def stacked(features: dict[loops.Cell, np.ndarray]) -> np.ndarray:
    return np.array(list(features.values()))


@pytest.fixture(scope="module")
def clouds() -> list[np.ndarray]:
    """An empty one among them, one of a single point, and one that fills whole windows."""
    return [
        random_cloud(60, 1),
        np.zeros((0, 4), np.float32),
        random_cloud(1, 2, beyond_m=-1),
        random_cloud(1500, 3, beyond_m=0),
        random_cloud(40, 4),
    ]


@pytest.mark.parametrize("compat", ["paper", "released"])
def test_voxel_features_are_those_of_the_loop(clouds, compat):
    encoder = random_encoder(msgspec.structs.replace(TINY, compat=compat))
    occupied = occupancy(pack(clouds), TINY.grid, compat)
    expected = loops.voxel_features(clouds, loops.weights_of(encoder.voxel_encoder), TINY.grid, compat)
    with torch.no_grad():
        features = encoder.voxel_encoder(occupied)
    assert cells_of(occupied, TINY.grid) == list(expected)
    np.testing.assert_allclose(features.numpy(), stacked(expected), **CLOSE)


def test_window_attention_is_that_of_the_loop():
    encoder = random_encoder()
    occupied = occupancy(pack([random_cloud(count, count, beyond_m=0) for count in (40, 500, 2500)]), TINY.grid)
    features = torch.randn(len(occupied.cell), TINY.channels, generator=torch.Generator().manual_seed(6))
    by_cell = dict(zip(cells_of(occupied, TINY.grid), features.double().numpy(), strict=True))
    expected = loops.window_attention(by_cell, loops.weights_of(encoder.backbone), TINY)
    with torch.no_grad():
        attended = encoder.backbone(features, occupied)
    buckets = partition(occupied, TINY.grid.columns, TINY.window_cells, 0).buckets
    assert {bucket.filled.shape[1] for bucket in buckets} == {16, 32, 36}  # windows of every size take part
    np.testing.assert_allclose(attended.numpy(), stacked(expected), **CLOSE)


def test_pooling_is_that_of_the_loop(clouds):
    encoder = random_encoder()
    occupied = occupancy(pack(clouds), TINY.grid)
    features = torch.randn(len(occupied.cell), TINY.channels, generator=torch.Generator().manual_seed(6))
    by_cell = dict(zip(cells_of(occupied, TINY.grid), features.double().numpy(), strict=True))
    with torch.no_grad():
        embeddings = encoder.pooler(features, occupied, len(clouds))
    for cloud in (0, 2, 3, 4):
        own = {cell: value for cell, value in by_cell.items() if cell[0] == cloud}
        expected = loops.pooled(own, cloud, loops.weights_of(encoder.pooler), TINY)
        np.testing.assert_allclose(embeddings[cloud].numpy(), expected, **CLOSE)


@pytest.mark.parametrize("compat", ["paper", "released"])
def test_encoder_of_released_sizes_is_the_loops_one_after_another(compat):
    options = msgspec.structs.replace(RELEASED_SIZES, compat=compat)
    encoder = random_encoder(options)
    clouds = [random_cloud(30, 7, options), random_cloud(12, 8, options)]
    features = loops.voxel_features(clouds, loops.weights_of(encoder.voxel_encoder), options.grid, compat)
    features = loops.window_attention(features, loops.weights_of(encoder.backbone), options)
    with torch.no_grad():
        embeddings, local = encoder.with_local(pack(clouds))
    for cloud in range(2):
        own = {cell: value for cell, value in features.items() if cell[0] == cloud}
        np.testing.assert_allclose(local[cloud].features.numpy(), stacked(own), **CLOSE)
        expected = loops.pooled(own, cloud, loops.weights_of(encoder.pooler), options)
        np.testing.assert_allclose(embeddings[cloud].numpy(), expected, **CLOSE)


coordinate = st.one_of(
    st.sampled_from([-5.0, -2.0, -1e-6, 0.0, 0.5, 4.0, 9.75, 10.0, -0.0, 3.9999998, 1e30]),
    st.floats(-8, 12, width=32),
)
points = st.lists(st.tuples(coordinate, coordinate, coordinate, st.floats(0, 1, width=32)), max_size=30)


@settings(max_examples=60)
@given(clouds=st.lists(points, min_size=1, max_size=4), compat=st.sampled_from(["paper", "released"]))
def test_occupied_cells_are_those_of_the_loop(clouds, compat):
    arrays = [np.array(cloud, np.float32).reshape(-1, 4) for cloud in clouds]
    expected = loops.points_in_cells(arrays, TINY.grid, compat)
    lost = loops.lost_cells(expected) if compat == "released" else set()
    occupied = occupancy(pack(arrays), TINY.grid, compat)
    cells = cells_of(occupied, TINY.grid)
    assert cells == [cell for cell in expected if cell not in lost]
    if cells:
        taken = [occupied.points[occupied.cell_of_point == row].double().numpy() for row in range(len(cells))]
        for cell, rows in zip(cells, taken, strict=True):
            np.testing.assert_array_equal(rows, np.array(expected[cell]))
        assert sum(map(len, taken)) == sum(len(rows) for cell, rows in expected.items() if cell not in lost)


@settings(max_examples=30)
@given(
    count=st.integers(0, 400),
    seed=st.integers(0, 99),
    window_cells=st.sampled_from([2, 4, 6, 12, 20]),
    shifted=st.booleans(),
)
def test_every_cell_lies_in_its_window_once_and_padding_is_bounded(count, seed, window_cells, shifted):
    shift = window_cells // 2 if shifted else 0
    occupied = occupancy(pack([random_cloud(count, seed), random_cloud(count // 2, seed + 1)]), TINY.grid)
    cells = cells_of(occupied, TINY.grid)
    windows = partition(occupied, TINY.grid.columns, window_cells, shift)
    found = []
    for bucket in windows.buckets:
        for members, filled in zip(bucket.members, bucket.filled, strict=True):
            found.append([cells[row] for row in members[filled].tolist()])
    expected = loops.windows_of(cells, window_cells, shift).values()
    assert sorted(map(sorted, found)) == sorted(map(sorted, expected))
    padded = sum(bucket.members.numel() for bucket in windows.buckets)
    assert padded <= 2 * len(cells) + 16 * len(found)


def test_grid_of_a_wide_range_counts_cells_by_row():
    grid = GridOptions(range_m=(-40, -20, -2, 40, 20, 4), voxel_m=(1, 0.5, 6))
    assert (grid.columns, grid.rows, grid.cells) == (80, 80, 6400)
    cloud = np.array([[-39.5, -19.9, 0, 0], [39.5, 19.9, 0, 0], [0.5, 0.1, 0, 0]], np.float32)
    assert occupancy(pack([cloud]), grid).cell.tolist() == [0, 40 * 80 + 40, 6399]
