"""`probe4d export`: a benchmark written for another harness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli import ask_options as options
from probe4d.cli.shared_options import Prompts, with_prompts
from probe4d.exchange.exports import Harness
from probe4d.wording import counted

__all__ = ["export"]


@app.command("export")
@with_prompts
def export(
    benchmark: options.Bench,
    to: Annotated[Harness, typer.Option("--to", help="The harness.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to write, new or empty.")],
    prompts: Prompts,
) -> None:
    """Write a benchmark for another harness, with its pictures where evidence is shown."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.exchange.exports.export import export as write
    from probe4d.exchange.exports.items import left_out_lines
    from probe4d.runs.plan import RunPlan

    plan = RunPlan(setting=prompts.setting, evidence=prompts.evidence_plan(), selection=prompts.selection())
    read = read_benchmark(benchmark)
    with output.progress("prompts") as counter:
        exported = write(
            read,
            out,
            to=to,
            plan=plan,
            scenes=prompts.scenes(read, plan.evidence),
            workers=prompts.workers,
            begun=counter.expect,
            done=counter,
        )
    print(f"{out}: {counted(len(exported.items), 'prompt')}, {counted(exported.pictures, 'picture')} for {to}")
    if exported.pictures:
        output.note(f"The pictures fall under the licence of the dataset: {read.record.source.licence}.")
    for line in left_out_lines(exported.left_out):
        output.note(line)
