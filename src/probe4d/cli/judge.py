"""`probe4d judge`: have free answers judged by a model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options
from probe4d.cli.groups import with_groups
from probe4d.cli.judge_options import Checker, Judging, Pace
from probe4d.wording import amount, counted, most_frequent

if TYPE_CHECKING:
    from probe4d.benchmarks.benchmark import Benchmark
    from probe4d.diagnosis.judging.judgements import Judgements
    from probe4d.runs.run import Run

__all__ = ["judge"]

judge = typer.Typer(help="Judge free answers with a model.", no_args_is_help=True)
app.add_typer(judge, name="judge")


@judge.command("run")
@with_groups
def run_judge(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")],
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder whose free answers are judged.")],
    *,
    checker: Checker,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Folder of the judgements; the same command goes on."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Send nothing: count calls, pictures and tokens, and print one request.")
    ] = False,
    judging: Judging,
    data: options.Data = None,
    version: options.Version = None,
    pace: Pace,
) -> None:
    """Have a model score a run's answers to questions of free text (STRIDE, App. A.5), at temperature 0.

    Answers are quoted, so that none can speak to the judge. What was judged is never lost: the same command goes on
    where it stopped, and the judgements go into `probe4d diagnose --judgements`. Keys come from the environment, or
    from .env in the working directory.
    """
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.cli.ask_printing import print_dry_run
    from probe4d.diagnosis.controls.answerers import is_control
    from probe4d.diagnosis.judging.dry_run import dry_judge
    from probe4d.diagnosis.judging.judging import judge as judge_answers
    from probe4d.diagnosis.judging.prepared import prepare_judging
    from probe4d.errors import InputError, RunError
    from probe4d.runs.run import read_run

    reading.read_environment()
    if out is None and not dry_run:
        raise InputError(
            "judging needs a folder for the judgements.", remedy="Give --out FOLDER, or --dry-run to send nothing."
        )
    if is_control(checker.model):
        raise InputError(
            f"{checker.model} is a control, and judges nothing.", remedy="Give --model PROVIDER/NAME of a judge."
        )
    judging.refuse_unfit(checker)
    read, answered = read_benchmark(benchmark), read_run(run)
    shown = judging.shown(answered)
    plan = judging.plan(shown, checker)
    scenes = reading.scenes_shown(read, shown, data, version)
    if dry_run or out is None:
        prepared = prepare_judging(read, answered, plan, scenes=scenes)
        print_dry_run(dry_judge(prepared, model=checker.model), counted_by="4 bytes a token")
        _note_unsent(answered, read)
        return
    try:
        with output.progress("judgements") as counter:
            judgements = judge_answers(
                read,
                answered,
                out,
                model=checker.model,
                plan=plan,
                scenes=scenes,
                course=pace.course,
                begun=counter.expect,
                done=counter,
            )
    except KeyboardInterrupt:
        output.fail(f"stopped; what was judged is kept in {out}, and the same command goes on.")
        raise typer.Exit(130) from None
    except RunError:
        output.note(f"Judging has ended; what was judged is kept in {out}, and the same command goes on.")
        raise
    _print(judgements, out)
    _note_unsent(answered, read)
    if judgements.errors:
        raise typer.Exit(1)


def _note_unsent(run: Run, benchmark: Benchmark) -> None:
    """Say how many answers were not sent, since they hold nothing to judge."""
    from probe4d.diagnosis.judging.candidates import candidates_of

    reasons = candidates_of(run, benchmark)["unfit"].drop_nulls().to_list()
    if reasons:
        output.note(f"{counted(len(reasons), 'answer')} with nothing to judge, not sent and 0 in the mean of all:")
    for line in most_frequent(Counter(reasons), rest="other reasons"):
        output.note(f"  {line}")


def _print(judgements: Judgements, out: Path) -> None:
    """Say how many answers were scored, how high, and what became of the others."""
    lines = judgements.by_key.values()
    scores = [line.score for line in lines if line.score is not None]
    said = f"{counted(len(scores), 'answer')} scored"
    if scores:
        said += f", on average {amount(sum(scores) / len(scores))} of {judgements.record.highest}"
    typer.echo(f"{out}: {said}")
    for what, reasons in (
        ("left unscored by a reply without a verdict", [line.fault for line in lines if line.fault is not None]),
        ("got no reply; the same command asks for them again", list(judgements.errors.values())),
    ):
        if reasons:
            output.note(f"{counted(len(reasons), 'answer')} {what}:")
        for line in most_frequent(Counter(reasons), rest="other reasons"):
            output.note(f"  {line}")
