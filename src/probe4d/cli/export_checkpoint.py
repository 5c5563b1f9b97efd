"""`probe4d export-checkpoint`: a trained LiDAR language model in the layout of B4DL's released checkpoints."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from probe4d.cli import app, output

__all__ = ["export_checkpoint"]


@app.command("export-checkpoint")
def export_checkpoint(
    checkpoint: Annotated[
        Path, typer.Argument(metavar="CKPT", help="Checkpoint of `probe4d train projector` or `train lora`.")
    ],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Folder to write, new or empty.")],
    base: Annotated[
        Path | None,
        typer.Option("--base", metavar="DIR", help="Its language model, if that is no longer where it was."),
    ] = None,
) -> None:
    """Write a checkpoint for the released code of B4DL and LiDAR-Hallu: a folder for each stage of the training.

    What that layout cannot hold is refused, and named.
    """
    from probe4d.models.lidar_lm.checkpoints.record import refuse_no_checkpoint
    from probe4d.models.lidar_lm.needs import refuse_missing
    from probe4d.store.folders import refuse_full

    refuse_missing()
    refuse_no_checkpoint(checkpoint)
    refuse_full(out)
    from probe4d.models.lidar_lm.checkpoints.checkpoint import load_lidar_lm  # with torch, which takes seconds
    from probe4d.models.lidar_lm.checkpoints.released import save_released_checkpoint

    save_released_checkpoint(load_lidar_lm(checkpoint, base=base), out)
    for stage in sorted(out.iterdir()):
        print(output.harmless(f"{stage}: {', '.join(sorted(file.name for file in stage.iterdir()))}"))
