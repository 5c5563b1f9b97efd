"""`probe4d prompts`: the whole text of every question, to ask a model of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app
from probe4d.wording import counted

__all__ = ["prompts"]


@app.command("prompts")
def prompts(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")],
    out: Annotated[Path, typer.Option("--out", "-o", help="JSON-lines file to write.")],
    setting: Annotated[
        str,
        typer.Option(
            "--setting", help="default, anti-position, ego, explicit-threshold, chain-of-thought or released."
        ),
    ] = "default",
) -> None:
    """Write every question's whole prompt, a JSON object a line."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.benchmarks.suites import write_prompts

    n = write_prompts(read_benchmark(benchmark), out, setting=setting)
    print(f"{counted(n, 'prompt')} in {out}")
