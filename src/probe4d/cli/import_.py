"""`probe4d import`: other people's questions and answers become a benchmark and a run."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from probe4d.cli import app, output
from probe4d.wording import counted

imports = typer.Typer(help="Import released questions, or answers recorded elsewhere.", no_args_is_help=True)
app.add_typer(imports, name="import")


@imports.command("lidar-hallu")
def import_lidar_hallu(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="Folder with the release's files of one run; any subset will do.")
    ],
    out: Annotated[
        Path, typer.Option("--out", help="Benchmark folder; one that holds these questions stays as it is.")
    ],
    run: Annotated[Path | None, typer.Option("--run", help="Run folder to write; left out: questions only.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", help="Name of the model; left out: B4DL, or B4DL-Ego.")
    ] = None,
    setting: Annotated[
        str | None, typer.Option("--setting", help="Name of the setting; left out: told from the records.")
    ] = None,
) -> None:
    """Import LiDAR-Hallu's released questions and recorded answers."""
    from probe4d.exchange.lidar_hallu_release import import_lidar_hallu as import_release

    done = import_release(release, out, run, model=model, setting=setting)
    how = "written" if done.created else "left as it is"
    typer.echo(f"{out}: {counted(done.benchmark.table.height, 'question')}, {how}")
    if run is not None and done.run is not None:
        told = f"{done.run.model}, {done.run.setting}, {done.run.layout} layout"
        typer.echo(f"{run}: {counted(done.answers, 'answer')}, {counted(done.errors, 'error')} ({told})")
    for sentence in done.notes:
        output.note(sentence)


@imports.command("answers")
def import_answers(
    benchmark: Annotated[Path, typer.Argument(metavar="BENCH", help="Folder of the benchmark that was asked.")],
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="CSV, TSV or JSONL: columns question (the id) and text (the reply), and where there are any error, "
            "reasoning, finish_reason, variant and rotation; or samples that lm-evaluation-harness logged.",
        ),
    ],
    out: Annotated[Path, typer.Option("--run", "--out", help="Run folder to write.")],
    model: Annotated[
        str | None, typer.Option("--model", help="Who answered: a model, or `human`; left out: the file's name.")
    ] = None,
    setting: Annotated[str, typer.Option("--setting", help="Name of the setting.")] = "default",
    new_setting: Annotated[
        bool, typer.Option("--new-setting", help="The setting is none of Probe4D's; replies are read as in default.")
    ] = False,
    layout: Annotated[
        Literal["plain", "ego"] | None,
        typer.Option("--layout", help="Whether prompts held the ego-motion text (ego); left out: as the setting has."),
    ] = None,
    allow_missing: Annotated[bool, typer.Option("--allow-missing", help="Questions may go without answer.")] = False,
    problems: Annotated[
        Path | None,
        typer.Option(
            "--problems", metavar="FILE", help="JSONL file that gets every unknown, repeated and missing id, if any."
        ),
    ] = None,
) -> None:
    """Import answers recorded elsewhere, of models or of people, to the questions of a benchmark."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.exchange.answers import import_answers as import_file

    record, answers, errors = import_file(
        read_benchmark(benchmark),
        file,
        out,
        model=model,
        setting=setting,
        new_setting=new_setting,
        layout=layout,
        allow_missing=allow_missing,
        problems=problems,
    )
    typer.echo(f"{out}: {counted(answers, 'answer')}, {counted(errors, 'error')} ({record.model}, {record.setting})")
