"""A run that is killed at any moment and continued is the run that was never disturbed."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any

import pytest
from asking_run import QUESTIONS, benchmark_of, run
from fake_server import FakeServer

MAX_CONNECTIONS = 8
SCRIPT: dict[str, Any] = {"default": "Yes, {digest}.", "jitter_s": 0.02}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, processes: ForkServerContext) -> bytes:
    folder = tmp_path_factory.mktemp("undisturbed")
    server = FakeServer(SCRIPT, folder)
    finish(processes, folder / "run", server)
    server.stop()
    return lasting(folder / "run")


def finish(processes: ForkServerContext, out: Path, server: FakeServer) -> None:
    process = processes.Process(target=run, args=(out, server.base_url, MAX_CONNECTIONS))
    process.start()
    process.join(120)
    assert process.exitcode == 0


def killed_after(processes: ForkServerContext, out: Path, server: FakeServer, size: int, wait_s: float) -> None:
    """Start a run and kill it some time after its answers have this many bytes."""
    answers = out / "answers.jsonl"
    process = processes.Process(target=run, args=(out, server.base_url, MAX_CONNECTIONS))
    process.start()
    while process.is_alive() and (answers.stat().st_size if answers.exists() else 0) < size:
        time.sleep(0.001)
    time.sleep(wait_s)
    process.kill()
    process.join()


def lines_of(out: Path) -> list[dict[str, Any]]:
    path = out / "answers.jsonl"
    whole = path.read_bytes().rpartition(b"\n")[0].split(b"\n") if path.exists() else []
    return [json.loads(line) for line in whole if line]


def lasting(out: Path) -> bytes:
    """The answers without their times."""
    return b"\n".join(json.dumps({**line, "seconds": None}).encode() for line in lines_of(out))


def moments(number: int, whole: int, seed: int) -> Iterator[tuple[int, float]]:
    """Bytes of answers and seconds after them at which a run is killed, in order; the first and last are special.

    The first comes while the run begins, the last while its answers are put into order.
    """
    draw = random.Random(seed)
    sizes = sorted(draw.randrange(whole) for _ in range(number - 2))
    yield 0, draw.random() / 10
    for size in sizes:
        yield size, draw.random() / 50
    yield whole - 1, draw.random() / 100


@pytest.mark.parametrize("kills", [6, pytest.param(50, marks=pytest.mark.soak)])
def test_a_run_killed_at_random_moments_loses_and_repeats_nothing(
    processes: ForkServerContext, undisturbed: bytes, tmp_path: Path, kills: int
) -> None:
    server = FakeServer(SCRIPT, tmp_path)
    out, prompts = tmp_path / "run", {question.id: question.prompt for question in benchmark_of().questions}
    counted: list[dict[str, int]] = []
    for size, wait_s in moments(kills, len(undisturbed), seed=kills):
        killed_after(processes, out, server, size, wait_s)
        counts = server.counts()
        counted.append({prompt: counts[prompt] for line in lines_of(out) if (prompt := prompts[line["question"]])})
    finish(processes, out, server)
    assert lasting(out) == undisturbed
    counts = server.counts()
    server.stop()
    assert len(counts) == QUESTIONS
    for answered in counted:
        assert answered.items() <= counts.items()
    assert sum(counts.values()) - QUESTIONS <= kills * MAX_CONNECTIONS
    assert len(counted[-2]) > len(counted[1]) > 0


def test_a_finished_run_asks_nothing_again(
    processes: ForkServerContext, fake_server: Callable[..., FakeServer], tmp_path: Path
) -> None:
    server = fake_server(**SCRIPT)
    finish(processes, tmp_path / "run", server)
    before = (tmp_path / "run" / "answers.jsonl").read_bytes()
    finish(processes, tmp_path / "run", server)
    assert (tmp_path / "run" / "answers.jsonl").read_bytes() == before
    assert set(server.counts().values()) == {1}
