"""What an embedding may depend on, what bad clouds do, and what follows the released code only when asked to."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from lidar_encoder_making import TINY, random_cloud, random_encoder

from probe4d.errors import InputError
from probe4d.models.lidar_lm.encoder import EncoderOptions, GridOptions, LidarEncoder, PackedClouds, pack
from probe4d.models.lidar_lm.encoder.grid import occupancy

RELEASED = msgspec.structs.replace(TINY, compat="released")
EMPTY = np.zeros((0, 4), np.float32)
BEYOND = np.array(
    [[50.0, 0.0, 0.0, 0.5], [5.0, 4.0, 0.0, 0.5], [5.0, 0.0, 4.0, 0.5], [-0.1, 0.0, 0.0, 0.5]], np.float32
)
"""Points past the greatest x, at the greatest y and z, which no longer belong to the range, and before the least x."""


@pytest.fixture(scope="module")
def encoder() -> LidarEncoder:
    return random_encoder()


def embedded(encoder: LidarEncoder, clouds) -> np.ndarray:
    with torch.no_grad():
        return encoder(pack(clouds)).numpy()


@settings(max_examples=40)
@given(counts=st.lists(st.integers(0, 300), min_size=1, max_size=5), seed=st.integers(0, 999))
def test_an_embedding_depends_on_its_own_points_in_any_order(encoder, counts, seed):
    clouds = [random_cloud(count, seed + number) for number, count in enumerate(counts)]
    shuffler = np.random.default_rng(seed)
    together = embedded(encoder, [shuffler.permutation(cloud) for cloud in clouds])
    alone = np.concatenate([embedded(encoder, [cloud]) for cloud in clouds])
    np.testing.assert_allclose(together, alone, rtol=0, atol=1e-5)


def test_different_clouds_have_different_embeddings(encoder):
    first, second = embedded(encoder, [random_cloud(200, 1), random_cloud(200, 2)])
    assert np.abs(first - second).max() > 1e-2


def test_local_features_lie_at_the_centres_of_the_occupied_cells(encoder):
    cloud = np.array([[9.9, 3.9, 0, 0], [0.1, -4.9, 0, 0], [0.2, -4.8, 0, 0], [0.1, -4.4, 0, 0]], np.float32)
    with torch.no_grad():
        embeddings, local = encoder.with_local(pack([EMPTY, cloud]))
    np.testing.assert_array_equal(embeddings.numpy(), embedded(encoder, [EMPTY, cloud]))
    assert [tuple(part.features.shape) for part in local] == [(0, TINY.channels), (3, TINY.channels)]
    np.testing.assert_allclose(local[1].centres_m.numpy(), [[0.25, -4.75, 1], [0.25, -4.25, 1], [9.75, 3.75, 1]])


def test_points_out_of_range_change_nothing(encoder):
    cloud = random_cloud(200, 1, beyond_m=0)
    with_more = np.concatenate([BEYOND, cloud])
    np.testing.assert_allclose(embedded(encoder, [with_more]), embedded(encoder, [cloud]), rtol=0, atol=1e-6)


def test_a_cloud_without_points_in_range_is_an_empty_grid(encoder):
    embeddings = embedded(encoder, [EMPTY, random_cloud(50, 1), BEYOND])
    np.testing.assert_array_equal(embeddings[0], embeddings[2])
    np.testing.assert_array_equal(embeddings[0], encoder.pooler.c_proj.bias.detach().numpy())
    np.testing.assert_array_equal(embedded(encoder, [EMPTY])[0], embeddings[0])


@pytest.mark.parametrize("compat", ["paper", "released"])
@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("counts", [[], [0], [1], [0, 1], [1, 1], [2], [0, 0, 5]])
def test_few_points_give_finite_embeddings(compat, training, counts):
    encoder = random_encoder(msgspec.structs.replace(TINY, compat=compat)).train(training)
    clouds = [random_cloud(count, number, beyond_m=-1) for number, count in enumerate(counts)]
    embeddings = embedded(encoder, clouds)
    assert embeddings.shape == (len(counts), TINY.out_channels)
    assert np.isfinite(embeddings).all()


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", [0, 1, 2, 3])
@pytest.mark.parametrize("options", [TINY, RELEASED])
def test_values_that_are_not_finite_are_refused_by_cloud(options, column, value):
    faulty = random_cloud(20, 1)
    faulty[[3, 7], column] = value
    with pytest.raises(InputError, match=r"2 of 25 points hold NaN or infinite values, the first in point cloud 1 "):
        embedded(random_encoder(options), [random_cloud(5, 2), faulty])


@pytest.mark.parametrize("shape", [(4,), (3, 5), (3, 3), (1, 3, 4)])
def test_clouds_of_other_shapes_are_refused(shape):
    with pytest.raises(InputError, match=r"point cloud 1 has the shape .*expected \(points, 4\)"):
        pack([EMPTY, np.zeros(shape, np.float32)])
    with pytest.raises(InputError, match="packed"):
        PackedClouds(torch.zeros(shape), torch.zeros(2, dtype=torch.int64), 1)


def test_clouds_of_any_float_type_and_numbers_outside_the_batch():
    cloud = random_cloud(10, 1)
    packed = pack([cloud.astype(np.float64), torch.from_numpy(cloud), EMPTY])
    assert packed.points.dtype == torch.float32
    assert packed.count == 3
    assert packed.cloud_index.tolist() == [0] * 10 + [1] * 10
    for numbers in ([0, 3], [-1, 0]):
        with pytest.raises(InputError, match="from 0 to 2"):
            PackedClouds(torch.zeros(2, 4), torch.tensor(numbers), 3)


def test_released_clamps_points_into_the_border_cells():
    cloud = np.array([[1.0, 0.0, 0.0, 0.0], [50.0, 9.0, 9.0, 0.0], [-3.0, -9.0, 0.0, 0.0]], np.float32)
    grid = TINY.grid
    assert occupancy(pack([cloud]), grid).cell.tolist() == [10 * grid.columns + 2]
    first, inner, last = 0, 10 * grid.columns + 2, grid.cells - 1
    released = occupancy(pack([cloud]), grid, "released")
    assert released.place_of_point.tolist() == [inner, last, first]
    assert released.cell.tolist() == [inner, last]  # the first is lost


def test_released_loses_the_first_cell_of_every_cloud():
    clouds = [random_cloud(80, seed, beyond_m=0) for seed in (1, 2)]
    kept, all_cells = (occupancy(pack(clouds), TINY.grid, compat) for compat in ("released", "paper"))
    for cloud in (0, 1):
        expected = all_cells.cell[all_cells.cloud == cloud][1:]
        assert kept.cell[kept.cloud == cloud].tolist() == expected.tolist()
    with torch.no_grad():
        _, local = random_encoder(RELEASED).with_local(pack([clouds[0][:1]]))
    assert len(local[0].features) == 0  # a cloud of one cell is as an empty one


def test_released_normalises_by_the_batch_and_forgets_it():
    released, paper = random_encoder(RELEASED), random_encoder()
    first, second = random_cloud(100, 1), random_cloud(100, 2)
    before = released.fingerprint
    alone, beside = embedded(released, [first])[0], embedded(released, [first, second])[0]
    assert np.abs(alone - beside).max() > 1e-3
    assert released.fingerprint == before
    np.testing.assert_allclose(embedded(paper, [first])[0], embedded(paper, [first, second])[0], rtol=0, atol=1e-5)


def test_training_reaches_every_weight_and_running_statistic():
    encoder = random_encoder().train()
    before = encoder.voxel_encoder.vfe_layers[1].norm.running_mean.clone()
    encoder(pack([random_cloud(300, 1), EMPTY, random_cloud(50, 2)])).square().sum().backward()
    without = [name for name, weight in encoder.named_parameters() if weight.grad is None]
    assert without == []
    assert all(weight.grad.isfinite().all() for weight in encoder.parameters())
    unmoved = [name for name, weight in encoder.named_parameters() if not weight.grad.abs().max() > 1e-7]
    assert unmoved in ([], ["pooler.k_proj.bias"])  # the softmax cancels it
    assert not torch.equal(before, encoder.voxel_encoder.vfe_layers[1].norm.running_mean)


def test_training_tells_clouds_apart():
    encoder = random_encoder().train()
    clouds = pack([random_cloud(100, seed) for seed in range(8)])
    targets = torch.randn(8, TINY.out_channels, generator=torch.Generator().manual_seed(1))
    optimizer = torch.optim.Adam(encoder.parameters(), lr=3e-3)
    losses = []
    for _ in range(120):
        optimizer.zero_grad()
        loss = (encoder(clouds) - targets).square().mean()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.2 * losses[0]


def test_mixed_precision_stays_near_full_precision(encoder):
    clouds = pack([random_cloud(200, 1), EMPTY])
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        mixed = encoder(clouds).float()
    with torch.no_grad():
        full = encoder(clouds)
    assert float((mixed - full).abs().max()) < 0.1 * float(full.abs().max())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"channels": 6}, "channels of an encoder must be a multiple of 4, not 6"),
        ({"heads": 3}, "channels of an encoder must be a multiple of 3, not 8"),
        ({"pooling_heads": 5}, "out_channels of an encoder must be a multiple of 5, not 12"),
        ({"window_cells": 5}, "window_cells of an encoder must be even, not 5"),
        ({"blocks": 0}, "blocks of an encoder must be at least 1 and at most 256, not 0"),
    ],
)
def test_sizes_that_cannot_be_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        msgspec.convert(msgspec.to_builtins(TINY) | changes, EncoderOptions)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"voxel_m": (0.3, 0.5, 6)}, "cells of 0.3 m do not divide the range of 0.0 to 40.0 m along x"),
        ({"voxel_m": (0.5, 0.5, 3)}, "one layer of cells, so a cell is 6.0 m high, not 3 m"),
        ({"voxel_m": (0.5, -0.5, 6)}, "positive size"),
        ({"range_m": (0, 20, -2, 40, -20, 4)}, "do not divide the range of 20 to -20 m along y"),
        ({"range_m": (0, -20, -2, float("inf"), 20, 4)}, "finite range"),
    ],
)
def test_grids_that_cannot_be_are_refused(changes, message):
    with pytest.raises(InputError, match=message):
        GridOptions(**changes)
