"""Invented questions, benchmarks, runs, scenes and models, of which a test says only what it is about."""

from __future__ import annotations

import fcntl
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import polars as pl

from probe4d.benchmarks.benchmark import (
    QUESTIONS_FILE,
    Benchmark,
    BenchmarkRecord,
    SourceDataset,
    counts_of,
    read_benchmark,
    write_benchmark,
)
from probe4d.benchmarks.fingerprints import fingerprint
from probe4d.benchmarks.question import QUESTION_SCHEMA, REQUIRED_COLUMNS, Question, question_id, to_table
from probe4d.models.request import Reply, Request
from probe4d.runs.run import ANSWER_SCHEMA, Run, RunRecord
from probe4d.scenes.tables import BOXES_SCHEMA, KEYFRAMES_SCHEMA, SCENES_SCHEMA, SENSORS_SCHEMA, Scenes

Rows = Iterable[Mapping[str, object]]


def question(identity: int | str = 0, **fields: Any) -> Question:
    """One question; a number is its id and its place."""
    place = identity if isinstance(identity, int) else 0
    values: dict[str, Any] = {
        "id": identity if isinstance(identity, str) else f"{identity:016x}",
        "suite": "made",
        "family": "existence",
        "template": "made",
        "format": "choice" if fields.get("options") else "yes-no",
        "scene": "a",
        "keyframes": 40,
        "question": f"Question {place}?",
        "answer": "Yes",
        "rule": "made",
        "order": place,
    }
    return Question(**values | fields)


def with_id_of_content(made: Question) -> Question:
    """The question with the id that a suite would give it."""
    asked = {name: getattr(made, name) for name in ("suite", "template", "scene", "frames", "entities", "channel")}
    return msgspec.structs.replace(made, id=question_id(**asked, question=made.question, options=made.options))


def benchmark_of(
    questions: Sequence[Question], path: Path | None = None, *, card: str = "", **record: Any
) -> Benchmark:
    """A benchmark of questions; on disk where a path is given."""
    table = to_table(questions) if questions else pl.DataFrame(schema=QUESTION_SCHEMA)
    values: dict[str, Any] = {
        "suite": questions[0].suite if questions else "made",
        "version": "1",
        "seed": None,
        "parameters": {},
        "counts": counts_of(table),
        "exclusions": {},
        "shortfalls": [],
        "source": SourceDataset(name="made", version="v", fingerprint=None, licence="none", split="all", scenes=1),
        "fingerprint": fingerprint(table),
        "probe4d": "0",
    }
    made = Benchmark(table, BenchmarkRecord(**values | record))
    return write_benchmark(made, path, card=card) if path else made


def legible_alone(benchmark: Benchmark, ids: Iterable[str], path: Path, *columns: str) -> Benchmark:
    """A benchmark on disk of which nothing can be read but these questions, and these columns of all.

    Beside them there are ids, families and formats, by which questions are chosen.
    """
    write_benchmark(benchmark, path, card="")
    table, is_legible = pl.read_parquet(path / QUESTIONS_FILE), pl.col("id").is_in(list(ids))
    assert not table.select(is_legible.all()).item()
    damaged = [name for name in REQUIRED_COLUMNS if name not in ("id", "family", "format", *columns)]
    table.with_columns(pl.when(is_legible).then(name).alias(name) for name in damaged).write_parquet(
        path / QUESTIONS_FILE
    )
    return read_benchmark(path)


def run_of(name: str, benchmark: Benchmark, rows: Rows, **record: Any) -> Run:
    """A run in memory with these rows of answers; a column that a row lacks is null."""
    about = RunRecord(**{"model": name, "benchmark": benchmark.fingerprint} | record)
    return Run(name, about, table_of(rows, ANSWER_SCHEMA))


def scenes_of(
    scenes: Rows = (),
    keyframes: Rows = (),
    boxes: Rows = (),
    sensors: Rows = (),
    *,
    root: Path = Path("invented"),
    version: str = "v1.0-invented",
) -> Scenes:
    """Scenes of rows, in the order that opening gives them; a column that a row lacks is null."""
    return Scenes(
        root=root,
        version=version,
        adapter="nuscenes",
        reference_channel="LIDAR_TOP",
        fingerprint="0" * 64,
        licence="none",
        scenes=table_of(scenes, SCENES_SCHEMA).sort("scene"),
        keyframes=table_of(keyframes, KEYFRAMES_SCHEMA).sort("scene", "frame"),
        boxes=table_of(boxes, BOXES_SCHEMA).sort("scene", "frame", "track"),
        sensors=table_of(sensors, SENSORS_SCHEMA).sort("scene", "frame", "channel"),
    )


def table_of(rows: Rows, schema: Mapping[str, pl.DataType]) -> pl.DataFrame:
    return pl.DataFrame([{name: row.get(name) for name in schema} for row in rows], schema=schema)


@contextmanager
def made_once(path: Path) -> Iterator[bool]:
    """Whether this worker is the first to want a path, and has to make it while the others wait."""
    with open(path.with_suffix(".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield not path.exists()


class Model:
    """A model in this process.

    Args:
        reply: What it replies to a request, or the text of it; what it raises is its failure.
        name: Its name in run records.
        max_connections: How many requests it takes at once.
    """

    def __init__(
        self, reply: Callable[[Request], Reply | str], *, name: str = "test/made", max_connections: int = 4
    ) -> None:
        self.name = name
        self.max_connections = max_connections
        self.asked: list[str] = []
        """Keys of the requests so far."""
        self.closed = 0
        self._reply = reply

    async def reply(self, request: Request) -> Reply:
        """Reply to a request."""
        self.asked.append(request.key)
        reply = self._reply(request)
        return Reply(text=reply, finish_reason="stop") if isinstance(reply, str) else reply

    async def close(self) -> None:
        """Count it."""
        self.closed += 1
