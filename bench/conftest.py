"""What the tests are made with serves the comparisons too."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
sys.path += [str(TESTS / folder) for folder in (".", "models", "models/lidar_lm", "runs")]

TEST_DATA = Path(os.environ.get("PROBE4D_TEST_DATA", ROOT.parent / "shared" / "data"))
GENERATOR = TEST_DATA.parent / "tools" / "make_nuscenes_tables.py"


@pytest.fixture(scope="session")
def generated() -> Callable[[Path, int], Path]:
    """Write tables of the size of nuScenes, or skip with the reason."""

    def write(root: Path, scenes: int) -> Path:
        if not GENERATOR.exists():
            pytest.skip(f"the generator of tables was not found at {GENERATOR}; set PROBE4D_TEST_DATA")
        command = [sys.executable, str(GENERATOR), str(root), "--scenes", str(scenes), "--version", "v1.0-trainval"]
        subprocess.run(command, check=True, capture_output=True)
        return root

    return write
