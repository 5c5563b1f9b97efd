"""Fixtures shared by all tests: test data, simulated scenes, no network."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
REAL_DATA = Path(os.environ.get("PROBE4D_TEST_DATA", ROOT.parent / "shared" / "data"))
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"

for hub in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
    os.environ[hub] = "1"


@pytest.fixture(autouse=True, scope="session")
def _only_loopback() -> object:
    """Refuse every connection that leaves this machine."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            host = str(address[0]) if isinstance(address, tuple) else str(address)
            if host not in ("localhost", "::1") and not host.startswith("127."):
                raise RuntimeError(f"a test tried to reach {host}")
        connect(self, address)  # type: ignore[arg-type]

    socket.socket.connect = guarded  # type: ignore[method-assign]
    yield
    socket.socket.connect = connect  # type: ignore[method-assign]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """One cache for the test session, never the user's."""
    monkeypatch.setenv("PROBE4D_CACHE", str(tmp_path_factory.getbasetemp() / "cache"))


@pytest.fixture(scope="session")
def real_data() -> Callable[[str], Path]:
    """Give the path of a real test dataset, or skip with the reason."""

    def find(name: str) -> Path:
        path = REAL_DATA / name
        if not path.exists():
            pytest.skip(f"real test data {name!r} not found in {REAL_DATA}; set PROBE4D_TEST_DATA")
        return path

    return find


@pytest.fixture(scope="session")
def peers() -> Callable[..., None]:
    """Run a script of tests/peers with nuscenes-devkit's own Python, or skip with the reason."""

    def run(script: str, *arguments: object) -> None:
        if not PEERS_PYTHON.exists():
            pytest.skip("nuscenes-devkit not found in .venv-peers; run `make peers`")
        command = [str(PEERS_PYTHON), str(ROOT / "tests" / "peers" / script), *map(str, arguments)]
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=600)

    return run


@pytest.fixture(scope="session")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small simulated dataset without cameras: six scenes, made once a session and worker."""
    path = tmp_path_factory.mktemp("simulated")
    from probe4d.scenes.simulator import simulate

    simulate(path, scenes=6, seed=7, cameras=False)
    return path


@pytest.fixture(scope="session")
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in a process of its own, as a user would."""

    def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "probe4d", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=600,
            **options,  # type: ignore[call-overload]
        )

    return run
