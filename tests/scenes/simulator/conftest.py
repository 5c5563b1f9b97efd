from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from probe4d.scenes.opening import open_scenes
from probe4d.scenes.tables import Scenes


@pytest.fixture(scope="session")
def opened(simulated: Path) -> Scenes:
    """The shared simulated dataset, opened."""
    return open_scenes(simulated)


@pytest.fixture(scope="session")
def contents() -> Callable[[Path], dict[str, bytes]]:
    """Give every file below a folder, hidden ones too, by relative path."""

    def read(root: Path) -> dict[str, bytes]:
        return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}

    return read
