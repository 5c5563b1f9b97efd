from __future__ import annotations

import subprocess
import sys

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from probe4d.models.lidar_lm.decoding.shuffling import shuffled_order

RECORDED = {
    (42, 40): "22 9 32 15 0 3 8 18 14 13 38 2 7 4 23 37 27 29 35 17 19 25 6 21 12 10 16 39 24 33 11 34 28 20 26 31 30 "
    "36 1 5",
    (43, 41): "13 9 31 34 36 7 4 20 18 6 0 21 32 35 27 15 14 40 39 22 12 30 28 1 17 23 10 11 24 37 26 2 5 29 16 8 33 "
    "25 3 38 19",
    (55, 39): "7 1 0 35 17 26 27 12 28 16 4 2 14 13 25 37 15 30 6 21 5 19 36 10 22 8 24 34 33 23 38 20 31 29 18 3 32 "
    "9 11",
}
"""Of released answers of LiDAR-Hallu, by seed and number of frames."""


def by_torch(frames: int, seed: int) -> tuple[int, ...]:
    return tuple(torch.randperm(frames, generator=torch.Generator("cpu").manual_seed(seed)).tolist())


@pytest.mark.parametrize(("seed", "frames"), RECORDED)
def test_equals_the_recorded_orders(seed: int, frames: int) -> None:
    assert " ".join(map(str, shuffled_order(frames, seed))) == RECORDED[seed, frames]


@pytest.mark.parametrize("frames", [39, 40, 41])
def test_equals_torch_on_ten_thousand_seeds(frames: int) -> None:
    seeds = range(42, 10_042)
    assert [shuffled_order(frames, seed) for seed in seeds] == [by_torch(frames, seed) for seed in seeds]


@given(st.integers(0, 500), st.integers(0, 2**40))
def test_equals_torch_for_any_length_and_seed(frames: int, seed: int) -> None:
    assert shuffled_order(frames, seed) == by_torch(frames, seed)


def test_needs_no_torch() -> None:
    program = "import sys; from probe4d.models.lidar_lm.decoding import shuffling; sys.exit('torch' in sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
