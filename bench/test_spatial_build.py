"""How long a full build of spatial-qa takes, how that grows, and how long a level takes to be read back.

`PROBE4D_BENCH_SPATIAL_SCENES` sets the number of scenes (30 by default; 150 is the validation split). The peer is
what a script would do: one pair after the other, a question at a time, here for one scene. Ratios are printed, not
asserted: they depend on the machine and what else it does.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import permutations
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl
import pytest

from probe4d.benchmarks.benchmark import read_benchmark, read_record
from probe4d.benchmarks.captions import Caption, write_captions
from probe4d.benchmarks.spatial_qa.rules import RELATIONS
from probe4d.benchmarks.spatial_qa.views import Filters, objects_in_views
from probe4d.diagnosis.sheets.answer_sheet import COLUMNS as SCORED_BY
from probe4d.scenes.opening import open_scenes

SCENES = int(os.environ.get("PROBE4D_BENCH_SPATIAL_SCENES", "30"))
MEASURES = {
    "elevation_difference_m": "ego_z",
    "sideways_difference_m": "camera_x",
    "depth_difference_m": "camera_z",
    "length_difference_m": "length",
    "width_difference_m": "width",
    "height_difference_m": "height",
}


class Built(NamedTuple):
    """A full build on two processes: its questions, its time, and the most memory that all of them held."""

    folder: Path
    questions: int
    seconds: float
    peak_mib: float


@pytest.fixture(scope="module")
def builds(generated: Callable[[Path, int], Path], tmp_path_factory: pytest.TempPathFactory) -> list[Built]:
    folder = tmp_path_factory.mktemp("spatial")
    return [_built(generated(folder / f"tables-{n}", n), folder / f"bench-{n}") for n in (SCENES // 2, SCENES)]


def _built(dataroot: Path, out: Path) -> Built:
    captions = dataroot / "captions.jsonl"
    tracks = open_scenes(dataroot).boxes.select("track", "category").unique("track", maintain_order=True)
    written = (Caption(track=track, caption=f"the {category} {track[:8]}") for track, category in tracks.iter_rows())
    write_captions(written, captions)
    options = ("--split", "all", "--captions", captions, "--min-visibility", 1, "--workers", 2, "--out", out)
    command = [sys.executable, "-m", "probe4d", "build", "spatial-qa", dataroot, *options]
    start = time.perf_counter()
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peaks: list[float] = []
    watcher = threading.Thread(target=_watch, args=(process, peaks))
    watcher.start()
    assert process.wait() == 0
    seconds = time.perf_counter() - start
    watcher.join()
    counts = read_record(out).counts.values()
    return Built(out, sum(n for formats in counts for n in formats.values()), seconds, max(peaks))


def _watch(process: subprocess.Popen[bytes], peaks: list[float]) -> None:
    """Note what the process and its children hold, ten times a second."""
    while process.poll() is None:
        kib = 0
        for entry in Path("/proc").glob("[0-9]*/status"):
            try:
                status = entry.read_text()
            except OSError:
                continue  # it has ended
            if re.search(rf"^(Pid|PPid):\s+{process.pid}$", status, re.MULTILINE):
                kib += int(found[1]) if (found := re.search(r"VmRSS:\s+(\d+) kB", status)) else 0
        peaks.append(kib / 1024)
        time.sleep(0.1)


def test_full_builds_beside_a_question_at_a_time(builds: list[Built]) -> None:
    half, whole = builds
    print()
    for built in builds:
        rate = built.questions / built.seconds
        memory = f"peak {built.peak_mib:5.0f} MiB"
        print(f"{built.questions:9,} questions in {built.seconds:6.1f} s ({rate:7,.0f} a second), {memory}")
    growth = (whole.seconds / half.seconds) / (whole.questions / half.questions)
    print(f"time a question, twice as many scenes against once: {growth:.2f}")
    scenes = open_scenes(half.folder.parent / f"tables-{SCENES // 2}")
    objects = objects_in_views(scenes.select(scenes.names[:1]), Filters(min_visibility=1)).objects
    start = time.perf_counter()
    asked = _one_at_a_time(objects)
    rate = asked / (time.perf_counter() - start)
    faster = whole.questions / whole.seconds / rate
    print(f"one at a time, without ids and unwritten: {rate:,.0f} a second; the build does {faster:.1f} times that")


def _one_at_a_time(objects: pl.DataFrame) -> int:
    questions: list[dict[str, Any]] = []
    for _, image in objects.group_by("scene", "frame", "channel"):
        for one, other in permutations(image.to_dicts(), 2):
            for name, (measure, sign) in RELATIONS.items():
                volumes = [box["length"] * box["width"] * box["height"] for box in (one, other)]
                column = MEASURES.get(measure)
                difference = volumes[0] - volumes[1] if column is None else one[column] - other[column]
                facts = json.dumps({"objects": [one["token"], other["token"]], measure: round(difference, 6)})
                text = f"Is {one['category']} {name} {other['category']}?"
                questions.append({"question": text, "answer": "Yes" if sign * difference > 0 else "No", "facts": facts})
    return pl.DataFrame(questions).height


def test_reading_a_level_back(builds: list[Built]) -> None:
    print()
    for family in read_record(builds[-1].folder).counts:
        start = time.perf_counter()
        benchmark = read_benchmark(builds[-1].folder, families=[family])
        opened = time.perf_counter()
        benchmark.columns(*SCORED_BY)
        scored = time.perf_counter()
        benchmark.rows(benchmark.columns("id")["id"].sample(500, seed=1))
        chosen = time.perf_counter()
        questions = read_benchmark(builds[-1].folder, families=[family]).table.height
        whole = time.perf_counter()
        print(
            f"{family:16} {questions:9,} questions: opened in {opened - start:.2f} s, what scoring reads of them in "
            f"{scored - opened:.2f} s, 500 of them whole in {chosen - scored:.2f} s; all columns {whole - chosen:.2f} s"
        )
