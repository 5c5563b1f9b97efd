"""Fixtures shared by all tests: test data, simulated scenes, no network."""

from __future__ import annotations

import logging
import multiprocessing
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from hypothesis import settings

from making import made_once

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext

    from probe4d.benchmarks.benchmark import Benchmark
    from probe4d.scenes.tables import Scenes

ROOT = Path(__file__).parents[1]
REAL_DATA = Path(os.environ.get("PROBE4D_TEST_DATA", ROOT.parent / "shared" / "data"))
PEERS_PYTHON = ROOT / ".venv-peers" / "bin" / "python"
OFFLINE = ROOT / "tests" / "offline"
SERVERS = ROOT / "tests" / "models"
REQUIRE_ALL = os.environ.get("PROBE4D_REQUIRE_ALL") == "1"
"""Set in CI: a test that would be skipped fails."""

sys.path.insert(0, str(OFFLINE))
import sitecustomize  # noqa: E402, F401 - this process has its own from elsewhere, or none

sys.path.insert(0, str(SERVERS))
from fake_server import FakeServer  # noqa: E402

os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(OFFLINE), os.environ.get("PYTHONPATH")]))
for hub in ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE", "HF_DATASETS_OFFLINE"):
    os.environ[hub] = "1"
# A core for each worker and each process that it starts: threads of torch that wait for each other keep cores busy.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# No example has to be fast: other work on the machine would fail it. Where everything is required, examples are fixed.
usual = settings.get_profile(settings.get_current_profile_name())
settings.register_profile("unhurried", usual, deadline=None, derandomize=usual.derandomize or REQUIRE_ALL)
settings.load_profile("unhurried")


LONG = (
    "tests/real_models/",
    "test_key_canary.py",
    "test_example_learn.py",
    "test_killed_runs.py",
    "test_train_encoder.py",
    "_in_chromium.py",
)
"""Of which files tests take longest: no worker begins with them when the others have nothing left to do."""


def pytest_configure(config: pytest.Config) -> None:
    """Let workers take files in the order of the collection, not those with most tests first."""
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put the longest files first; where everything is required, see that there are tests of every kind."""
    items.sort(key=lambda item: not any(part in item.nodeid for part in LONG))
    if REQUIRE_ALL and not config.option.file_or_dir:
        found = {mark.name for item in items for mark in item.iter_markers()}
        missing = {"real_data", "browser", "peer"} - found
        if missing:
            raise pytest.UsageError(f"no test is marked {', '.join(sorted(missing))}")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Where everything is required, a skipped test has failed."""
    outcome = yield
    report = outcome.get_result()  # type: ignore[attr-defined]  # pluggy's result, which pytest does not export
    if REQUIRE_ALL and report.skipped:
        report.outcome = "failed"
        report.longrepr = f"{item.nodeid} was skipped, and PROBE4D_REQUIRE_ALL is set: {report.longrepr[2]}"


@pytest.fixture(scope="session")
def of_session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a session share."""
    folder = tmp_path_factory.getbasetemp()
    return folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder


@pytest.fixture(scope="session", autouse=True)
def _own_cache(of_session: Path) -> Iterator[None]:
    """One cache for the test session, never the user's; for what fixtures of a session or a module open, too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PROBE4D_CACHE", str(of_session / "cache"))
        yield


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
def simulated(of_session: Path) -> Path:
    """A small simulated dataset without cameras: six scenes, made once for all workers of a session."""
    from probe4d.scenes.simulator import simulate

    path = of_session / "simulated"
    with made_once(path) as wanted:
        if wanted:
            simulate(path, scenes=6, seed=7, cameras=False, workers=2)
    return path


@pytest.fixture(scope="session")
def photographed(of_session: Path) -> Path:
    """A simulated dataset with cameras: one scene, made once for all workers of a session."""
    from probe4d.scenes.simulator import simulate

    path = of_session / "photographed"
    with made_once(path) as wanted:
        if wanted:
            simulate(path, scenes=1, seed=7)
    return path


@pytest.fixture(scope="session")
def scenes(simulated: Path) -> Scenes:
    """`simulated`, opened."""
    from probe4d.scenes.opening import open_scenes

    return open_scenes(simulated)


@pytest.fixture(scope="session")
def built(of_session: Path, scenes: Scenes) -> Benchmark:
    """A hundred questions about `simulated`, twenty of each family, made once for all workers of a session."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.benchmarks.suites import build

    path = of_session / "built"
    with made_once(path) as wanted:
        if wanted:
            build("lidar-hallu", scenes, path, per_family=20)
    return read_benchmark(path)


@pytest.fixture(scope="session")
def command() -> Callable[..., subprocess.CompletedProcess[str]]:
    """Run the command line in a process of its own, as a user would."""

    def run(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "probe4d", *map(str, arguments)],
            capture_output=True,
            text=True,
            timeout=600,
            **options,  # type: ignore[call-overload]  # what a test gives is subprocess's own
        )

    return run


@pytest.fixture(scope="session")
def here() -> Callable[..., subprocess.CompletedProcess[str]]:
    """`command` without a process of its own: all of the command line runs in this one, which imports things once."""
    from probe4d.cli import main, output

    def run(
        *arguments: object, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        logger = logging.getLogger("probe4d")
        with pytest.MonkeyPatch.context() as patch, mock.patch.dict(os.environ, env or {}):
            patch.setattr(sys, "argv", ["probe4d", *map(str, arguments)])
            patch.setattr(output, "settings", type(output.settings)())
            patch.setattr(logger, "handlers", [*logger.handlers])
            if cwd:
                patch.chdir(cwd)
            patch.setattr(sys, "stdout", printed := StringIO())
            patch.setattr(sys, "stderr", told := StringIO())
            with pytest.raises(SystemExit) as ended:
                main()
        return subprocess.CompletedProcess(arguments, ended.value.code or 0, printed.getvalue(), told.getvalue())

    return run


@pytest.fixture(scope="session")
def processes() -> ForkServerContext:
    """Starts processes that have imported already what most verbs do: to be killed, or to be many."""
    from forked_verbs import IMPORTED

    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([*IMPORTED])
    return context


@pytest.fixture
def forked(processes: ForkServerContext, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Any]:
    """`command`, forked from a process that has imported already what most verbs do, which takes longer than most."""
    from forked_verbs import run_verb

    printed = tmp_path_factory.mktemp("printed")

    def run(*arguments: object, cwd: Path, env: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        number = len(list(printed.iterdir()))
        files = [printed / f"{number}.{name}" for name in ("stdout", "stderr")]
        process = processes.Process(target=run_verb, args=([*map(str, arguments)], cwd, dict(env), *files))
        process.start()
        process.join(600)
        process.kill()  # which does nothing to one that has ended
        process.join()
        return subprocess.CompletedProcess(arguments, process.exitcode or 0, *(file.read_text() for file in files))

    return run


@pytest.fixture
def fake_server(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., FakeServer]]:
    """Start scripted OpenAI-compatible servers (see tests/models/fake_server.py), asked as `openai-api/fake/NAME`."""
    monkeypatch.setenv("FAKE_API_KEY", "fake-key-that-no-file-may-hold")
    servers: list[FakeServer] = []

    def start(**script: Any) -> FakeServer:
        servers.append(FakeServer(script, tmp_path_factory.mktemp("fake_server")))
        return servers[-1]

    yield start
    for server in servers:
        server.stop()
