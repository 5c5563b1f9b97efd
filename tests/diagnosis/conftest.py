from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from making import made_once
from probe4d.scenes.opening import open_scenes
from probe4d.scenes.simulator import simulate
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="session")
def more_scenes(of_session: Path, simulated: Path) -> Scenes:
    """The six scenes of `simulated` and six more: with fewer than ten, a verdict judges by no interval."""
    path = of_session / "more_scenes"
    with made_once(path) as wanted:
        if wanted:
            copied = shutil.copytree(simulated, of_session / "copied")
            simulate(copied, scenes=12, seed=7, cameras=False, workers=2)
            copied.rename(path)
    return open_scenes(path)
