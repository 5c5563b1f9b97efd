"""`probe4d import waypoints`: what a planner drove becomes a run beside those of models."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from probe4d.cli import output
from probe4d.cli.import_ import imports
from probe4d.cli.written_files import unkept
from probe4d.wording import counted


@imports.command("waypoints")
def import_waypoints(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV, JSONL or JSON: waypoints (a JSON list of points x, y in metres) with the id of a question, "
            "or with scene and frame (or, with --data, the token) of its key frame.",
        ),
    ],
    benchmark: Annotated[Path, typer.Option("--bench", metavar="BENCH", help="Benchmark that asks for waypoints.")],
    out: Annotated[Path, typer.Option("--out", "--run", "-o", help="Run folder to write.")],
    frame: Annotated[
        Literal["ego", "lidar-uniad", "lidar-uniad-ego-origin"],
        typer.Option(
            "--frame",
            help="Frame of the points: that of the questions; UniAD's, turned as STRIDE does; or the same, less where "
            "the LiDAR is mounted.",
        ),
    ] = "ego",
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DATAROOT", help="Dataset, for calibrations and tokens.")
    ] = None,
    version: Annotated[
        str | None, typer.Option("--version", help="Folder of tables; left out: the one it was built from.")
    ] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Name of the planner; left out: the file's name.")
    ] = None,
    allow_missing: Annotated[bool, typer.Option("--allow-missing", help="Questions may go without answer.")] = False,
    problems: Annotated[
        Path | None,
        typer.Option(
            "--problems",
            callback=unkept,
            metavar="FILE",
            help="JSONL file that gets every row that is of no use, if any.",
        ),
    ] = None,
) -> None:
    """Import the waypoints of a planner that answers no questions, such as UniAD."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.benchmarks.source import open_source
    from probe4d.exchange.waypoints import import_waypoints as import_file

    read = read_benchmark(benchmark)
    scenes = None
    if data is not None:
        scenes, warnings = open_source(read, data, version=version)
        for warning in warnings:
            output.note(warning)
    done = import_file(
        read, file, out, model=model, frame=frame, scenes=scenes, allow_missing=allow_missing, problems=problems
    )
    typer.echo(f"{out}: {counted(done.answers, 'answer')} ({done.record.model}, frame {frame})")
    if done.missing:
        output.note(f"{counted(done.missing, 'question')} for waypoints without an answer count as standing still.")
    if done.left_out:
        output.note(f"{counted(done.left_out, 'other question')} of the benchmark left out of the run.")
