from __future__ import annotations

from pathlib import Path

import pytest

from probe4d.benchmarks.benchmark import Benchmark


@pytest.fixture(scope="session")
def bench(built: Benchmark) -> Path:
    """The folder of `built`."""
    assert built.path
    return built.path
