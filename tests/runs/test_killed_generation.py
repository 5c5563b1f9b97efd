"""Builds of B4DL that are killed at any moment: the same files in the end, and hardly a reply asked for twice."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from multiprocessing.context import ForkServerContext
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fake_server import FakeServer

from generated_pairs import build_b4dl, script_of, writer_of_kinds
from probe4d.benchmarks.b4dl.wanted import Wanted
from probe4d.benchmarks.suites import build
from probe4d.scenes.opening import open_scenes

STAGES = ("contexts.jsonl", "pairs.jsonl", "repairs.jsonl")
CONNECTIONS = 4


class Undisturbed(NamedTuple):
    """A build that nobody killed: its parameters, the script of its server, what it left, how many replies it took."""

    parameters: dict[str, int]
    script: dict[str, Any]
    files: dict[str, bytes]
    replies: int


def undisturbed(photographed: Path, folder: Path, sequences_per_scene: int) -> Undisturbed:
    parameters = {"sequences_per_scene": sequences_per_scene, "longest_side_px": 64}
    scenes = open_scenes(photographed)
    writer = writer_of_kinds(Wanted(sequences_per_scene=sequences_per_scene).sequences(scenes))
    build("b4dl", scenes, generator=writer, **parameters)
    folder.mkdir()
    server = FakeServer(script_of(writer), folder)
    build_b4dl(photographed, folder / "bench", server.base_url, **parameters)
    server.stop()
    return Undisturbed(parameters, script_of(writer), left_in(folder / "bench"), len(writer.said))


def left_in(out: Path) -> dict[str, bytes]:
    """All files of a benchmark, and the replies that it was built from but for how long they took and who asked."""
    files = {path.name: path.read_bytes() for path in out.iterdir()}
    generated = out.with_name(f"{out.name}-generated")
    for name in STAGES:
        lines = [json.loads(line) for line in (generated / name).read_text().splitlines()]
        files[f"replies/{name}"] = json.dumps([{**line, "seconds": None} for line in lines]).encode()
    assert {path.name for path in generated.iterdir()} == {*STAGES, "generation.json", ".lock"}
    return files


def replies_in(out: Path) -> int:
    generated = out.with_name(f"{out.name}-generated")
    return sum((generated / name).read_bytes().count(b"\n") for name in STAGES if (generated / name).exists())


@pytest.mark.parametrize(("kills", "sequences"), [(3, 1), pytest.param(30, 6, marks=pytest.mark.soak)])
def test_a_build_that_is_killed_ends_with_the_same_files(
    kills: int,
    sequences: int,
    photographed: Path,
    processes: ForkServerContext,
    tmp_path: Path,
    fake_server: Callable[..., FakeServer],
) -> None:
    whole = undisturbed(photographed, tmp_path / "undisturbed", sequences)
    server = fake_server(jitter_s=0.05, **whole.script)
    out, draw = tmp_path / "bench", random.Random(kills)
    for number in range(kills):
        process = processes.Process(
            target=build_b4dl, args=(photographed, out, server.base_url, CONNECTIONS), kwargs=whole.parameters
        )
        process.start()
        wanted = 1 + number * whole.replies // kills
        while process.is_alive() and replies_in(out) < wanted:
            time.sleep(0.002)
        time.sleep(draw.random() * 0.05)
        process.kill()
        process.join()
        assert process.exitcode is not None
    build_b4dl(photographed, out, server.base_url, CONNECTIONS, **whole.parameters)
    assert left_in(out) == whole.files
    assert sum(server.counts().values()) <= whole.replies + kills * CONNECTIONS
