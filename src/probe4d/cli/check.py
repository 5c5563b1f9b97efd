"""`probe4d check`: every answer of a benchmark, derived again from the dataset's tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output
from probe4d.wording import counted

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

    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.benchmarks.suites import check as check_suite

    read = read_benchmark(benchmark)
    with output.progress("Checking questions", read.height) as done:
        checked = check_suite(read, dataroot, version=version, done=done)
    if as_json:
        print(msgspec.json.format(msgspec.json.encode(checked), indent=2).decode())
    else:
        by_rule: dict[str, list[str]] = {}
        for finding in checked.findings:
            by_rule.setdefault(finding.rule, []).append(f"{finding.question or 'benchmark'}: {finding.what}")
        for rule, sentences in by_rule.items():
            print(f"{rule}: {counted(len(sentences), 'finding')}")
            for sentence in sentences[:_SHOWN]:
                print(output.harmless(f"  {sentence}"))
            if len(sentences) > _SHOWN:
                print(f"  … and {len(sentences) - _SHOWN:,} more (all of them with --json)")
        counts = f"{checked.faulty:,} of them wrong, {counted(len(checked.findings), 'finding')}"
        print(f"{counted(checked.questions, 'question')} checked, {counts}")
        for told in checked.taken_as_told:
            each = ", ".join(f"{name} {n:,}" for name, n in told.by_template.items())
            print(f"{counted(told.questions, 'answer')} taken as told, since {told.why}: {each}")
    if checked.findings:
        raise typer.Exit(1)
