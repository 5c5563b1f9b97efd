"""`probe4d scenes`: what a dataset holds and what is wrong with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output


@app.command("scenes")
def scenes(
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset in the nuScenes schema.")],
    version: Annotated[
        str | None, typer.Option("--version", help="Folder of tables, if there are several (v1.0-mini, ...).")
    ] = None,
    reference_channel: Annotated[
        str | None,
        typer.Option("--reference-channel", help="LiDAR (or, without any, camera) that gives key frames their pose."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if an error is found.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", metavar="RULE", help="Leave out a rule; may be repeated.")
    ] = None,
) -> None:
    """Say what a dataset holds and what is wrong with it, by the rules of docs/sanity-rules.md."""
    from probe4d.scenes.sanity import Severity, inspect, printing
    from probe4d.scenes.sanity.rows import TABLES

    with output.progress("Tables read", len(TABLES)) as done:
        inspection = inspect(
            dataroot, version=version, reference_channel=reference_channel, exclude=exclude or (), done=done
        )
    if as_json:
        import msgspec

        typer.echo(msgspec.json.format(msgspec.json.encode(printing.document(inspection)), indent=2).decode())
    elif sys.stdout.isatty():
        printing.print_tables(inspection, output.harmless)
    else:
        for line in printing.plain_lines(inspection):
            typer.echo(output.harmless(line))
    if strict and inspection.count(Severity.ERROR):
        raise typer.Exit(1)
