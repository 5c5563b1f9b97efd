from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from making import made_once
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.cli import app, output
from probe4d.errors import Probe4DError
from probe4d.scenes.simulator import simulate


@pytest.fixture(scope="session")
def bench(built: Benchmark) -> Path:
    """The folder of `built`."""
    assert built.path
    return built.path


@pytest.fixture(scope="session")
def photographed(of_session: Path) -> Path:
    """A simulated dataset with cameras: one scene, made once for all workers of a session."""
    path = of_session / "photographed"
    with made_once(path) as wanted:
        if wanted:
            simulate(path, scenes=1, seed=7)
    return path


@pytest.fixture
def here(capsys: pytest.CaptureFixture[str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in this process, where inspect-ai is imported once."""

    def run(*arguments: object) -> subprocess.CompletedProcess[str]:
        try:
            code = app([str(argument) for argument in arguments], standalone_mode=False) or 0
        except Probe4DError as error:
            output.fail(str(error))
            code = error.exit_code
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, code, printed.out, printed.err)

    return run
