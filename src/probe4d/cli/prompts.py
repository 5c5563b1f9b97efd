"""`probe4d prompts`: the whole text of every question, to ask a model of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, arguments, ask_options, output
from probe4d.cli.written_files import unkept
from probe4d.wording import counted

__all__ = ["prompts"]


@app.command("prompts")
def prompts(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")],
    out: Annotated[Path, typer.Option("--out", "-o", callback=unkept, help="JSON-lines file to write.")],
    setting: Annotated[
        str,
        typer.Option(
            "--setting", help="default, anti-position, ego, explicit-threshold, chain-of-thought or released."
        ),
    ] = "default",
    families: ask_options.Families = None,
    sample: ask_options.Sample = None,
    sample_seed: ask_options.SampleSeed = 42,
    limit: ask_options.Limit = None,
) -> None:
    """Write the whole prompt of every question, or of those that `probe4d ask` would take, a JSON object a line."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.runs.prompt_lines import write_prompts

    read = read_benchmark(benchmark, families or None)
    selection = arguments.selection(families, sample=sample, seed=sample_seed, limit=limit)
    with output.progress("prompts") as counter:
        n = write_prompts(read, out, setting=setting, selection=selection, begun=counter.expect, done=counter)
    print(f"{counted(n, 'prompt')} in {out}")
