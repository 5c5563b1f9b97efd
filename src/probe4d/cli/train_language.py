"""`probe4d train projector` and `probe4d train lora`: the two stages of a LiDAR language model."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from probe4d.cli import output
from probe4d.cli.groups import with_groups
from probe4d.cli.train import train
from probe4d.errors import InputError
from probe4d.evidence.ego_text_kind import EgoText
from probe4d.models.lidar_lm.layouts import Layout
from probe4d.models.lidar_lm.training.options import Precision, Stage
from probe4d.wording import counted

if TYPE_CHECKING:
    from probe4d.models.lidar_lm.training.options import TrainingOptions
    from probe4d.models.lidar_lm.training.rows import TrainingRow
    from probe4d.models.lidar_lm.training.stages import Trained

__all__ = ["train_lora", "train_projector"]


def _how(*names: str, **option: Any) -> Any:
    return typer.Option(*names, rich_help_panel="How it learns: left out, as training.toml has it", **option)


@dataclass(frozen=True)
class Hyperparameters:
    """How a stage learns; the fields are options of the command line, null where `training.toml` decides."""

    config: Annotated[
        Path | None, _how("--config", metavar="TOML", help="File over training.toml, whole or in part.")
    ] = None
    epochs: Annotated[int | None, _how("--epochs", help="How often all rows are seen.")] = None
    batch: Annotated[int | None, _how("--batch", help="Rows at once on a device; lower it to save memory.")] = None
    accumulation: Annotated[int | None, _how("--accumulation", help="Batches a step.")] = None
    learning_rate: Annotated[float | None, _how("--learning-rate", help="Its peak.")] = None
    precision: Annotated[Precision | None, _how("--precision", metavar="NAME", help="bf16, fp16 or fp32.")] = None
    gradient_checkpointing: Annotated[
        bool | None,
        _how("--recompute/--no-recompute", help="Compute activations twice (gradient checkpointing), to save memory."),
    ] = None
    max_length: Annotated[int | None, _how("--max-length", help="Most tokens and feature rows of a row.")] = None
    seed: Annotated[int | None, _how("--seed", help="Of the order of rows, new weights and dropout.")] = None
    checkpoint_every: Annotated[
        int | None, _how("--checkpoint-every", help="Steps; a killed training goes on from the last checkpoint.")
    ] = None


Rows = Annotated[
    Path,
    typer.Argument(metavar="ROWS", help="Training rows: folder of `export --to training`, or file of `import`."),
]
Features = Annotated[
    Path, typer.Option("--features", metavar="FEATURES", help="Features of their scenes, of `probe4d encode`.")
]
Out = Annotated[
    Path, typer.Option("--out", "-o", metavar="CKPT", help="Folder of the checkpoint, new or to go on with.")
]


@train.command("projector")
@with_groups
def train_projector(
    rows: Rows,
    base: Annotated[
        Path,
        typer.Option("--base", metavar="DIR", help="Folder of a language model of transformers, such as Vicuna."),
    ],
    features: Features,
    out: Out,
    how: Hyperparameters,
    layout: Annotated[
        Layout, typer.Option("--layout", help="Prompt layout that the model is later trained and asked in.")
    ] = "hallu",
) -> None:
    """Train the layer that turns features into what a language model reads; the language model stays as it is.

    A command that was broken off goes on when it is repeated. On several GPUs: accelerate launch -m probe4d train ...
    """
    from probe4d.models.lidar_lm.features import FeatureFolder
    from probe4d.models.lidar_lm.needs import refuse_missing
    from probe4d.models.lidar_lm.on_disk import refuse_no_language_model
    from probe4d.models.lidar_lm.training.rows import read_training_rows

    refuse_missing()
    _quiet_unless_first()
    options = _options("projector", how)
    refuse_no_language_model(base)
    shown = FeatureFolder(features)
    learnt = read_training_rows(rows)
    from probe4d.models.lidar_lm.training.stages import train_projector as learn  # with torch, which takes seconds

    _learn("projector", partial(learn, learnt, shown, out, base=base, options=options, layout=layout))


@train.command("lora")
@with_groups
def train_lora(
    rows: Rows,
    start: Annotated[Path, typer.Option("--from", metavar="CKPT", help="Checkpoint with a trained projector.")],
    features: Features,
    out: Out,
    how: Hyperparameters,
    base: Annotated[
        Path | None,
        typer.Option("--base", metavar="DIR", help="Its language model, if that is no longer where it was."),
    ] = None,
    rank: Annotated[int | None, _how("--rank", help="Of the LoRA layers.")] = None,
    alpha: Annotated[int | None, _how("--alpha", help="Scale of LoRA, times the rank.")] = None,
    dropout: Annotated[float | None, _how("--dropout", help="Of the input of LoRA layers.")] = None,
    layout: Annotated[
        Layout | None, typer.Option("--layout", help="Prompt layout; left out: that of the checkpoint it starts from.")
    ] = None,
    ego_text: Annotated[
        EgoText | None,
        typer.Option(
            "--ego-text",
            help="Text about the ego vehicle's motion for every row, from its question alone: none makes B4DL, "
            "question B4DL-Ego; left out: what the rows have.",
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="DATAROOT", help="Dataset that --ego-text is measured in.")
    ] = None,
    version: Annotated[str | None, typer.Option("--version", help="Its folder of tables, such as v1.0-mini.")] = None,
) -> None:
    """Train LoRA layers in the language model on questions and answers; the projector stays as it is.

    A command that was broken off goes on when it is repeated. On several GPUs: accelerate launch -m probe4d train ...
    """
    from probe4d.models.lidar_lm.checkpoints.record import refuse_no_checkpoint
    from probe4d.models.lidar_lm.features import FeatureFolder
    from probe4d.models.lidar_lm.needs import refuse_missing
    from probe4d.models.lidar_lm.on_disk import refuse_no_language_model
    from probe4d.models.lidar_lm.training.rows import read_training_rows

    refuse_missing()
    _quiet_unless_first()
    if ego_text is None and (data, version) != (None, None):
        raise InputError("--data and --version are of --ego-text.", remedy="Leave them out, or say which text.")
    options = _options("lora", how, rank=rank, alpha=alpha, dropout=dropout)
    refuse_no_checkpoint(start)
    if base is not None:
        refuse_no_language_model(base)
    shown = FeatureFolder(features)
    learnt = read_training_rows(rows)
    if ego_text is not None:
        learnt = _with_ego_text(learnt, ego_text, data, version)
    from probe4d.models.lidar_lm.training.stages import train_lora as learn  # with torch, which takes seconds

    _learn("checkpoint", partial(learn, learnt, shown, out, start=start, base=base, options=options, layout=layout))


def _learn(what: str, learn: Callable[..., Trained]) -> None:
    with output.progress("Training, steps") as counter:
        done = learn(begun=counter.expect, done=counter)
    _tell(done, what)


def _options(stage: Stage, how: Hyperparameters, **given: Any) -> TrainingOptions:
    from probe4d.models.lidar_lm.training.options import training_options

    return training_options(stage, **dataclasses.asdict(how), **given)


def _with_ego_text(rows: list[TrainingRow], kind: EgoText, data: Path | None, version: str | None) -> list[TrainingRow]:
    from probe4d.models.lidar_lm.training.rows import with_ego_text
    from probe4d.scenes.opening import open_scenes

    return with_ego_text(rows, kind, None if data is None else open_scenes(data, version=version).keyframes)


def _is_first() -> bool:
    """Whether this process is the one that speaks, of those that `accelerate launch` started."""
    return os.environ.get("RANK", "0") == "0"


def _quiet_unless_first() -> None:
    output.settings.quiet |= not _is_first()


def _tell(done: Trained, what: str) -> None:
    if not _is_first():
        return
    from probe4d.models.lidar_lm.training.loss_log import LOSSES_FILE, PICTURE_FILE

    if not done.losses:
        typer.echo(f"{done.folder}: {what}, trained before; nothing was left to do, and {LOSSES_FILE} is gone.")
        return
    first, last = done.losses[0], done.losses[-1]
    taken = done.losses[done.steps_before :]
    typer.echo(f"{done.folder}: {what} of {counted(last.step, 'step')}, loss {first.loss:.3f} to {last.loss:.3f}")
    if taken:
        rows_a_second = sum(loss.rows for loss in taken) / sum(loss.seconds for loss in taken)
        before = f"; {counted(done.steps_before, 'step')} were done before" if done.steps_before else ""
        output.note(f"{rows_a_second:.1f} rows a second{before}.")
    else:
        output.note("It was trained before; nothing was left to do.")
    output.note(f"The losses are in {LOSSES_FILE} there, and in {PICTURE_FILE}.")
