"""`probe4d detect`: objects of data without 3D annotations, estimated from camera images."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe4d.cli import app, output
from probe4d.cli.groups import with_groups
from probe4d.cli.reading_options import Reading
from probe4d.errors import InputError
from probe4d.wording import counted

if TYPE_CHECKING:
    import polars as pl

    from probe4d.scenes.tables import Scenes

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
    out: Annotated[Path, typer.Option("--out", "-o", metavar="OBJECTS", help="File to write (.parquet).")],
    detections: Annotated[
        Path | None,
        typer.Option(
            "--detections", metavar="FILE", help="What any tool found: .csv, .jsonl or .parquet, a row a box."
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", metavar="sam3:FOLDER", help="A SAM 3 checkpoint of transformers that is asked here."),
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
    from probe4d.scenes.estimated.estimating import estimate_objects
    from probe4d.scenes.estimated.filters import DetectionFilters
    from probe4d.scenes.estimated.objects_file import write_objects

    if out.suffix != ".parquet":
        raise InputError("the file of objects must end in .parquet.", path=out)
    if (detections is None) == (model is None):
        raise InputError("objects come from a file or from a model.", remedy="Give one: --detections or --model.")
    kept = DetectionFilters(filters.min_confidence, filters.min_mask_quality, filters.min_area, filters.most_objects)
    every = reading.scenes(dataroot)
    scenes = every.select(scene) if scene else every
    if detections is not None:
        found, by = _from_file(detections, every, channel, scenes.names)
    else:
        found, by = _by(model, scenes, channel, out, batch, reading)
    estimated = estimate_objects(scenes, found, filters=kept, channel=channel, detector=by)
    write_objects(estimated, out)
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


def _from_file(path: Path, scenes: Scenes, channel: str | None, names: list[str]) -> tuple[pl.DataFrame, str]:
    """What a file holds of some scenes, and its name."""
    from probe4d.exchange.detections import read_detections

    found = read_detections(path, scenes, channel=channel)
    return found.filter(found["scene"].is_in(names)), path.name


def _by(
    model: str | None, scenes: Scenes, channel: str | None, out: Path, batch: int, reading: Reading
) -> tuple[pl.DataFrame, str]:
    """What a model finds, and the model in words."""
    from probe4d.evidence.camera_images import CameraImages
    from probe4d.models.detectors.detecting import detect as ask
    from probe4d.models.detectors.loading import load_detector
    from probe4d.scenes.estimated.detections import front_camera
    from probe4d.scenes.estimated.road_users import ROAD_USER_PROMPTS

    images = CameraImages(scenes, channel or front_camera(scenes))
    detector = load_detector(model or "", device=reading.device)
    with output.progress("Looking at images") as counter:
        found = ask(
            images,
            detector,
            ROAD_USER_PROMPTS,
            out.with_suffix(".detections"),
            batch=batch,
            workers=reading.workers,
            begun=counter.expect,
            done=counter,
        )
    return found, f"{detector.name} {detector.fingerprint[:16]}"
