"""`probe4d diagnose`: what do the answers depend on?"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from probe4d.cli import app, output

if TYPE_CHECKING:
    from rich.table import Table

    from probe4d.diagnosis.tables import Diagnosis


@app.command("diagnose")
def diagnose_command(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")],
    out: Annotated[Path, typer.Option(help="Folder for the report and its tables.")],
    runs: Annotated[
        list[Path] | None, typer.Argument(metavar="[RUN]...", help="Run folders, the baseline first.")
    ] = None,
    data: Annotated[Path | None, typer.Option(metavar="DATAROOT", help="Dataset, for the report's pictures.")] = None,
    version: Annotated[
        str | None, typer.Option("--version", help="Folder of tables; left out: the one it was built from.")
    ] = None,
    compare: Annotated[
        list[str] | None, typer.Option(metavar="X:Y", help="A further comparison: what X changed against Y.")
    ] = None,
    parser: Annotated[Literal["default", "published", "older"], typer.Option(help="How replies are read.")] = "default",
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Count questions without an answer as wrong.")
    ] = False,
    no_report: Annotated[bool, typer.Option("--no-report", help="Write the tables only, no report.html.")] = False,
) -> None:
    """Score runs beside controls that see no sensor, and show what their answers depend on."""
    from rich.console import Console

    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.diagnosis.diagnose import diagnose
    from probe4d.diagnosis.writing import write_tables
    from probe4d.runs.run import read_run

    read = read_benchmark(benchmark)
    scenes = None
    if data is not None and not no_report:
        from probe4d.benchmarks.source import open_source

        scenes, warnings = open_source(read, data, version=version)
        for warning in warnings:
            output.note(warning)
    diagnosis = diagnose(
        read,
        [read_run(run) for run in runs or []],
        parser=parser,
        compare=compare or (),
        allow_missing=allow_missing,
    )
    written = write_tables(diagnosis, out)
    if not no_report:
        from probe4d.report.page import write_report

        written = write_report(diagnosis, out, scenes=scenes)
    for warning in diagnosis.warnings:
        output.note(warning)
    for line in _parser_changes(diagnosis):
        output.note(line)
    # Elsewhere than on a terminal nothing limits the width, and nothing may be cut off.
    width = None if sys.stdout.isatty() else 10_000
    Console(highlight=False, width=width).print(_accuracies(diagnosis))
    print(written)


def _accuracies(diagnosis: Diagnosis) -> Table:
    """Accuracy in %: a row for each family and format, a column for each run and control."""
    import polars as pl
    from rich.markup import escape
    from rich.table import Table

    figures = diagnosis.figures.filter(pl.col("metric") == "accuracy", pl.col("relation") == "all").filter(
        (pl.col("format") != "all") | (pl.col("family") == "all")
    )
    wide = figures.pivot(on="run", index=["family", "format"], values="value", maintain_order=True)
    table = Table("accuracy, %", "format")
    for name in wide.columns[2:]:
        table.add_column(escape(output.harmless(name)), justify="right", overflow="fold")
    for family, kind, *values in wide.iter_rows():
        table.add_row(escape(output.harmless(family)), kind, *(f"{100 * value:.1f}" for value in values))
    return table


def _parser_changes(diagnosis: Diagnosis) -> list[str]:
    import polars as pl

    changed = diagnosis.figures.filter(pl.col("metric").str.starts_with("parser_changed_"))
    return [
        f"{run}: the {metric.removeprefix('parser_changed_')} parser reads {round(value * n):,} of {n:,} answers "
        f"otherwise than the {diagnosis.parser} one."
        for run, metric, value, n in changed.select("run", "metric", "value", "n").iter_rows()
    ]
