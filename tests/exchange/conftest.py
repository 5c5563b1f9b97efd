from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from small_release import Release


@pytest.fixture
def release(tmp_path: Path) -> Release:
    return Release(tmp_path / "release")


@pytest.fixture
def releases(tmp_path: Path) -> Callable[[str], Release]:
    return lambda name: Release(tmp_path / name)
