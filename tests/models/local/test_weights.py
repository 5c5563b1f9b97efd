"""Weights by name: all of them fit and are numbers, or none is taken."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from probe4d.errors import InputError
from probe4d.models.local.weights import fill, read_weights


def test_weights_are_filled_in_all_or_none() -> None:
    layer = torch.nn.Linear(2, 2)
    before = layer.weight.detach().clone()
    wrong = {"weight": torch.ones(2, 2), "bias": torch.full((2,), torch.nan)}
    with pytest.raises(InputError, match="bias holds NaN"):
        fill(layer.state_dict(), wrong, Path("file"), remedy="")
    assert torch.equal(layer.weight, before)


@pytest.mark.parametrize("dtype", [torch.int8, torch.int64, torch.float8_e4m3fn, torch.complex64])
def test_weights_of_another_kind_of_number_are_refused(dtype: torch.dtype) -> None:
    with pytest.raises(InputError, match=rf"weight has the dtype {dtype}; expected torch\.float32"):
        fill({"weight": torch.zeros(2)}, {"weight": torch.zeros(2).to(dtype)}, Path("file"), remedy="")


def test_many_weights_that_do_not_fit_are_counted() -> None:
    targets = {f"layer{n}": torch.zeros(1) for n in range(8)}
    with pytest.raises(InputError, match="lacks 8 weights: layer0, layer1, layer2, layer3, layer4 and 3 more"):
        fill(targets, {}, Path("file"), remedy="")


@pytest.mark.parametrize("held", [[torch.zeros(1)], {"a": 1}, {1: torch.zeros(1)}, torch.zeros(2)])
def test_a_file_of_anything_but_weights_by_name_is_refused(tmp_path: Path, held: object) -> None:
    torch.save(held, tmp_path / "weights.bin")
    with pytest.raises(InputError, match="no dictionary of weights by name"):
        read_weights(tmp_path / "weights.bin")


def test_a_weight_that_claims_more_than_its_file_holds_is_refused(tmp_path: Path) -> None:
    torch.save({"weight": torch.zeros(1).expand(10**13)}, tmp_path / "weights.bin")
    with pytest.raises(InputError, match="does not hold all numbers of 1 weight: weight"):
        read_weights(tmp_path / "weights.bin")
