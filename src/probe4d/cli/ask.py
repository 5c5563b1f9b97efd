"""`probe4d ask`: put a benchmark's questions to a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output

__all__ = ["ask"]


@app.command("ask")
def ask(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")],
    model: Annotated[str, typer.Option("--model", metavar="PROVIDER/NAME", help="inspect-ai name of the model.")],
    out: Annotated[Path, typer.Option("--out", help="Run folder; the same command goes on where it stopped.")],
    setting: Annotated[str, typer.Option("--setting", help="How questions are asked.")] = "default",
    base_url: Annotated[str | None, typer.Option("--base-url", help="Address of the server.")] = None,
    max_connections: Annotated[int, typer.Option("--max-connections", help="Requests under way at once.")] = 10,
) -> None:
    """Ask a model every question; what was answered is never lost."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.runs.ask import ask as ask_model

    read = read_benchmark(benchmark)
    with output.progress("questions", read.table.height) as done:
        run = ask_model(
            read,
            out,
            model=model,
            setting=setting,
            base_url=base_url,
            max_connections=max_connections,
            done=done,
        )
    print(f"{out}: {run.answers.height:,} answers")
