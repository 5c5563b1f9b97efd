"""An inspection for people and for scripts: as a JSON document, as lines of text, as tables in a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from probe4d.scenes.sanity.inspection import Finding, Inspection
from probe4d.scenes.sanity.rule import Severity, rules
from probe4d.scenes.sanity.summary import Summary

if TYPE_CHECKING:
    from rich.table import Table

__all__ = ["document", "plain_lines", "print_tables"]

_STYLES = {"error": "bold red", "warning": "yellow", "info": "cyan"}
_SHOWN = 3
"""How many offenders of a rule are printed for people; the document has a few more."""


def document(inspection: Inspection) -> dict[str, Any]:
    """The object that `--json` prints; described in docs/sanity-rules.md."""
    summary = msgspec.to_builtins(inspection.summary)
    if inspection.summary.splits is not None:
        summary["splits"] = {split or "none": count for split, count in inspection.summary.splits.items()}
    return {
        "dataset": str(inspection.root),
        "version": inspection.version,
        "reference_channel": inspection.reference_channel,
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
            for finding in inspection.findings
        ],
        "unchecked": [
            {"rule": rule.id, "name": rule.name, "reason": reason}
            for rule, reason in ((unchecked.rule, unchecked.reason) for unchecked in inspection.unchecked)
        ],
        "excluded": inspection.excluded,
    }


def _facts(inspection: Inspection) -> Iterator[tuple[str, str]]:
    """What the dataset holds, a label and a text each; what is not known is left out."""
    summary: Summary = inspection.summary
    yield "dataset", str(inspection.root)
    yield "version", inspection.version
    yield "reference sensor", inspection.reference_channel or "none"
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


def _verdict(inspection: Inspection) -> str:
    checked = len(rules()) - len(inspection.unchecked) - len(inspection.excluded)
    errors, warnings, notes = (inspection.count(severity) for severity in Severity)
    return (
        f"{checked} rules checked: {errors} error{'' if errors == 1 else 's'}, "
        f"{warnings} warning{'' if warnings == 1 else 's'}, {notes} info."
    )


def _unchecked(inspection: Inspection) -> list[str]:
    """Which rules could not be asked, a line a reason."""
    reasons: dict[str, list[str]] = {}
    for unchecked in inspection.unchecked:
        reasons.setdefault(unchecked.reason, []).append(unchecked.rule.id)
    return [f"Not checked, since {reason}: {', '.join(ids)}." for reason, ids in reasons.items()]


def _first(finding: Finding) -> list[str]:
    """The first offenders, and how many more there are."""
    shown = [name.replace("\n", "\\n") for name in finding.first[:_SHOWN]]  # a name must not look like lines of ours
    more = finding.count - len(shown)
    return [*shown, f"and {more:,} more"] if more else shown


def plain_lines(inspection: Inspection) -> Iterator[str]:
    """An inspection as lines of text, for files and pipes; texts from the dataset stand in it as they are."""
    facts, classes = list(_facts(inspection)), _classes(inspection.summary)
    width = max(len(label) for label, _ in [*facts, *classes])
    yield from (f"{label:<{width}}  {text}" for label, text in facts)
    if classes:
        yield from ("", "boxes per class")
        digits = max(len(text) for _, text in classes)
        yield from (f"{label:<{width}}  {text:>{digits}}" for label, text in classes)
    yield from ("", _verdict(inspection))
    if inspection.findings:
        names = max(len(finding.rule.name) for finding in inspection.findings)
        digits = max(len(f"{finding.count:,}") for finding in inspection.findings)
        for finding in inspection.findings:
            rule = finding.rule
            yield f"{rule.severity:<7}  {rule.id}  {rule.name:<{names}}  {finding.count:>{digits},}"
            yield f"         {rule.description}"
            yield f"         What to do: {rule.remedy}"
            yield f"         {', '.join(_first(finding))}"
    yield from _unchecked(inspection)


def print_tables(inspection: Inspection, clean: Callable[[str], str]) -> None:
    """Print an inspection as tables, for a terminal.

    Args:
        inspection: What was found.
        clean: Takes out of text from the dataset what would steer a terminal.
    """
    from rich.console import Console, Group
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)

    def two_columns(pairs: list[tuple[str, str]], justify: Any) -> Table:
        table = Table.grid(padding=(0, 2))
        table.add_column(style="dim", no_wrap=True)
        table.add_column(justify=justify, overflow="fold")
        for label, text in pairs:
            table.add_row(label, Text(clean(text)))
        return table

    console.print(two_columns(list(_facts(inspection)), "left"))
    if classes := _classes(inspection.summary):
        console.print("\nboxes per class", style="bold")
        console.print(two_columns(classes, "right"))
    console.print(f"\n{_verdict(inspection)}", style="bold")
    if inspection.findings:
        table = Table(show_lines=True, expand=False)
        for name in ("severity", "rule"):
            table.add_column(name, no_wrap=True)
        table.add_column("count", justify="right", no_wrap=True)
        table.add_column("finding", overflow="fold")
        for finding in inspection.findings:
            rule = finding.rule
            what = Group(
                Text(rule.name, style="bold"),
                Text(rule.description),
                Text(f"What to do: {rule.remedy}"),
                Text(clean("\n".join(_first(finding))), style="dim"),
            )
            style = _STYLES[rule.severity]
            table.add_row(Text(rule.severity, style=style), rule.id, f"{finding.count:,}", what)
        console.print(table)
    for line in _unchecked(inspection):
        console.print(Text(clean(line)))
