"""`probe4d demo`: the whole way once, on simulated scenes."""

from __future__ import annotations

import shlex
import time
from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output

__all__ = ["demo"]


@app.command()
def demo(
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for everything the demo makes.")] = Path("demo"),
    scenes: Annotated[int, typer.Option("--scenes", min=2, help="Scenes to simulate.")] = 12,
    per_family: Annotated[int, typer.Option("--per-family", min=4, help="Questions to build in each family.")] = 400,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Processes to simulate and build with.")] = 2,
) -> None:
    """Simulate scenes, build questions, check them, diagnose the controls and write a report."""
    data, benchmark, report = out / "scenes", out / "benchmark", out / "report"
    began = time.perf_counter()
    for arguments in (
        ["simulate", data, "--scenes", scenes, "--seed", 1, "--no-cameras", "--workers", workers, "--replace"],
        ["scenes", data],
        ["build", "lidar-hallu", data, "--out", benchmark, "--per-family", per_family, "--workers", workers],
        ["check", benchmark, data],
        ["diagnose", benchmark, "--data", data, "--out", report],
    ):
        words = [str(argument) for argument in arguments]
        output.note(f"\n$ probe4d {shlex.join(words)}")
        if code := app(words, standalone_mode=False):
            raise typer.Exit(code)
    output.note(f"\nThe demo took {time.perf_counter() - began:.0f} s. Open the report in a browser:")
    print(report / "report.html")
