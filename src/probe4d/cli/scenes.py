"""`probe4d scenes`: what a dataset holds and what is wrong with it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probe4d.cli import app, output

if TYPE_CHECKING:
    from rich.table import Table

    from probe4d.scenes.sanity import Finding, Inspection, Summary

_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_SHOWN = 3
"""How many offenders of a rule are printed for people; --json has a few more."""


@app.command("scenes")
def scenes(
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset in the nuScenes schema.")],
    version: Annotated[
        str | None, typer.Option("--version", help="Folder of tables, if there are several (v1.0-mini, ...).")
    ] = None,
    reference_channel: Annotated[
        str | None, typer.Option("--reference-channel", help="LiDAR that gives key frames their pose.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if an error is found.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    exclude: Annotated[
        list[str] | None, typer.Option("--exclude", metavar="RULE", help="Leave out a rule; may be repeated.")
    ] = None,
) -> None:
    """Say what a dataset holds and what is wrong with it, by the rules of docs/sanity-rules.md."""
    from probe4d.scenes.sanity import Severity, inspect
    from probe4d.scenes.sanity.rows import TABLES

    with output.progress("Tables read", len(TABLES)) as done:
        report = inspect(
            dataroot, version=version, reference_channel=reference_channel, exclude=exclude or (), done=done
        )
    if as_json:
        import msgspec

        typer.echo(msgspec.json.format(msgspec.json.encode(_document(report)), indent=2).decode())
    elif sys.stdout.isatty():
        _print_rich(report)
    else:
        for line in _plain(report):
            typer.echo(output.harmless(line))
    if strict and report.count(Severity.ERROR):
        raise typer.Exit(1)


def _document(report: Inspection) -> dict[str, Any]:
    """The object that `--json` prints; described in docs/sanity-rules.md."""
    import msgspec

    summary = msgspec.to_builtins(report.summary)
    if report.summary.splits is not None:
        summary["splits"] = {split or "none": count for split, count in report.summary.splits.items()}
    return {
        "dataset": str(report.root),
        "version": report.version,
        "reference_channel": report.reference_channel,
        **summary,
        "findings": [
            {
                "rule": finding.rule.id,
                "name": finding.rule.name,
                "severity": finding.rule.severity,
                "count": finding.count,
                "first": finding.first,
                "description": finding.rule.description,
                "remedy": finding.rule.remedy,
            }
            for finding in report.findings
        ],
        "unchecked": [
            {"rule": rule.id, "name": rule.name, "reason": reason}
            for rule, reason in ((unchecked.rule, unchecked.reason) for unchecked in report.unchecked)
        ],
        "excluded": report.excluded,
    }


def _facts(report: Inspection) -> Iterator[tuple[str, str]]:
    """What the dataset holds, a label and a text each; what is not known is left out."""
    summary: Summary = report.summary
    yield "dataset", str(report.root)
    yield "version", report.version
    yield "reference LiDAR", report.reference_channel or "none"
    for label, number in (
        ("scenes", summary.scenes),
        ("key frames", summary.keyframes),
        ("tracks", summary.tracks),
        ("boxes", summary.boxes),
    ):
        yield label, "not known" if number is None else f"{number:,}"
    if summary.boxes:
        unknown = summary.boxes_with_unknown_points or 0
        beside = f"; {unknown:,} more do not say" if unknown else ""
        without = summary.boxes_without_lidar_points or 0
        yield "without LiDAR returns", f"{without:,} ({without / summary.boxes:.1%} of boxes{beside})"
    if summary.splits:
        yield "splits", ", ".join(f"{split or 'none'} {count:,}" for split, count in summary.splits.items())


def _classes(summary: Summary) -> list[tuple[str, str]]:
    if summary.boxes_by_class is None:
        return []
    counts = {**summary.boxes_by_class, "none of the ten classes": summary.boxes_of_no_class or 0}
    return [(label, f"{count:,}") for label, count in counts.items()]


def _verdict(report: Inspection) -> str:
    from probe4d.scenes.sanity import Severity, rules

    checked = len(rules()) - len(report.unchecked) - len(report.excluded)
    errors, warnings, notes = (report.count(severity) for severity in Severity)
    return (
        f"{checked} rules checked: {errors} error{'' if errors == 1 else 's'}, "
        f"{warnings} warning{'' if warnings == 1 else 's'}, {notes} info."
    )


def _unchecked(report: Inspection) -> list[str]:
    """Which rules could not be asked, a line a reason."""
    reasons: dict[str, list[str]] = {}
    for unchecked in report.unchecked:
        reasons.setdefault(unchecked.reason, []).append(unchecked.rule.id)
    return [f"Not checked, since {reason}: {', '.join(ids)}." for reason, ids in reasons.items()]


def _first(finding: Finding) -> list[str]:
    """The first offenders, and how many more there are."""
    shown = [name.replace("\n", "\\n") for name in finding.first[:_SHOWN]]  # a name must not look like lines of ours
    more = finding.count - len(shown)
    return [*shown, f"and {more:,} more"] if more else shown


def _plain(report: Inspection) -> Iterator[str]:
    facts, classes = list(_facts(report)), _classes(report.summary)
    width = max(len(label) for label, _ in [*facts, *classes])
    yield from (f"{label:<{width}}  {text}" for label, text in facts)
    if classes:
        yield from ("", "boxes per class")
        digits = max(len(text) for _, text in classes)
        yield from (f"{label:<{width}}  {text:>{digits}}" for label, text in classes)
    yield from ("", _verdict(report))
    if report.findings:
        names = max(len(finding.rule.name) for finding in report.findings)
        digits = max(len(f"{finding.count:,}") for finding in report.findings)
        for finding in report.findings:
            rule = finding.rule
            yield f"{rule.severity:<7}  {rule.id}  {rule.name:<{names}}  {finding.count:>{digits},}"
            yield f"         {rule.description}"
            yield f"         What to do: {rule.remedy}"
            yield f"         {', '.join(_first(finding))}"
    yield from _unchecked(report)


def _print_rich(report: Inspection) -> None:
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)

    def two_columns(pairs: list[tuple[str, str]], justify: Any) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(justify=justify, overflow="fold")
        for label, text in pairs:
            table.add_row(label, Text(output.harmless(text)))
        return table

    console.print(two_columns(list(_facts(report)), "left"))
    if classes := _classes(report.summary):
        console.print("\nboxes per class", style="bold")
        console.print(two_columns(classes, "right"))
    console.print(f"\n{_verdict(report)}", style="bold")
    if report.findings:
        table = Table(show_lines=True, expand=False)
        for name in ("severity", "rule"):
            table.add_column(name, no_wrap=True)
        table.add_column("count", justify="right", no_wrap=True)
        table.add_column("finding", overflow="fold")
        for finding in report.findings:
            rule = finding.rule
            what = Group(
                Text(rule.name, style="bold"),
                Text(rule.description),
                Text(f"What to do: {rule.remedy}"),
                Text(output.harmless("\n".join(_first(finding))), style="dim"),
            )
            style = _STYLES[rule.severity]
            table.add_row(Text(rule.severity, style=style), rule.id, f"{finding.count:,}", what)
        console.print(table)
    for line in _unchecked(report):
        console.print(Text(output.harmless(line)))
