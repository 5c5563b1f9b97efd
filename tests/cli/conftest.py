from __future__ import annotations

from pathlib import Path

import pytest

from making import made_once
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.scenes.simulator import simulate


@pytest.fixture(scope="session")
def bench(built: Benchmark) -> Path:
    """The folder of `built`."""
    assert built.path
    return built.path


@pytest.fixture(scope="session")
def photographed(of_session: Path) -> Path:
    """A simulated dataset with cameras: one scene, made once for all workers of a session."""
    path = of_session / "photographed"
    with made_once(path) as wanted:
        if wanted:
            simulate(path, scenes=1, seed=7)
    return path
