"""What asking costs a question beyond the model's own time: a whole run beside inspect-ai and the bare client.

A scripted server on this machine answers at once, at 64 connections. `ask` writes each answer with fsync before
its question counts; the others keep nothing. `PROBE4D_BENCH_QUESTIONS` sets the number of questions (10,000).
Times and ratios are printed, not asserted: they depend on the machine and what else it does.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from asking_run import MODEL, benchmark_of
from fake_server import FakeServer

QUESTIONS = int(os.environ.get("PROBE4D_BENCH_QUESTIONS", "10000"))
CONNECTIONS = 64


class Cost(NamedTuple):
    """Milliseconds a question: in all, and of this process's processor time."""

    wall_ms: float
    processor_ms: float

    def __str__(self) -> str:
        return f"{self.wall_ms:.2f} ms a question ({self.processor_ms:.2f} ms of processor time)"


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeServer]:
    monkeypatch.setenv("FAKE_API_KEY", "fake-key-that-no-file-may-hold")
    server = FakeServer({"default": "Yes.", "max_requests_kept": 0}, tmp_path)
    yield server
    server.stop()


def cost(work: Callable[[], object]) -> Cost:
    wall_s, processor_s = time.perf_counter(), time.process_time()
    work()
    spent = (time.perf_counter() - wall_s, time.process_time() - processor_s)
    return Cost(*(1000 * seconds / QUESTIONS for seconds in spent))


async def at_once(ask: Callable[[str], Awaitable[object]]) -> None:
    prompts = iter([f"Is it {place}?" for place in range(QUESTIONS)])

    async def work() -> None:
        for prompt in prompts:
            await ask(prompt)

    await asyncio.gather(*(work() for _ in range(CONNECTIONS)))


def by_the_bare_client(server: FakeServer) -> None:
    from openai import AsyncOpenAI

    async def run() -> None:
        async with AsyncOpenAI(base_url=server.base_url, api_key="none", max_retries=0) as client:
            await at_once(
                lambda prompt: client.chat.completions.create(
                    model="model", messages=[{"role": "user", "content": prompt}]
                )
            )

    asyncio.run(run())


def by_inspect(server: FakeServer) -> None:
    from inspect_ai.model import GenerateConfig, get_model

    async def run() -> None:
        config = GenerateConfig(max_connections=CONNECTIONS)
        async with get_model(MODEL, base_url=server.base_url, config=config, memoize=False) as model:
            await at_once(model.generate)

    asyncio.run(run())


def by_a_run(server: FakeServer, out: Path) -> None:
    from probe4d.models.course import Course
    from probe4d.runs.ask import ask
    from probe4d.runs.plan import RunPlan

    plan, course = RunPlan(base_url=server.base_url), Course(max_connections=CONNECTIONS)
    run = ask(benchmark_of(QUESTIONS), out, model=MODEL, plan=plan, course=course)
    assert run.answers["text"].to_list() == ["Yes."] * QUESTIONS


def test_asking_overhead(server: FakeServer, tmp_path: Path) -> None:
    import inspect_ai.model
    import openai  # noqa: F401 - imports are no part of what a question costs

    inspect_ai.model.get_model(MODEL, base_url=server.base_url)
    client = cost(lambda: by_the_bare_client(server))
    inspect = cost(lambda: by_inspect(server))
    run = cost(lambda: by_a_run(server, tmp_path / "run"))
    print(f"\n{QUESTIONS:,} answers at {CONNECTIONS} connections")
    print(f"  bare openai client: {client}")
    print(f"  inspect-ai's generate: {inspect}")
    print(f"  a run: {run}")
    print(f"  = {run.wall_ms / client.wall_ms:.1f} × the client, {run.wall_ms / inspect.wall_ms:.1f} × inspect-ai")
