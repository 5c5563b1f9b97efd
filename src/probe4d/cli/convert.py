"""`probe4d convert`: other datasets become a folder in the schema of nuScenes, which every verb reads."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import app, output
from probe4d.wording import counted

if TYPE_CHECKING:
    from probe4d.scenes.nuscenes_writing.conversion import Converted

conversions = typer.Typer(
    help="Write other datasets as a folder in the schema of nuScenes, which every verb reads.", no_args_is_help=True
)
app.add_typer(conversions, name="convert")

Shards = Annotated[
    Path, typer.Argument(metavar="SHARDS", help="Folder with the TFRecord files (*.tfrecord*); any subset will do.")
]
Out = Annotated[
    Path,
    typer.Option(
        "--out", "-o", metavar="DATAROOT", help="Folder to write: new, empty, or of the same conversion, unfinished."
    ),
]
Workers = Annotated[int, typer.Option("--workers", min=1, help="Processes to share shards and sequences among.")]


@conversions.command("wod-e2e")
def convert_wod_e2e(
    shards: Shards,
    out: Out,
    clusters: Annotated[
        Path | None,
        typer.Option("--clusters", metavar="FILE", help="Released scenario clusters, a JSON object by sequence."),
    ] = None,
    workers: Workers = 1,
) -> None:
    """Convert Waymo's end-to-end driving data: eight cameras, ego states, intent, rated trajectories; no LiDAR.

    Frames become two key frames a second. A command that was broken off goes on where it stopped when it is repeated.
    """
    from probe4d.scenes.wod_e2e.conversion import convert_wod_e2e as convert

    _tell(convert(shards, out, clusters=clusters, workers=workers, stages=output.progress))


@conversions.command("waymo")
def convert_waymo(shards: Shards, out: Out, workers: Workers = 1) -> None:
    """Convert Waymo's perception data: five cameras, laser labels as boxes, points where there are range images.

    Frames become two key frames a second. A command that was broken off goes on where it stopped when it is repeated.
    """
    from probe4d.scenes.waymo.conversion import convert_waymo as convert

    _tell(convert(shards, out, workers=workers, stages=output.progress))


def _tell(converted: Converted) -> None:
    """Say what was left out, and where the dataset lies."""
    reasons = dict(converted.left_out.group_by("reason").len().iter_rows())
    output.note_left_out(reasons)
    if reasons:
        output.note(f"{converted.root / 'left_out.csv'} lists {counted(sum(reasons.values()), 'place')}.")
    there = ", already there" if converted.was_there else ""
    output.note(f"version {converted.version}{there}:")
    typer.echo(str(converted.root))
