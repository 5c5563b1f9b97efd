"""`probe4d import`: other people's questions and answers become a benchmark and a run, or rows to train on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from probe4d.cli import app, output
from probe4d.cli.written_files import unkept
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.exchange.b4dl_release.layout_names import Layout
from probe4d.wording import counted

imports = typer.Typer(help="Import released questions, or answers recorded elsewhere.", no_args_is_help=True)
app.add_typer(imports, name="import")


@imports.command("lidar-hallu")
def import_lidar_hallu(
    release: Annotated[
        Path, typer.Argument(metavar="RELEASE", help="Folder with the release's files of one run; any subset will do.")
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Benchmark folder; one that holds these questions stays as it is.")
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
    typer.echo(f"{out}: {counted(done.benchmark.height, 'question')}, {how}")
    if run is not None and done.run is not None:
        told = f"{done.run.model}, {done.run.setting}, {done.run.layout} layout"
        typer.echo(f"{run}: {counted(done.answers, 'answer')}, {counted(done.errors, 'error')} ({told})")
    for sentence in done.notes:
        output.note(sentence)


@imports.command("b4dl")
def import_b4dl(
    release: Annotated[
        Path,
        typer.Argument(metavar="RELEASE", help="Folder of the release in any of its layouts, or one of its files."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="Benchmark folder to write.")],
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DATAROOT", help="Dataset; left out: scenes keep the ids of the release."),
    ] = None,
    version: Annotated[str | None, typer.Option("--version", help="Folder of tables, such as v1.0-mini.")] = None,
    split: Annotated[
        Literal["train", "test"] | None, typer.Option("--split", help="Rows to import; left out: all.")
    ] = None,
    layout: Annotated[
        Layout | None,
        typer.Option("--layout", help="Layout to read of a folder with several; left out: the one that says most."),
    ] = None,
) -> None:
    """Import B4DL's released questions, or such as its pipeline generates."""
    from probe4d.benchmarks.benchmark import CARD_FILE
    from probe4d.exchange.b4dl_release.importing import import_b4dl as import_release
    from probe4d.scenes.opening import open_scenes

    scenes = None if data is None else open_scenes(data, version=version)
    done = import_release(release, out, scenes=scenes, split=split, layout=layout)
    typer.echo(f"{out}: {counted(done.benchmark.height, 'question')} ({done.layout} layout)")
    output.note_left_out(done.benchmark.record.exclusions, where=out / CARD_FILE)
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
    out: Annotated[Path, typer.Option("--run", "--out", "-o", help="Run folder to write.")],
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
            "--problems",
            callback=unkept,
            metavar="FILE",
            help="JSONL file that gets every unknown, repeated and missing id, if any.",
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


@imports.command("training")
def import_training(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="JSON of B4DL (stage2, stage3, conversations) or LiDAR-LLM-Nu-Caption."),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", callback=unkept, metavar="ROWS", help="File of training rows to write.")
    ],
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DATAROOT", help="Dataset; left out: scenes keep the ids of the release."),
    ] = None,
    version: Annotated[str | None, typer.Option("--version", help="Folder of tables, such as v1.0-mini.")] = None,
    split: Annotated[
        str, typer.Option("--split", help="Official split of the dataset whose scenes are learnt from, or all.")
    ] = "train",
    ego_text: Annotated[
        EgoText, typer.Option("--ego-text", help="Text about the ego vehicle's motion that goes into every row.")
    ] = "none",
    scale: Annotated[
        float | None,
        typer.Option(
            "--scale", metavar="PERCENT", help="Part of each task, inside every larger part of one seed; left out: all."
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Seed of that part.")] = 42,
    with_held_out: Annotated[
        bool, typer.Option("--with-held-out", help="Learn from scenes of nuScenes val and test as well.")
    ] = False,
) -> None:
    """Turn released training data into rows for `probe4d train`."""
    from probe4d.benchmarks.splits import select_split
    from probe4d.exchange.released_training import import_training as import_rows
    from probe4d.scenes.opening import open_scenes

    scenes = None if data is None else select_split(open_scenes(data, version=version), split)[0]
    done = import_rows(file, out, scenes=scenes, ego_text=ego_text, scale=scale, seed=seed, with_held_out=with_held_out)
    typer.echo(f"{out}: {counted(done.rows, 'row')}")
    output.note_left_out(done.left_out)
