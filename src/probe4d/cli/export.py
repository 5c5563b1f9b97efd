"""`probe4d export`: a benchmark written for another harness."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli import ask_options as options
from probe4d.cli.groups import with_groups
from probe4d.cli.shared_options import Prompts
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.exchange.exports import Target
from probe4d.wording import counted

__all__ = ["export"]


@app.command("export")
@with_groups
def export(
    benchmark: options.Bench,
    to: Annotated[
        Target,
        typer.Option("--to", help="The harness; training: rows to train a LiDAR model on; b4dl: as B4DL's release."),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to write, new or empty.")],
    prompts: Prompts,
    ego_text: Annotated[
        EgoText,
        typer.Option("--ego-text", help="Of training: which text about the ego vehicle's motion goes into every row."),
    ] = "none",
    scale: Annotated[
        float | None,
        typer.Option(
            "--scale",
            metavar="PERCENT",
            help="Of training: the part of each task that is learnt from, inside every larger part of one "
            "--sample-seed; left out: all.",
        ),
    ] = None,
    with_held_out: Annotated[
        bool,
        typer.Option("--with-held-out", help="Of training: learn from scenes of nuScenes val and test as well."),
    ] = False,
) -> None:
    """Write a benchmark for another harness, with its pictures where evidence is shown, or for training."""
    from probe4d.benchmarks.benchmark import read_benchmark
    from probe4d.errors import InputError
    from probe4d.exchange.exports.export import export as write
    from probe4d.exchange.exports.items import left_out_lines
    from probe4d.exchange.exports.training import export_training
    from probe4d.runs.plan import RunPlan
    from probe4d.runs.selection import Selection

    if to != "training" and ego_text != "none":
        raise InputError("--ego-text is an option of --to training.", remedy="Export --setting ego instead.")
    if to != "training" and (scale is not None or with_held_out):
        raise InputError(
            "--scale and --with-held-out are options of --to training.", remedy="Give --sample N for a part."
        )
    if to == "b4dl":
        _export_b4dl(benchmark, out, prompts)
        return
    shown = prompts.evidence_plan(usual="lidar", usual_view="lidar") if to == "training" else prompts.evidence_plan()
    selection = prompts.selection()
    if scale is not None:  # whose draw takes the seed, though no number of questions is given
        selection = selection or Selection(seed=prompts.sample_seed)
    plan = RunPlan(setting=prompts.setting, evidence=shown, selection=selection)
    # What is held out of training, questions of any family may tell.
    read = read_benchmark(benchmark) if to == "training" else prompts.questions(benchmark, shown)
    scenes = prompts.scenes(read, shown)
    with output.progress("prompts") as counter:
        if to == "training":
            exported = export_training(
                read,
                out,
                plan=plan,
                ego_text=ego_text,
                scenes=scenes,
                scale=scale,
                with_held_out=with_held_out,
                begun=counter.expect,
                done=counter,
            )
        else:
            workers = prompts.workers
            exported = write(
                read, out, to=to, plan=plan, scenes=scenes, workers=workers, begun=counter.expect, done=counter
            )
    print(f"{out}: {counted(len(exported.items), 'prompt')}, {counted(exported.pictures, 'picture')} for {to}")
    if exported.pictures:
        output.note(f"The pictures fall under the licence of the dataset: {read.record.source.licence}.")
    for line in left_out_lines(exported.left_out):
        output.note(line)


def _export_b4dl(benchmark: Path, out: Path, prompts: Prompts) -> None:
    from probe4d.errors import InputError
    from probe4d.exchange.b4dl_release.writing import export_b4dl
    from probe4d.exchange.exports.items import left_out_lines

    shown = prompts.evidence_plan()
    if shown.view is not None or prompts.setting != "default":
        raise InputError(
            "B4DL's release holds bare questions, with no setting and nothing shown.",
            remedy="Leave --setting and --evidence out.",
        )
    read = prompts.questions(benchmark, shown)
    written = export_b4dl(read, out, scenes=prompts.scenes(read, shown), selection=prompts.selection())
    print(f"{out}: {counted(written.rows, 'row')}, {counted(written.chunks, 'chunk')} for b4dl")
    for line in (*written.notes, *left_out_lines(written.left_out)):
        output.note(line)
