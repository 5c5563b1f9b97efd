"""What the tests are made with serves the comparisons too."""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(TESTS / folder) for folder in (".", "models", "models/lidar_lm", "runs")]
