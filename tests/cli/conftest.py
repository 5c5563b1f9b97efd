from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from unittest import mock

import pytest

from making import made_once
from probe4d.benchmarks.benchmark import Benchmark
from probe4d.cli import main, output
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
    """`command` without a process of its own: all of the command line runs in this one, which imports things once."""

    def run(
        *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        logger = logging.getLogger("probe4d")
        capsys.readouterr()
        with pytest.MonkeyPatch.context() as patch, mock.patch.dict(os.environ, env or {}):
            patch.setattr(sys, "argv", ["probe4d", *map(str, arguments)])
            patch.setattr(output, "settings", type(output.settings)())
            patch.setattr(logger, "handlers", [*logger.handlers])
            if cwd:
                patch.chdir(cwd)
            with pytest.raises(SystemExit) as ended:
                main()
        printed = capsys.readouterr()
        return subprocess.CompletedProcess(arguments, ended.value.code or 0, printed.out, printed.err)

    return run
