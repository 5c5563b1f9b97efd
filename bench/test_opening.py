"""How long opening and reopening take, and how much memory, beside nuscenes-devkit in the same run.

`PROBE4D_BENCH_SCENES` sets the number of scenes (85 by default; 850 is the size of nuScenes trainval and
takes 3.2 GB of disk). Ratios are printed, not asserted: they depend on the machine and what else it does.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
SCENES = int(os.environ.get("PROBE4D_BENCH_SCENES", "85"))

OPEN = """
from probe4d.scenes.opening import open_scenes
def work(): return open_scenes({root!r}).boxes.height
"""
DEVKIT = """
from nuscenes.nuscenes import NuScenes
def work(): return len(NuScenes(version="v1.0-trainval", dataroot={root!r}, verbose=False).sample_annotation)
"""
MEASURE = """
import re, time
start = time.perf_counter()
boxes = work()
seconds = time.perf_counter() - start
# Not getrusage: its ru_maxrss begins with the memory of the process that started this one.
print(boxes, seconds, re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


class Measured(NamedTuple):
    """One opening in a process of its own, imports left out of the time and not of the memory."""

    boxes: int
    seconds: float
    peak_mib: float


@pytest.fixture(scope="module")
def dataroot(generated: Callable[[Path, int], Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return generated(tmp_path_factory.mktemp("tables"), SCENES)


@pytest.fixture
def measure(dataroot: Path, tmp_path: Path) -> Callable[[Path, str], Measured]:
    def run(python: Path, setting: str) -> Measured:
        script = setting.format(root=str(dataroot)) + MEASURE
        environment = os.environ | {"PROBE4D_CACHE": str(tmp_path / "cache")}
        done = subprocess.run([str(python), "-c", script], check=True, capture_output=True, text=True, env=environment)
        boxes, seconds, peak_kib = done.stdout.split()[-3:]
        return Measured(int(boxes), float(seconds), int(peak_kib) / 1024)

    return run


def test_opening_beside_nuscenes_devkit(measure: Callable[[Path, str], Measured]) -> None:
    if not PEERS_PYTHON.exists():
        pytest.skip("nuscenes-devkit not found in .venv-peers; run `make peers`")
    peer = measure(PEERS_PYTHON, DEVKIT)
    first = measure(Path(sys.executable), OPEN)
    again = min((measure(Path(sys.executable), OPEN) for _ in range(3)), key=lambda measured: measured.seconds)
    assert peer.boxes == first.boxes == again.boxes
    print(f"\n{SCENES} scenes, {peer.boxes} boxes")
    for name, measured in (("nuscenes-devkit", peer), ("first opening", first), ("reopening", again)):
        faster, leaner = peer.seconds / measured.seconds, peer.peak_mib / measured.peak_mib
        print(
            f"{name:16} {measured.seconds:8.3f} s ({faster:6.1f} times as fast), "
            f"peak {measured.peak_mib:6.0f} MiB (1/{leaner:.1f})"
        )
