"""`probe4d detect`: objects of data without 3D annotations, estimated from camera images."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli.groups import with_groups
from probe4d.cli.reading_options import Reading
from probe4d.cli.written_files import unkept
from probe4d.wording import counted

if TYPE_CHECKING:
    from probe4d.scenes.estimated.estimating import EstimatedObjects

__all__ = ["detect"]


@dataclass(frozen=True)
class Filters:
    """What a detection has to be, to be taken for an object; the fields are options of the command line."""

    min_confidence: Annotated[float, typer.Option("--min-confidence", help="Least confidence, 0 to 1.")] = 0.5
    min_mask_quality: Annotated[
        float, typer.Option("--min-mask-quality", help="Least mask quality, 0 to 1, where the tool says one.")
    ] = 0.8
    min_area: Annotated[float, typer.Option("--min-area", metavar="PIXELS", help="Least area of the mask or box.")] = (
        400.0
    )
    most_objects: Annotated[int, typer.Option("--most-objects", help="Most objects of an image.")] = 10


@app.command("detect")
@with_groups
def detect(
    dataroot: Annotated[Path, typer.Argument(metavar="DATAROOT", help="Folder of a dataset.")],
    *,
    out: Annotated[
        Path, typer.Option("--out", "-o", callback=unkept, metavar="OBJECTS", help="File to write (.parquet).")
    ],
    detections: Annotated[
        Path | None,
        typer.Option(
            "--detections", metavar="FILE", help="What any tool found: .csv, .jsonl or .parquet, a row a box."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", "-m", metavar="sam3:FOLDER", help="A SAM 3 checkpoint of transformers that is asked here."
        ),
    ] = None,
    channel: Annotated[
        str | None, typer.Option("--channel", help="The camera; left out: the one ahead (CAM_FRONT or FRONT).")
    ] = None,
    scene: Annotated[
        list[str] | None, typer.Option("--scene", metavar="NAME", help="A scene; may be repeated. Left out: all.")
    ] = None,
    filters: Filters,
    batch: Annotated[int, typer.Option("--batch", min=1, help="Images that the model looks at together.")] = 1,
    reading: Reading,
) -> None:
    """Estimate where road users are, from the images of one camera and flat ground.

    Nothing of it is annotated or measured. Boxes come from --detections or from --model.

    What a model finds is kept beside OBJECTS image by image: a command that was broken off goes on when repeated.
    """
    from probe4d.exchange.detected_objects import detect_objects
    from probe4d.scenes.estimated.filters import DetectionFilters

    estimated = detect_objects(
        reading.scenes(dataroot),
        out,
        detections=detections,
        model=model,
        scenes=scene or None,
        channel=channel,
        filters=DetectionFilters(
            filters.min_confidence, filters.min_mask_quality, filters.min_area, filters.most_objects
        ),
        device=reading.device,
        batch=batch,
        workers=reading.workers,
        stages=output.progress,
    )
    _print(estimated, out)


def _print(estimated: EstimatedObjects, out: Path) -> None:
    record = estimated.record
    tracks = estimated.objects["track"].n_unique()
    typer.echo(
        f"{out}: {counted(record.objects, 'object')} in {counted(tracks, 'track')}, estimated from "
        f"{counted(record.detections, 'detection')} of {record.channel}"
    )
    for reason, count in record.dropped.items():
        output.note(f"{count:,} × {reason}")
    unplaced = estimated.objects["distance_m"].null_count()
    if unplaced:
        output.note(f"{counted(unplaced, 'object')} without a distance: their rays do not meet the ground ahead.")
