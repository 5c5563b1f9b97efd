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


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep inspect-ai from drawing, and what it leaves in a folder of the test."""
    monkeypatch.setenv("INSPECT_DISPLAY", "none")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
