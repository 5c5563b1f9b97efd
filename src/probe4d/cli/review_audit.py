"""`probe4d review audit`: have a model check the references of open questions against the frames."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options
from probe4d.cli import output
from probe4d.cli.groups import with_groups
from probe4d.cli.judge_options import Checker, Pace
from probe4d.cli.review import Bench, Evidence, MaxFrames, review, shown_to_reviewers
from probe4d.wording import counted, in_percent, most_frequent

if TYPE_CHECKING:
    from probe4d.review.proposals import Proposals

__all__ = ["audit"]


@review.command("audit")
@with_groups
def audit(
    benchmark: Bench,
    *,
    checker: Checker,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Folder of the audit; the same command goes on."),
    ] = None,
    dry_run: options.DryRun = False,
    data: options.Data = None,
    version: options.Version = None,
    scored: Annotated[
        Path | None,
        typer.Option("--scored", metavar="DECISIONS.json", help="Decisions of people; what they scored is left out."),
    ] = None,
    evidence: Evidence = "cameras",
    max_frames: MaxFrames = 16,
    pace: Pace,
) -> None:
    """Have a vision-language model check references (STRIDE, App. A.6.2): consistent, or a reason and a replacement.

    Nothing is replaced by it: `probe4d review BENCH --audit FOLDER` shows its proposals in a sheet, to be taken or
    refused. No reply is lost: the same command goes on where it stopped. Keys come from the environment, or from .env
    in the working directory.
    """
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.cli.ask_printing import print_dry_run
    from probe4d.errors import InputError, RunError
    from probe4d.review.decisions import read_decisions
    from probe4d.review.preparing import dry_proposals, prepare_proposals
    from probe4d.review.proposing import propose_references

    reading.read_environment()
    if out is None and not dry_run:
        raise InputError(
            "an audit needs a folder for its proposals.", remedy="Give --out FOLDER, or --dry-run to send nothing."
        )
    read = read_benchmark(benchmark)
    shown = shown_to_reviewers(evidence, max_frames)
    scenes = reading.scenes_shown(read, shown, data, version)
    items = {} if scored is None else read_decisions(scored, read, mode="review").items
    but = [name for name, one in items.items() if one.score is not None]
    if dry_run or out is None:
        prepared = prepare_proposals(
            read, scenes=scenes, but=but, evidence=shown, generation=checker.generation, arguments=checker.given
        )
        print_dry_run(dry_proposals(prepared, model=checker.model), counted_by="4 bytes a token")
        return
    try:
        with output.progress("references") as counter:
            found = propose_references(
                read,
                out,
                model=checker.model,
                scenes=scenes,
                but=but,
                evidence=shown,
                generation=checker.generation,
                base_url=checker.base_url,
                arguments=checker.given,
                course=pace.course,
                begun=counter.expect,
                done=counter,
            )
    except KeyboardInterrupt:
        output.fail(f"stopped; what was checked is kept in {out}, and the same command goes on.")
        raise typer.Exit(130) from None
    except RunError:
        output.note(f"The audit has ended; what was checked is kept in {out}, and the same command goes on.")
        raise
    _print(found, out)
    if found.errors:
        raise typer.Exit(1)


def _print(found: Proposals, out: Path) -> None:
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
