"""STRIDE questions about simulated scenes, built once."""

from __future__ import annotations

from pathlib import Path

import pytest
from mutating import Original
from simulated_tables import SIMULATED_SCENES, simulated_tables
from stride_making import with_cameras
from stride_tables import built_of, labels_of

from probe4d.benchmarks.benchmark import Benchmark
from probe4d.benchmarks.suites import build
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="session")
def seen(scenes: Scenes) -> Scenes:
    """Three of the simulated scenes, with cameras."""
    return with_cameras(scenes.select(scenes.names[:3]))


@pytest.fixture(scope="session")
def stride(seen: Scenes, tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """A benchmark of all templates that need no labels, fifteen questions of each, five a scene."""
    path: Path = tmp_path_factory.mktemp("stride") / "bench"
    return build("stride", seen, path, templates="all", per_template=15)


@pytest.fixture(scope="session")
def original(simulated: Path, tmp_path_factory: pytest.TempPathFactory) -> Original:
    """Tables of two of the simulated scenes with cameras and labels, and questions of all templates about them."""

    def build_with_labels(root: Path) -> Benchmark:
        labels = labels_of(root, root / "labels.csv")
        return built_of(root, per_template=10, most_per_scene=5, labels=labels, ego_history="text")

    (folder,) = simulated.glob("v1.0-*")
    return Original(simulated_tables(folder, SIMULATED_SCENES), tmp_path_factory.mktemp("tables"), build_with_labels)
