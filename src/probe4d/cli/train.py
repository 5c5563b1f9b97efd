"""`probe4d train`: the parts of a LiDAR language model learn."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from probe4d.cli import app, output
from probe4d.cli.groups import with_groups
from probe4d.cli.reading_options import Reading
from probe4d.evidence.coverage import Coverage
from probe4d.wording import counted

__all__ = ["train"]

train = typer.Typer(help="Train the parts of a LiDAR language model.", no_args_is_help=True)
app.add_typer(train, name="train")


@train.command("encoder")
@with_groups
def train_encoder(
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset with cameras.")],
    *,
    clip: Annotated[
        Path,
        typer.Option(
            "--clip",
            metavar="DIR",
            help="Folder of a CLIP model of transformers; B4DL has clip-vit-large-patch14.",
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="CKPT", help="Folder of the encoder, new or to go on with.")
    ],
    start: Annotated[
        Path | None,
        typer.Option("--from", metavar="CKPT", help="Encoder to start from; left out: a new one of LidarCLIP's sizes."),
    ] = None,
    coverage: Annotated[
        Coverage,
        typer.Option("--coverage", help="Whole wedges, or the centre squares of images, as in B4DL's release."),
    ] = "wedges",
    split: Annotated[
        str | None,
        typer.Option("--split", help="Official split, or all; left out: train where there are such scenes, else all."),
    ] = None,
    epochs: Annotated[int, typer.Option("--epochs", help="How often every key frame is seen.")] = 20,
    batch: Annotated[int, typer.Option("--batch", help="Key frames a step, each with all its cameras.")] = 21,
    image_batch: Annotated[
        int, typer.Option("--image-batch", min=1, help="Key frames whose images are embedded together.")
    ] = 16,
    learning_rate: Annotated[float, typer.Option("--learning-rate", help="Its peak.")] = 1e-3,
    precision: Annotated[Literal["fp32", "bf16"], typer.Option("--precision", help="Of matrix products.")] = "fp32",
    seed: Annotated[int, typer.Option("--seed", help="Of new weights and of the order of key frames.")] = 42,
    checkpoint_every: Annotated[
        int, typer.Option("--checkpoint-every", help="Steps; a killed training goes on from the last checkpoint.")
    ] = 250,
    reading: Reading,
) -> None:
    """Train a LiDAR encoder to embed what a camera sees as CLIP embeds the camera's image.

    The images are embedded first, and once. A command that was broken off goes on when it is repeated.
    """
    from probe4d.benchmarks.splits import select_split
    from probe4d.evidence.point_clouds import PointClouds
    from probe4d.evidence.wedge_rig import shared_cameras
    from probe4d.models.lidar_lm.needs import refuse_missing
    from probe4d.models.lidar_lm.on_disk import refuse_no_clip, refuse_no_encoder
    from probe4d.models.lidar_lm.training.encoder_options import EncoderTraining

    refuse_missing()
    options = EncoderTraining(
        epochs=epochs,
        batch=batch,
        learning_rate=learning_rate,
        precision=precision,
        seed=seed,
        checkpoint_every=checkpoint_every,
    )
    refuse_no_clip(clip)
    if start is not None:
        refuse_no_encoder(start)
    scenes = reading.scenes(dataroot)
    if split is None:
        split = "train" if "train" in scenes.scenes["split"] else "all"
    learnt, _ = select_split(scenes, split)
    clouds = PointClouds(learnt, coverage, squares_of=shared_cameras(learnt))
    # What follows imports torch, which takes seconds.
    from probe4d.models.lidar_lm.encoder import load_encoder
    from probe4d.models.lidar_lm.image_tower import load_image_tower
    from probe4d.models.lidar_lm.training.encoder import TARGETS, embed_images, new_encoder
    from probe4d.models.lidar_lm.training.encoder import train_encoder as learn

    tower = load_image_tower(clip)
    with output.progress("Embedding images") as counter:
        targets = embed_images(
            clouds,
            tower,
            out / TARGETS,
            batch=image_batch,
            workers=reading.workers,
            device=reading.device,
            begun=counter.expect,
            done=counter,
        )
    before = ""

    def begun(steps: int, done_before: int) -> None:
        nonlocal before
        before = f"{done_before:,} of {counted(steps, 'step')} were done before." if done_before else ""
        counter.expect(steps, done_before)

    with output.progress("Training, steps") as counter:
        encoder = learn(
            clouds,
            targets,
            out,
            encoder=new_encoder(tower.width, seed=seed) if start is None else load_encoder(start),
            options=options,
            workers=reading.workers,
            device=reading.device,
            begun=begun,
            done=counter,
        )
    typer.echo(f"{out}: encoder {encoder.fingerprint}, rows of width {len(clouds.channels) * tower.width}")
    if before:
        output.note(before)
