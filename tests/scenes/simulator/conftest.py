from __future__ import annotations

from pathlib import Path

import pytest

from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="session")
def opened(simulated: Path) -> Scenes:
    """The shared simulated dataset, opened."""
    return open_scenes(simulated)
