"""`probe4d review audit`: have a model check the references of open questions against the frames."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options
from probe4d.cli import output
from probe4d.cli.review import Bench, Evidence, MaxFrames, review, shown_to_reviewers
from probe4d.wording import counted, in_percent, most_frequent

if TYPE_CHECKING:
    from probe4d.review.auditing import Audit

__all__ = ["audit"]


@review.command("audit")
def audit(
    benchmark: Bench,
    *,
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="PROVIDER/NAME", help="inspect-ai name of a vision-language model.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Folder of the audit; the same command goes on.")
    ],
    data: options.Data = None,
    version: options.Version = None,
    scored: Annotated[
        Path | None,
        typer.Option("--scored", metavar="DECISIONS.json", help="Decisions of people; what they scored is left out."),
    ] = None,
    evidence: Evidence = "cameras",
    max_frames: MaxFrames = 16,
    workers: options.Workers = None,
    base_url: options.BaseUrl = None,
    arguments: Annotated[
        list[str] | None,
        typer.Option("-M", metavar="KEY=VALUE", help="An argument of the provider's own; repeatable."),
    ] = None,
    max_connections: Annotated[
        int | None, typer.Option("--max-connections", metavar="N", help="Most requests at once. Left out: 10.")
    ] = None,
    max_retries: options.MaxRetries = 5,
    timeout: options.Timeout = 600,
) -> None:
    """Have a vision-language model check references (STRIDE, App. A.6.2): consistent, or a reason and a replacement.

    Nothing is replaced by it: `probe4d review BENCH --audit FOLDER` shows its proposals in a sheet, to be taken or
    refused. Keys come from the environment, or from .env in the working directory.
    """
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.review.auditing import audit_references
    from probe4d.review.decisions import read_decisions
    from probe4d.runs.plan import Course

    reading.read_environment()
    read = read_benchmark(benchmark)
    shown = shown_to_reviewers(evidence, max_frames)
    items = {} if scored is None else read_decisions(scored, read, mode="review").items
    with output.progress("references") as counter:
        found = audit_references(
            read,
            out,
            model=model,
            scenes=reading.scenes_shown(read, shown, data, version),
            but=[name for name, one in items.items() if one.score is not None],
            evidence=shown,
            base_url=base_url,
            arguments=reading.key_values(arguments or (), option="-M"),
            course=Course(max_connections=max_connections, max_retries=max_retries, timeout_s=timeout, workers=workers),
            begun=counter.expect,
            done=counter,
        )
    _print(found, out)
    if found.errors:
        raise typer.Exit(1)


def _print(found: Audit, out: Path) -> None:
    """Say how many references the model finds inconsistent, and for which reasons."""
    from probe4d.review.reasons import OF_REFERENCES

    judged = [one for one in found.replies.values() if one.verdict is not None]
    wrong = [one for one in judged if one.verdict == "inconsistent"]
    share = f" ({in_percent(len(wrong) / len(judged))} %)" if judged else ""
    typer.echo(f"{out}: {len(wrong):,} of {counted(len(judged), 'reference')} inconsistent{share}")
    for line in most_frequent(Counter(OF_REFERENCES[one.reason or "other"] for one in wrong), rest="other reasons"):
        output.note(f"  {line}")
    for what, reasons in (
        ("left open by a reply without a verdict", [one.fault or "" for one in found.replies.values() if one.fault]),
        ("got no reply; the same command asks for them again", list(found.errors.values())),
    ):
        if reasons:
            output.note(f"{counted(len(reasons), 'reference')} {what}:")
        for line in most_frequent(Counter(reasons), rest="other reasons"):
            output.note(f"  {line}")
