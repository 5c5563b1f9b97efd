"""`probe4d check`: every answer of a benchmark, derived again from the dataset's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output

__all__ = ["check"]

_SHOWN = 5


@app.command("check")
def check(
    benchmark: Annotated[
        Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark that `probe4d build` wrote.")
    ],
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of the dataset it was built from.")],
    version: Annotated[
        str | None, typer.Option("--version", help="Folder of tables; left out: the one it was built from.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print every finding as JSON.")] = False,
) -> None:
    """Derive every answer of a benchmark again, and say what differs; exit code 1 if anything does."""
    import msgspec
    import polars as pl

    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.benchmarks.suites import check as check_suite

    read = read_benchmark(benchmark)
    findings = check_suite(read, dataroot if version is None else dataroot / version)
    told = read.table.filter(pl.col("needs").list.contains("events")).height
    faulty = {finding.question for finding in findings if finding.question}
    if as_json:
        summary = {"questions": read.table.height, "events_taken_as_told": told, "findings": list(findings)}
        print(msgspec.json.format(msgspec.json.encode(summary), indent=2).decode())
    else:
        by_rule: dict[str, list[str]] = {}
        for finding in findings:
            by_rule.setdefault(finding.rule, []).append(f"{finding.question or 'benchmark'}: {finding.what}")
        for rule, sentences in by_rule.items():
            print(f"{rule}: {len(sentences):,} findings")
            for sentence in sentences[:_SHOWN]:
                print(output.harmless(f"  {sentence}"))
            if len(sentences) > _SHOWN:
                print(f"  … and {len(sentences) - _SHOWN:,} more (all of them with --json)")
        print(f"{read.table.height:,} questions checked, {len(faulty):,} of them wrong, {len(findings):,} findings")
        if told:
            print(f"{told:,} events were taken as B4DL tells them: their intervals cannot be derived from the dataset")
    if findings:
        raise typer.Exit(1)
