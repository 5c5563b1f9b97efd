"""`probe4d judge`: have free answers judged by a model."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli import arguments as reading
from probe4d.cli import ask_options as options
from probe4d.wording import amount, counted, most_frequent

if TYPE_CHECKING:
    from probe4d.benchmarks.benchmark import Benchmark
    from probe4d.diagnosis.judging.judgements import Judgements
    from probe4d.runs.evidence_plan import EvidencePlan
    from probe4d.runs.run import Run

__all__ = ["judge"]

judge = typer.Typer(help="Judge free answers with a model.", no_args_is_help=True)
app.add_typer(judge, name="judge")


@judge.command("run")
def run_judge(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of a benchmark.")],
    run: Annotated[Path, typer.Argument(metavar="RUN", help="Run folder whose free answers are judged.")],
    *,
    model: Annotated[
        str,
        typer.Option("--model", "-m", metavar="PROVIDER/NAME", help="inspect-ai name of the judge."),
    ],
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", metavar="FOLDER", help="Folder of the judgements; the same command goes on."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Send nothing: count calls, pictures and tokens, and print one request.")
    ] = False,
    rubric: Annotated[
        str,
        typer.Option(
            "--rubric",
            metavar="NAME",
            help="stride (0 to 10), b4dl (0 to 100) or b4dl-without-reference (0 to 100, three aspects).",
        ),
    ] = "stride",
    evidence: Annotated[
        str,
        typer.Option(
            "--evidence",
            metavar="NAME",
            help="own: what the run showed, but true; none: the judge reads text alone; or cameras, birds-eye, "
            "one-camera.",
        ),
    ] = "own",
    data: options.Data = None,
    version: options.Version = None,
    max_frames: Annotated[
        int, typer.Option("--max-frames", metavar="N", help="Most frames shown; more are thinned evenly.")
    ] = 8,
    workers: options.Workers = None,
    base_url: options.BaseUrl = None,
    arguments: Annotated[
        list[str] | None,
        typer.Option("-M", metavar="KEY=VALUE", help="An argument of the provider's own; repeatable."),
    ] = None,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", metavar="N", help="Most tokens of a reply, thoughts among them.")
    ] = 4096,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Seed of the judge, and of the delimiters of answers.")
    ] = 42,
    reasoning_effort: options.ReasoningEffort = None,
    image_detail: options.ImageDetail = None,
    extra_body: options.ExtraBody = None,
    max_connections: Annotated[
        int | None, typer.Option("--max-connections", metavar="N", help="Most requests at once. Left out: 10.")
    ] = None,
    max_retries: options.MaxRetries = 5,
    timeout: options.Timeout = 600,
) -> None:
    """Have a model score a run's answers to questions of free text (STRIDE, App. A.5), at temperature 0.

    Answers are quoted, so that none can speak to the judge. What was judged is never lost: the same command goes on
    where it stopped, and the judgements go into `probe4d diagnose --judgements`. Keys come from the environment, or
    from .env in the working directory.
    """
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.cli.ask_printing import print_dry_run
    from probe4d.diagnosis.judging.dry_run import dry_judge
    from probe4d.diagnosis.judging.judging import judge as judge_answers
    from probe4d.diagnosis.judging.plan import JudgePlan
    from probe4d.diagnosis.judging.prepared import prepare_judging
    from probe4d.errors import InputError, RunError
    from probe4d.models.generation import Generation
    from probe4d.runs.plan import Course
    from probe4d.runs.run import read_run

    reading.read_environment()
    if out is None and not dry_run:
        raise InputError(
            "judging needs a folder for the judgements.", remedy="Give --out FOLDER, or --dry-run to send nothing."
        )
    read, answered = read_benchmark(benchmark), read_run(run)
    shown = _evidence(evidence, answered, max_frames)
    plan = JudgePlan(
        rubric=rubric,
        evidence=shown,
        generation=Generation(
            temperature=0.0,
            seed=seed,
            max_tokens=max_tokens,
            reasoning_effort=reasoning_effort,
            image_detail=image_detail,
            extra_body={} if extra_body is None else reading.json_object(extra_body, option="--extra-body"),
        ),
        base_url=base_url,
        arguments=reading.key_values(arguments or (), option="-M"),
    )
    course = Course(max_connections=max_connections, max_retries=max_retries, timeout_s=timeout, workers=workers)
    scenes = reading.scenes_shown(read, shown, data, version)
    if dry_run or out is None:
        prepared = prepare_judging(read, answered, plan, scenes=scenes)
        print_dry_run(dry_judge(prepared, model=model), counted_by="4 bytes a token")
        _note_unsent(answered, read)
        return
    try:
        with output.progress("judgements") as counter:
            judgements = judge_answers(
                read,
                answered,
                out,
                model=model,
                plan=plan,
                scenes=scenes,
                course=course,
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


def _evidence(name: str, run: Run, max_frames: int) -> EvidencePlan:
    """What the judge is shown, by its name on the command line."""
    from probe4d.diagnosis.judging.plan import evidence_shown_by
    from probe4d.errors import InputError
    from probe4d.runs.evidence_plan import evidence_named

    if name == "own":
        return evidence_shown_by(run, max_frames=max_frames)
    shown = evidence_named(name, max_frames=max_frames)
    if shown.view == "lidar" or shown.kind not in ("own", "none"):
        raise InputError(
            f"a judge is shown the true pictures or none, not {name}.",
            remedy="Give own, none, cameras, birds-eye or one-camera.",
        )
    return shown


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
