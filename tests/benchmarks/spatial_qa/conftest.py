"""Benchmarks of two recorded scenes, for tests that break them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from mutating import VERSION, Original, Tables
from spatial_mutating import original_of, tables_with_cameras


@pytest.fixture(scope="session")
def recorded(real_data: Callable[[str], Path]) -> Tables:
    """The tables of two scenes of nuScenes mini, some cameras left out."""
    return tables_with_cameras(real_data("nuscenes_mini") / VERSION)


@pytest.fixture(scope="session")
def original(recorded: Tables, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """A sample of questions about them, which call objects by captions."""
    return original_of(recorded, tmp_path_factory.mktemp("captions"), refer="caption")


@pytest.fixture(scope="session")
def lettered(recorded: Tables, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """A sample of questions about them, which call objects by letters."""
    return original_of(recorded, tmp_path_factory.mktemp("letters"), refer="marker")
