"""`probe4d export`: a benchmark written for another harness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli import ask_options as options
from probe4d.exchange.exports import Harness
from probe4d.wording import counted

__all__ = ["export"]


@app.command("export")
def export(
    benchmark: options.Bench,
    to: Annotated[Harness, typer.Option("--to", help="The harness.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to write, new or empty.")],
    setting: options.SettingName = "default",
    families: options.Families = None,
    sample: options.Sample = None,
    sample_seed: options.SampleSeed = 42,
    limit: options.Limit = None,
    evidence: options.Evidence = "none",
    data: options.Data = None,
    version: options.Version = None,
    evidence_span: options.Span = "question",
    evidence_seed: options.EvidenceSeed = 42,
    max_frames: options.MaxFrames = None,
    max_side: options.MaxSide = None,
    jpeg_quality: options.JpegQuality = None,
    workers: options.Workers = None,
) -> None:
    """Write a benchmark for another harness, with its pictures where evidence is shown."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.cli import arguments as reading
    from probe4d.exchange.exports.export import export as write
    from probe4d.exchange.exports.items import left_out_lines
    from probe4d.runs.plan import RunPlan

    shown = reading.evidence_plan(
        evidence,
        span=evidence_span,
        seed=evidence_seed,
        max_frames=max_frames,
        max_side_px=max_side,
        jpeg_quality=jpeg_quality,
    )
    selection = reading.selection(families, sample=sample, seed=sample_seed, limit=limit)
    read = read_benchmark(benchmark)
    with output.progress("prompts") as counter:
        exported = write(
            read,
            out,
            to=to,
            plan=RunPlan(setting=setting, evidence=shown, selection=selection),
            scenes=reading.scenes_shown(read, shown, data, version),
            workers=workers,
            begun=counter.expect,
            done=counter,
        )
    print(f"{out}: {counted(len(exported.items), 'prompt')}, {counted(exported.pictures, 'picture')} for {to}")
    if exported.pictures:
        output.note(f"The pictures fall under the licence of the dataset: {read.record.source.licence}.")
    for line in left_out_lines(exported.left_out):
        output.note(line)
