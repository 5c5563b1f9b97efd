"""`probe4d diagnose`: what do the answers depend on?"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from probe4d.cli import app, output

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table


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
    from probe4d.diagnosis.overview import accuracies, parser_changes
    from probe4d.report.page import write_report
    from probe4d.runs.run import read_run

    _refuse_inputs(out, [benchmark, *(runs or ())])
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
    written = write_report(diagnosis, out, scenes=scenes, page=not no_report)
    for warning in diagnosis.warnings:
        output.note(warning)
    changes = parser_changes(diagnosis)
    if changes and not any(one.changed for one in changes):
        output.note("The other parsers read every answer as the one chosen does.")
    for run, other, changed, n in (one for one in changes if one.changed):
        output.note(f"{run}: the {other} parser reads {changed:,} of {n:,} answers otherwise than the {parser} one.")
    # Elsewhere than on a terminal nothing limits the width, and nothing may be cut off.
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 10_000)
    for table in tables_in_percent(accuracies(diagnosis), console.width):
        console.print(table)
    print(written)


def _refuse_inputs(out: Path, inputs: Sequence[Path]) -> None:
    from probe4d.errors import InputError

    if out.resolve() in [path.resolve() for path in inputs]:
        raise InputError(
            "is a folder to be read, so that no report is written to it.", path=out, remedy="Give another --out folder."
        )


def tables_in_percent(accuracies: pl.DataFrame, width: int) -> list[Table]:
    """A row for each family and format, a column for each run and control; several tables if one is too wide.

    Args:
        accuracies: Columns family, format, and one for each run and control.
        width: Characters on a line.
    """
    from rich.markup import escape
    from rich.table import Table

    from probe4d.diagnosis.wording import in_percent

    first = [output.harmless(family) for family in accuracies["family"]]
    taken = sum(_column(texts) for texts in (["accuracy, %", *first], ["format", *accuracies["format"]])) + 1
    blocks: list[list[str]] = []
    room = 0
    for name in accuracies.columns[2:]:
        needed = _column([output.harmless(name), "100.0"])
        if not blocks or needed > room:
            blocks.append([])
            room = width - taken
        blocks[-1].append(name)
        room -= needed
    tables = []
    for names in blocks:
        table = Table("accuracy, %", "format")
        for name in names:
            table.add_column(escape(output.harmless(name)), justify="right", overflow="fold")
        for family, kind, *values in accuracies.select("family", "format", *names).iter_rows():
            table.add_row(escape(output.harmless(family)), kind, *(in_percent(value) for value in values))
        tables.append(table)
    return tables


def _column(texts: Sequence[str]) -> int:
    """Width of a column with its border and padding."""
    from rich.cells import cell_len

    return max(map(cell_len, texts)) + 3
