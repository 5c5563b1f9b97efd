"""STRIDE questions about simulated scenes, built once."""

from __future__ import annotations

from pathlib import Path

import pytest
from stride_making import with_cameras

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.stride.build import build
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="session")
def seen(scenes: Scenes) -> Scenes:
    """Three of the simulated scenes, with cameras."""
    return with_cameras(scenes.select(scenes.names[:3]))


@pytest.fixture(scope="session")
def stride(seen: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """A benchmark of all templates that need no labels, fifteen questions of each, five a scene."""
    path: Path = tmp_path_factory.mktemp("stride") / "bench"
    return build(seen, path, templates="all", per_template=15)
