"""`probe4d diagnose`: what do the answers depend on?"""

from __future__ import annotations

import os
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
    from probe4d.diagnosis.overview import accuracies, numbers_asked, parser_changes
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
    # Elsewhere than on a terminal nothing but COLUMNS limits the width, and nothing may be cut off.
    console = Console(highlight=False, width=None if sys.stdout.isatty() or "COLUMNS" in os.environ else 10_000)
    asked = numbers_asked(diagnosis)
    for table in tables_in_percent(accuracies(diagnosis), console.width, asked=asked):
        console.print(table)
    if any(map(_differ, asked.select(asked.columns[2:]).iter_rows())):
        console.print("In parentheses: of how many questions, where not all columns are of the same.")
    print(written)


def _refuse_inputs(out: Path, inputs: Sequence[Path]) -> None:
    from probe4d.errors import InputError

    if out.resolve() in [path.resolve() for path in inputs]:
        raise InputError(
            "is a folder to be read, so that no report is written to it.", path=out, remedy="Give another --out folder."
        )


def _differ(numbers: Sequence[int | None]) -> bool:
    """Whether columns of a row are of different numbers of questions."""
    return len({n for n in numbers if n is not None}) > 1


def tables_in_percent(accuracies: pl.DataFrame, width: int, *, asked: pl.DataFrame | None = None) -> list[Table]:
    """A row for each family and format, a column for each run and control; empty where a run was not asked any.

    Where that is too wide, runs are the rows, in as many tables as it takes to show every family.

    Args:
        accuracies: Columns family, format, and one for each run and control.
        width: Characters on a line.
        asked: Of how many questions each figure is, in the same rows and columns; told where these differ in a row.
    """
    from probe4d.wording import in_percent

    names = [output.harmless(name) for name in accuracies.columns[2:]]
    groups = [(output.harmless(family), kind) for family, kind in accuracies.select("family", "format").iter_rows()]
    values = accuracies.select(accuracies.columns[2:]).iter_rows()
    cells = [["" if value is None else in_percent(value) for value in row] for row in values]
    for row, numbers in zip(cells, [] if asked is None else asked.select(asked.columns[2:]).iter_rows(), strict=False):
        if _differ(numbers):
            row[:] = [f"{cell} ({n:,})" if cell else "" for cell, n in zip(row, numbers, strict=True)]
    upright = _tables(["accuracy, %", "format"], groups, names, cells, width)
    if len(upright) <= 1:
        return upright
    turned = [list(row) for row in zip(*cells, strict=True)]
    return _tables(["accuracy, %"], [(name,) for name in names], ["\n".join(group) for group in groups], turned, width)


def _tables(
    corner: Sequence[str],
    labels: Sequence[tuple[str, ...]],
    columns: Sequence[str],
    cells: Sequence[Sequence[str]],
    width: int,
) -> list[Table]:
    """The cells under their columns, with the labels at the beginning of each row, in tables of at most this width."""
    from rich.cells import cell_len
    from rich.markup import escape
    from rich.table import Table

    border, gap, longest = 1, 3, max(16, width // 3)

    def taken(texts: Sequence[str]) -> int:
        return max(cell_len(line) for text in texts for line in text.split("\n")) + gap

    left = width - border - sum(min(taken(texts), longest + gap) for texts in zip(corner, *labels, strict=True))
    room = 0
    blocks: list[list[int]] = []
    for place, column in enumerate(columns):
        needed = taken([column, *(row[place] for row in cells)])
        if not blocks or needed > room:
            blocks.append([])
            room = left
        blocks[-1].append(place)
        room -= needed
    tables = []
    for block in blocks:
        table = Table()
        for text in corner:
            table.add_column(text, overflow="fold", max_width=longest)
        for place in block:
            table.add_column(escape(columns[place]), justify="right", overflow="fold")
        for label, row in zip(labels, cells, strict=True):
            table.add_row(*map(escape, label), *(row[place] for place in block))
        tables.append(table)
    return tables
