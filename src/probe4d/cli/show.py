"""`probe4d show`: one question, what was measured, its prompt, and its picture."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli.written_files import unkept

__all__ = ["show"]


@app.command("show")
def show(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")],
    identity: Annotated[str, typer.Argument(metavar="ID", help="Id of a question, or the beginning of one.")],
    data: Annotated[Path | None, typer.Option("--data", metavar="DATAROOT", help="Dataset, for the picture.")] = None,
    setting: Annotated[str, typer.Option("--setting", help="Setting whose prompt is printed.")] = "default",
    version: Annotated[
        str | None, typer.Option("--version", help="Folder of tables; left out: the one it was built from.")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", callback=unkept, help="PNG file to write; ID.png here without it.")
    ] = None,
) -> None:
    """Show one question: options, answer, the measurement behind it, the prompt, and its picture.

    The picture is seen from above; of a question about one camera's view also that camera's image, in which the
    objects asked about are outlined.
    """
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.report.describing import description, find_question, prompt_of

    read = read_benchmark(benchmark)
    question = find_question(read, identity)
    print(output.harmless(description(question, prompt_of(question, setting))))
    if data is None:
        output.note("No picture is drawn without the scenes; --data DATAROOT adds it.")
        return
    from probe4d.benchmarks.source import open_source
    from probe4d.report.drawing import write_picture

    scenes, warnings = open_source(read, data, version=version)
    for warning in warnings:
        output.note(warning)
    print(write_picture(question, scenes, out or Path(f"{question.id}.png")))
