"""`probe4d review`: a sheet in which people decide on questions or answer them, and what becomes of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from probe4d.cli import app, output
from probe4d.cli import ask_options as options
from probe4d.cli.written_files import unkept
from probe4d.wording import counted, most_frequent

if TYPE_CHECKING:
    from probe4d.review.applying import AppliedReview
    from probe4d.runs.evidence_plan import EvidencePlan

__all__ = ["Bench", "Evidence", "MaxFrames", "review", "shown_to_reviewers"]

_SHEET = "sheet"


class _Review(TyperGroup):
    """Takes what is no command of its own for the arguments of the sheet."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the sheet's command before a benchmark: `review BENCH` is `review sheet BENCH`."""
        if args and args[0] not in self.commands and args[0] not in ("-h", "--help"):
            args = [_SHEET, *args]
        return super().parse_args(ctx, args)


review = typer.Typer(
    cls=_Review,
    help="Look through a benchmark: `probe4d review BENCH --out SHEET.html` writes a sheet to be filled in.",
    no_args_is_help=True,
)
app.add_typer(review, name="review")

Bench = Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")]
Evidence = Annotated[
    str, typer.Option("--evidence", metavar="NAME", help="What is shown: cameras, birds-eye, one-camera or none.")
]
MaxFrames = Annotated[
    int, typer.Option("--max-frames", metavar="N", help="Most frames shown; more are thinned evenly.")
]
DecisionsFile = Annotated[
    Path, typer.Argument(metavar="DECISIONS.json", help="The file that the page of a sheet saved.")
]


@review.command(_SHEET)
def sheet(
    benchmark: Bench,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", callback=unkept, metavar="SHEET.html", help="The page to write.")],
    data: options.Data = None,
    version: options.Version = None,
    answer: Annotated[
        bool, typer.Option("--answer", help="For people who answer yes-no and choice questions; holds no reference.")
    ] = False,
    model_answers: Annotated[
        Path | None,
        typer.Option("--model-answers", metavar="RUN", help="Run whose answers to open questions are scored."),
    ] = None,
    per_template: Annotated[
        int, typer.Option("--per-template", metavar="N", help="Most questions of a template.")
    ] = 10,
    seed: Annotated[int, typer.Option("--seed", metavar="N", help="Seed of the sample.")] = 42,
    audit: Annotated[
        Path | None,
        typer.Option(
            "--audit", metavar="FOLDER", help="What `probe4d review audit` wrote: proposals, to be taken or not."
        ),
    ] = None,
    evidence: Evidence = "cameras",
    max_frames: MaxFrames = 16,
    workers: options.Workers = None,
) -> None:
    """Write a sheet: one page that opens offline, with frames, questions and references, to be decided on.

    The page saves decisions as a file, for `probe4d review apply` (or, with --answer, `probe4d review run`).
    """
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.cli import arguments as reading
    from probe4d.review.proposals import read_proposals
    from probe4d.review.sheet import write_review_sheet
    from probe4d.runs.run import read_run

    read = read_benchmark(benchmark)
    shown = shown_to_reviewers(evidence, max_frames)
    scenes = None if shown.kind == "none" else reading.scenes_shown(read, shown, data, version)
    audited = None if audit is None else read_proposals(audit, read)
    for warning in () if audited is None else audited.warnings:
        output.note(warning)
    written = write_review_sheet(
        read,
        out,
        scenes=scenes,
        mode="answer" if answer else "review",
        answers=None if model_answers is None else read_run(model_answers),
        proposals=None if audited is None else audited.by_question,
        per_template=per_template,
        seed=seed,
        evidence=shown,
        workers=workers,
    )
    what = f"{counted(written.questions, 'question')} of {counted(written.templates, 'template')}"
    typer.echo(f"{out}: {what}, {counted(written.pictures, 'picture')}, {out.stat().st_size / 1e6:.1f} MB")
    if written.unpictured:
        output.note(f"{counted(len(written.unpictured), 'question')} without pictures; the page says what is missing:")
    for line in most_frequent(Counter(written.unpictured.values()), rest="other reasons"):
        output.note(f"  {line}")


@review.command("apply")
def apply(
    benchmark: Bench,
    decisions: DecisionsFile,
    *,
    out: Annotated[Path, typer.Option("--out", "-o", metavar="BENCH2", help="Folder of the new benchmark.")],
    most_rejected: Annotated[
        float,
        typer.Option(
            "--most-rejected",
            metavar="SHARE",
            help="Share of a template's reviewed questions that may be rejected, 0 to 1; more remove it whole.",
        ),
    ] = 0.0,
) -> None:
    """Write the benchmark that a review leaves: templates kept or removed whole, references rewritten.

    At --most-rejected 0 one rejected question removes its template. A decision on a whole template in the sheet goes
    before that. Old and new references stand in the questions' facts, the shares in the card.
    """
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.review.applying import apply_review

    _print(apply_review(read_benchmark(benchmark), decisions, out, most_rejected=most_rejected), out)


@review.command("run")
def run(
    benchmark: Bench,
    decisions: DecisionsFile,
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="RUN", help="Folder of the run, which gives it its name: human.")
    ],
) -> None:
    """Write what a person answered in a sheet made with --answer as a run, which `probe4d diagnose` takes like any."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.review.people import write_human_run

    written = write_human_run(read_benchmark(benchmark), decisions, out)
    typer.echo(f"{out}: {counted(written.answers.height, 'answer')} of a person")
    for line in most_frequent(Counter(one.reason for one in written.left_out), rest="other reasons"):
        output.note(f"  {line}")


def shown_to_reviewers(name: str, max_frames: int) -> EvidencePlan:
    """What a sheet shows, by its name on the command line."""
    import msgspec

    from probe4d.review.sheet import SHOWN
    from probe4d.runs.evidence_plan import true_evidence_named

    shown = true_evidence_named(name, viewers="people are", max_frames=max_frames)
    return msgspec.structs.replace(shown, pictures=SHOWN.pictures) if shown.kind == "own" else shown


def _print(applied: AppliedReview, out: Path) -> None:
    """Say which templates went and why, and where references are from."""
    removed = [one for one in applied.templates if one.is_removed]
    before = sum(one.questions for one in applied.templates)
    typer.echo(
        f"{out}: {applied.benchmark.record.questions:,} of {counted(before, 'question')} stay, "
        f"{len(applied.templates) - len(removed)} of {counted(len(applied.templates), 'template')}"
    )
    for one in removed:
        output.note(f"  removed {one.name}: {one.reason}")
    if unreviewed := sum(not one.is_reviewed for one in applied.templates):
        output.note(
            f"  {counted(unreviewed, 'template')} that nobody looked at {'stays' if unreviewed == 1 else 'stay'}"
        )
    for line in most_frequent(applied.references, rest="others"):
        output.note(f"  references: {line}")
